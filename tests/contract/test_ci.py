"""Nothing is skipped silently where CI runs: a missing browser or numba fails there, and says what is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import dev
from tests.support.chosen import chosen
from tests.support.skips import COMPILED
from tests.support.skips import ROOT as AS_ROOT

ROOT = Path(__file__).parents[2]
PICTURES = "tests/report/test_graph_pictures.py"
NOTHING = "tests/contract/test_ci.py::test_nothing"


def in_pytest(test: str, *options: str, **environment: str) -> tuple[int, str]:
    """Return the exit status of a run of tests, and what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, test],
        cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_nothing() -> None:
    """A test that does nothing is here to be run by others."""


def test_tests_of_pages_are_skipped_without_a_browser_except_in_ci(tmp_path: Path) -> None:
    status, text = in_pytest(PICTURES, "-x", PATH=str(tmp_path), CI="true")
    assert status == 1
    assert "this is skipped: Skipped: chromium is not installed: apt-get install chromium" in text
    status, text = in_pytest(PICTURES, "-x", PATH=str(tmp_path), CI="false")
    assert status == 0
    assert "SKIPPED" in text


SKIPPED = {
    "test_file": "pytest.importorskip('nowhere')\n",
    "test_compiled": f"pytest.importorskip('nowhere', reason={COMPILED!r})\n",
    "test_single": "@pytest.mark.skip(reason='a whim')\ndef test_refused(): ...\n"
    f"@pytest.mark.skip(reason={AS_ROOT!r})\ndef test_allowed(): ...\n"
    "@pytest.mark.xfail(reason='a whim')\ndef test_xfail(): assert False\n",
}
"""Files of tests, of which CI refuses the first, and the first test of the last."""


def test_only_skips_of_the_list_pass_in_ci(tmp_path: Path) -> None:
    for name, text in SKIPPED.items():
        (tmp_path / f"{name}.py").write_text(f"import pytest\n{text}", "utf-8")
    options = ("-p", "tests.conftest", "-c", "pyproject.toml", "--continue-on-collection-errors")
    status, text = in_pytest(str(tmp_path), *options, CI="true", PROVIDER_UNDER_TEST="numpy")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "2 skipped, 1 xfailed, 2 errors" in text
    assert "this is skipped: Skipped: could not import 'nowhere'" in text
    assert "this is skipped: Skipped: a whim" in text


def test_the_provider_under_test_is_the_one_that_plans_use(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("__version__ = '0.1'\nclass config:\n    DISABLE_JIT = 0\n", "utf-8")
    status, text = in_pytest(NOTHING, PYTHONPATH=str(tmp_path), PROVIDER_UNDER_TEST="numba")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "compiled kernels are to be tested, and cannot be used: numba 0.1 is too old" in text
    status, text = in_pytest(NOTHING, PYTHONPATH=str(tmp_path), PROVIDER_UNDER_TEST="numpy")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "NumPy's kernels are to be tested, and numba is installed here" in text


def test_both_providers_are_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[tuple[str, ...]] = []
    monkeypatch.setattr(dev, "environment", lambda name, _extras: Path(name))
    monkeypatch.setattr(dev, "check_types", lambda _python: None)
    monkeypatch.setattr(dev, "run", lambda python, *words, **names: runs.append((str(python), *words, *names.values())))
    monkeypatch.setattr(sys, "argv", ["dev.py", "test"])
    assert dev.main() == 0
    tests = [words for words in runs if "pytest" in words]
    providers = [(words[0], "numpy" in words, "numba" in words) for words in tests]
    assert providers == [(".venv-test", True, False), (".venv-numba", False, True)]
    assert set(dev.WITH_NUMBA) <= set(tests[1])
    assert all((ROOT / path).exists() for path in dev.WITH_NUMBA)


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        ("compiler/test_gather.py", ["tests/compiler/test_gather.py"]),
        ("cli", ["tests/cli/test_benchmark.py"]),
        ("cli/test_benchmark.py", ["tests/cli/test_benchmark.py"]),
        ("writer", []),
    ],
)
def test_of_what_is_named_compiled_kernels_are_tested(
    named: str, chosen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[tuple[str, ...]] = []
    monkeypatch.setattr(dev, "environment", lambda name, _extras: Path(name))
    monkeypatch.setattr(dev, "run", lambda _python, *words, **_names: runs.append(words))
    monkeypatch.setattr(sys, "argv", ["dev.py", "compiled", named])
    assert dev.main() == 0
    assert [words[len(dev.PYTEST) :] for words in runs] == ([tuple(chosen)] if chosen else [])


@pytest.mark.parametrize(
    ("words", "paths", "options"),
    [
        (["operations", "-x"], ["tests/operations"], ["-x"]),
        (["-k", "api"], [], ["-k", "api"]),
        (["tests/contract/test_ci.py::test_nothing", "--tb=short"], [NOTHING], ["--tb=short"]),
    ],
)
def test_arguments_are_folders_or_those_of_pytest(
    words: list[str], paths: list[str], options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["dev.py", "test", *words])
    assert dev.selection() == (paths, options)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/contract/test_ci.py", "tests/contract/test_ci.py"),
        ("tests/support/work.py", "tests/surgery/test_diff_growth.py"),
        ("ir_plugin/compiler/passes/pad_fusion.py", "tests/compiler/passes/test_pad_fusion.py"),
        ("ir_plugin/tensors/packing.py", "tests/tensors/test_packing.py"),
        ("schemas/layer.xsd", "tests/schema"),
        ("docs/tour.md", "tests/docs"),
        ("dev.py", "tests/contract/test_ci.py"),
    ],
)
def test_a_change_is_tested_by_what_imports_it(path: str, expected: str) -> None:
    tests = chosen([path])
    assert expected in tests
    assert len(tests) < len(list((ROOT / "tests").rglob("test_*.py"))) / 4


def test_files_of_a_folder_that_is_tested_whole_are_not_named_again() -> None:
    tests = chosen(["schemas/layer.xsd", "tests/schema/test_schema.py", "tests/contract/test_ci.py"])
    assert tests == ["tests/contract/test_ci.py", "tests/schema"]


def test_what_changed_is_tested_with_numpy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[tuple[str, ...]] = []
    monkeypatch.setattr("tests.support.chosen.changed_files", lambda: ["ir_plugin/compiler/passes/pad_fusion.py"])
    monkeypatch.setattr(dev, "environment", lambda name, _extras: Path(name))
    monkeypatch.setattr(dev, "run", lambda _python, *words, **_names: runs.append(words))
    monkeypatch.setattr(sys, "argv", ["dev.py", "test", "--changed", "-x"])
    assert dev.main() == 0
    assert runs == [("-m", "pytest", "-q", "tests/compiler/passes/test_pad_fusion.py", "-x")]


@pytest.mark.parametrize(("words", "is_locked"), [(["test"], True), (["test", "--latest"], False), (["lock"], False)])
def test_tests_install_the_versions_of_the_lock(
    words: list[str], is_locked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    for name in ("pyproject.toml", "requirements/ci.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "LOCK", tmp_path / "requirements" / "ci.txt")
    monkeypatch.setattr(venv, "create", lambda folder, **_: folder.mkdir())
    monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
    monkeypatch.setattr(sys, "argv", ["dev.py", *words])
    for _ in range(2):
        dev.environment(".venv-test", "[test,dev]")
    (command,) = commands
    assert (str(dev.LOCK) in command) is is_locked


def test_the_lock_pins_what_tests_need() -> None:
    lines = (ROOT / "requirements" / "ci.txt").read_text("utf-8").splitlines()[1:]
    assert all(
        re.fullmatch(r"[\w.-]+==\S+ ; python_version == '3\.\d+' and sys_platform == 'linux'", line) for line in lines
    )
    names = [line.partition("==")[0].lower() for line in lines]
    assert len(names) == len(set(names))
    assert {"numpy", "numba", "openvino", "onnx", "onnxruntime", "pytest", "ruff", "mypy"} <= set(names)


def test_numba_is_required_in_ci_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_name: str, _extras: str) -> Path:
        raise subprocess.CalledProcessError(3, "pip")

    monkeypatch.setattr(dev, "environment", fail)
    monkeypatch.setattr(sys, "argv", ["dev.py", "compiled"])
    monkeypatch.setenv("CI", "true")
    assert dev.main() == 3
    monkeypatch.setenv("CI", "false")
    assert dev.main() == 0
    assert "numba cannot be installed here, and its kernels are not tested" in capsys.readouterr().out
