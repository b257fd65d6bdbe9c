"""The targets of `contrib/oss-fuzz` take their seeds; a module in place of atheris calls them."""

from __future__ import annotations

import runpy
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "contrib" / "oss-fuzz"
STEP = {"fuzz_read": 1, "fuzz_check": 1, "fuzz_onnx": 25}
"""Which seeds are taken: all, or one of some."""


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the seeds of all targets."""
    folder = tmp_path_factory.mktemp("corpora")
    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        context.setattr(sys, "argv", ["make_seed_corpus", str(ROOT), str(folder)])
        runpy.run_path(str(FOLDER / "make_seed_corpus.py"), run_name="__main__")
    return folder


@contextmanager
def instrument_imports(include: list[str]) -> Iterator[None]:
    """Leave imports as they are."""
    assert include == ["ir_plugin"]
    yield


def stand_in(seeds: list[bytes]) -> ModuleType:
    """Return a module that feeds seeds to a target instead of fuzzing it."""
    module: Any = ModuleType("atheris")
    targets: list[Callable[[bytes], None]] = []
    module.instrument_imports = instrument_imports
    module.Setup = lambda _, target: targets.append(target)
    module.Fuzz = lambda: [targets[0](seed) for seed in seeds]
    return module  # type: ignore[no-any-return]


def test_every_target_has_seeds() -> None:
    assert sorted(path.stem for path in FOLDER.glob("fuzz_*.py")) == sorted(STEP)


@pytest.mark.parametrize("name", STEP)
@pytest.mark.filterwarnings("ignore")
def test_a_target_takes_its_seeds(name: str, corpora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(corpora / f"{name}_seed_corpus.zip") as archive:
        seeds = [archive.read(member) for member in archive.namelist()[:: STEP[name]]]
    assert len(seeds) > 40
    monkeypatch.setitem(sys.modules, "atheris", stand_in([*seeds, b"", b"\x08"]))
    runpy.run_path(str(FOLDER / f"{name}.py"))
