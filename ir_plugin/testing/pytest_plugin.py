"""The pytest plugin: tests get the models of `--ir-model`, and hold outputs against snapshots.

Nothing of the library is imported before a test asks for a fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ir_plugin import Model

Snapshot = Callable[..., None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of models and snapshots."""
    group = parser.getgroup("ir_plugin", "OpenVINO IR")
    group.addoption(
        "--ir-model", action="append", metavar="MODEL.xml", help="tests that use ir_model run once for each of these"
    )
    group.addoption("--ir-strict", action="store_true", help="warnings in these models are errors")
    group.addoption("--ir-update", action="store_true", help="write the snapshots instead of holding outputs to them")
    parser.addini("ir_models", "models for tests that use ir_model: paths or patterns", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker that names the models of a test."""
    config.addinivalue_line("markers", "ir_model(*paths): the models of the fixture ir_model, instead of --ir-model")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses `ir_model` once for each model."""
    if "ir_model" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("ir_model")
    models = marker.args if marker else metafunc.config.getoption("ir_model") or metafunc.config.getini("ir_models")
    root = metafunc.config.rootpath
    paths = [path for pattern in models for path in _matching(root, str(pattern))]
    metafunc.parametrize("ir_model", paths, indirect=True, ids=[_id(root, path) for path in paths])


def _matching(root: Path, pattern: str) -> list[Path]:
    """Return the files that a pattern matches; a path that matches none stays, so that its test fails."""
    matching = sorted(root.glob(pattern)) if set(pattern) & set("*?[") else []
    return matching or [root / pattern]


def _id(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


@pytest.fixture
def ir_model(request: pytest.FixtureRequest) -> Model:
    """Return the model of an IR without errors; with an error the test fails, and shows all findings."""
    from ir_plugin.testing import assert_valid

    __tracebackhide__ = True
    return assert_valid(request.param, strict=request.config.getoption("ir_strict"))


@pytest.fixture
def ir_snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """Return the function that compares outputs by name with the outputs that `pytest --ir-update` stored last.

    They are stored in `snapshots/`, beside the test, one .npz a test. The function takes `name`, where a test has
    several, `rtol` and `atol`.
    """
    from ir_plugin.testing import assert_matches_snapshot

    update = request.config.getoption("ir_update")
    stem = re.sub(r"[^\w.=-]+", "_", request.node.name).strip("_")

    def hold(
        outputs: Mapping[Any, Any], name: str | None = None, *, rtol: float = 1e-3, atol: float | None = None
    ) -> None:
        __tracebackhide__ = True
        file = f"{stem}.{name}.npz" if name else f"{stem}.npz"
        path = request.path.parent / "snapshots" / request.path.stem / file
        assert_matches_snapshot(outputs, path, update=update, rtol=rtol, atol=atol)

    return hold
