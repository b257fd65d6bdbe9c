"""Lines of scripts, run with OpenVINO and with ir_plugin: both print the same, and refuse the same."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin
from tests.api.nets import EDGES, LAYERS, SE, STATE, WEIGHTS, net
from tests.support.changed import with_bodies

LINES = Path(__file__).with_name("lines.txt")


def statements() -> list[str]:
    text = LINES.read_text()
    return [ast.get_source_segment(text, node) or "" for node in ast.parse(text).body]


def printed(library: Any, refusals: tuple[type[BaseException], ...], folder: Path) -> list[str]:
    """Run all lines, and return for each what it prints and whether it is refused."""
    lines: list[str] = []

    def refuses(call: Callable[..., object], *arguments: object) -> str:
        try:
            call(*arguments)
        except refusals:
            return "refused"
        except Exception as fault:  # noqa: BLE001 (any other is what the test looks for)
            return f"raises {fault!r}"
        return "accepted"

    def ports(found: Any) -> list[tuple[list[str], str, str]]:
        return [(sorted(port.names), str(port.partial_shape), repr(port.element_type)) for port in found]

    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4)
    y = np.array([0.5, -0.5, 0.25], np.float32).reshape(1, 3, 1)
    space = {
        "ov": library,
        "np": np,
        "Path": Path,
        "refuses": refuses,
        "ports": ports,
        "X": x,
        "Y": y,
        "folder": folder,
    }
    space |= {"MODEL": folder / "net.xml", "STATEFUL": folder / "state.xml", "LOOP": folder / "loop.xml"}
    for line in statements():
        shown: list[str] = []
        space["show"] = lambda *values, shown=shown: shown.append(" ".join(map(str, values)))
        shown.append(refuses(exec, compile(line, LINES.name, "exec"), space))
        lines.append("\n".join(shown))
    return lines


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    found = []
    for library, refusals in ((openvino, (Exception,)), (ir_plugin, (RuntimeError, AttributeError))):
        folder = tmp_path_factory.mktemp(library.__name__)
        with_bodies(folder / "loop.xml")
        for name, text, weights in (
            ("net", net(LAYERS, EDGES), WEIGHTS),
            ("state", net(STATE, SE), np.array([2], np.float32).tobytes()),
        ):
            (folder / f"{name}.xml").write_text(text)
            (folder / f"{name}.bin").write_bytes(weights)
        with warnings.catch_warnings(), np.printoptions(precision=4, suppress=True):
            warnings.simplefilter("ignore")
            found.append(printed(library, refusals, folder))
    return list(zip(statements(), *found, strict=True))


def test_lines_do_the_same(both: list[tuple[str, str, str]]) -> None:
    assert [(line, theirs, ours) for line, theirs, ours in both if theirs != ours] == []


def test_most_lines_print_something(both: list[tuple[str, str, str]]) -> None:
    assert sum("accepted" in theirs for _, theirs, _ in both) > 100
