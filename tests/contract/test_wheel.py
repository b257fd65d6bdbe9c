"""The built wheel is complete: installed outside the checkout, it checks, runs and draws; building is reproducible."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import ir_plugin

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "samples" / "gather_elements"


def build(folder: Path) -> dict[str, Path]:
    """Build the sdist and the wheel into a folder, and return them by suffix."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return {path.suffix: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the sdist (.gz) and the wheel (.whl)."""
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the scripts' folder of a virtual environment outside the checkout that has the wheel.

    The packages that it depends on are those of the environment that runs the tests.
    """
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=sys.platform != "win32")
    scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
    paths = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", vars=paths))
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", str(built[".whl"])], check=True, capture_output=True)
    dependencies = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "dependencies.pth").write_text("\n".join(dependencies), "utf-8")
    return scripts


def test_files_of_the_wheel(built: dict[str, Path]) -> None:
    names = set(zipfile.ZipFile(built[".whl"]).namelist())
    schemas = {path.relative_to(ROOT).as_posix() for path in (ROOT / "schemas").rglob("*.xsd")}
    assert {f"ir_plugin/{schema}" for schema in schemas} <= names
    stubs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ir_plugin").rglob("*.pyi")}
    assert {"ir_plugin/opsets/opset1.pyi", "ir_plugin/opsets/opset17.pyi"} <= stubs <= names
    assert {
        "ir_plugin/py.typed",
        "ir_plugin/diagnostics/absent_modules.tsv",
        "ir_plugin/opsets/attributes.tsv",
    } <= names
    assert {name.split("/")[0] for name in names} == {"ir_plugin", f"ir_plugin-{ir_plugin.__version__}.dist-info"}


def test_files_of_the_sdist(built: dict[str, Path]) -> None:
    with tarfile.open(built[".gz"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "dev.py", "ir_plugin/__init__.py", "tests/conftest.py"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_building_is_reproducible(built: dict[str, Path], tmp_path: Path) -> None:
    again = build(tmp_path)
    for suffix, path in built.items():
        assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(again[suffix].read_bytes()).digest(), path


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["check", "gather_elements.xml"], "1 model checked, nothing found"),
        (["run", "gather_elements.xml"], "gathered"),
        (["graph", "gather_elements.xml", "--out", "graph.html"], "graph.html"),
    ],
)
def test_the_installed_wheel_works(installed: Path, tmp_path: Path, arguments: list[str], text: str) -> None:
    shutil.copytree(MODEL, tmp_path, dirs_exist_ok=True)
    done = subprocess.run(
        [str(installed / "ir-plugin"), *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    notes = [line for line in done.stderr.splitlines() if not line.startswith("compiling kernels with numba")]
    assert (done.returncode, notes) == (0, [])
    assert text in done.stdout


def test_it_is_the_installed_wheel_that_runs(installed: Path, tmp_path: Path) -> None:
    code = "import ir_plugin; print(ir_plugin.__version__, ir_plugin.__file__)"
    done = subprocess.run(
        [str(installed / "python"), "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == ir_plugin.__version__
    assert Path(done.stdout.split()[1]).is_relative_to(installed.parent)
