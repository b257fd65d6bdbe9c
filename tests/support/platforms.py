"""Where the core runs: `python3 dev.py platforms [NAME…]` tries each row of the table in docs/dependencies.md.

A row says what ran and how many, or why it could not be tried on this machine. Nothing here imports a package.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "platforms"
"""Where environments and file systems of other machines are kept for the next run."""
PAGE = ROOT / "docs" / "dependencies.md"
CORE = tuple(
    f"tests/{name}.py"
    for name in (
        "reader/test_help", "reader/test_layer_cache", "reader/test_odd_files", "reader/test_places",
        "validation/test_declared", "validation/test_departures", "validation/test_fix", "tensors/test_byte_order",
        "tensors/test_long_numbers", "schema/test_catalogue", "schema/test_values", "spec/test_examples",
        "operations/test_boxes", "operations/test_definitions", "hostile/test_files", "hostile/test_runs",
    )
)  # fmt: skip
"""Tests of reader, check and operations that need no package but the required ones, pytest and hypothesis."""
NEEDED = ("numpy>=2.1", "lxml>=5", "rich>=13", "click>=8.1")
WHEELS = {
    "manylinux x86-64": [f"manylinux_2_{glibc}_x86_64" for glibc in (17, 26, 27, 28)],
    "manylinux arm64": [f"manylinux_2_{glibc}_aarch64" for glibc in (17, 26, 27, 28)],
    "musllinux x86-64": ["musllinux_1_2_x86_64"],
    "musllinux arm64": ["musllinux_1_2_aarch64"],
    "Windows arm64": ["win_arm64"],
    "macOS x86-64": ["macosx_14_0_x86_64"],
    "macOS arm64": ["macosx_14_0_arm64"],
}
"""The tags of wheels by platform."""
CURRENT = f"{sys.version_info[0]}.{sys.version_info[1]}"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.13t", "3.14t")
EMULATED = {"arm64": "trixie", "riscv64": "sid", "s390x": "sid"}
"""Debian's release for each architecture."""
PACKAGES = "python3,python3-numpy,python3-lxml,python3-click,python3-rich,python3-pytest,python3-hypothesis"
WHO = """
import platform, sys, numpy
import lxml.etree
lock = "" if getattr(sys, "_is_gil_enabled", lambda: True)() else " without a global lock"
print(f"Python {platform.python_version()}{lock} with NumPy {numpy.__version__}, {sys.byteorder}-endian")
"""
NO_THREADS = """
import runpy, sys, threading

def refuse(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refuse
sys.argv = ["bare"]
runpy.run_module("tests.support.bare", run_name="__main__")
"""
PART = 8
"""An emulated machine computes one sample of so many: it is some 20 times slower."""


class UntriedError(Exception):
    """Why a row cannot be tried here."""


def ask(command: Iterable[str | Path]) -> str:
    """Run a command in the project's folder and return what it prints; raises `UntriedError` where it cannot start."""
    environ = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*map(str, command)], cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=3600
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise UntriedError(str(fault)) from None
    return done.stdout + done.stderr


def wheels(tags: list[str]) -> str:
    """Return how many wheels pip finds for a platform."""
    options = [option for tag in tags for option in ("--platform", tag)]
    with tempfile.TemporaryDirectory() as target:
        text = ask(
            [
                *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--target", target),
                *("--only-binary=:all:", "--python-version", "3.13", *options, *NEEDED),
            ]
        )
    found = re.search(r"^Would install (.*)$", text, re.MULTILINE)
    if found is None:
        raise UntriedError(last_line(text))
    return f"{len(found[1].split())} wheels for Python 3.13: {found[1]}"


def counts(text: str) -> str:
    """Return the counts that `bare` and pytest print, or the last line where they print none; faults go to stderr."""
    computed = re.findall(r"^\d+ samples computed.*$", text, re.MULTILINE)
    tested = re.findall(r"^((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$", text, re.MULTILINE)
    end = ", then interrupted" if "KeyboardInterrupt" in text else ""
    lines = [*computed, *(f"tests: {counted}{end}" for counted in tested)]
    if not lines or re.search(r"\b(?:[1-9]\d* faults|\d+ failed|\d+ errors?)$", "\n".join(lines), re.MULTILINE):
        sys.stderr.write(text)
    return "; ".join(lines) or f"fails: {last_line(text)}"


def last_line(text: str) -> str:
    """Return the last line of what a command prints."""
    return ([line for line in text.splitlines() if line.strip()] or ["it prints nothing"])[-1].strip()


def core(python: list[str | Path], part: int = 1) -> str:
    """Return the counts of samples and tests that a Python runs, after its version."""
    computed = ask([*python, "-m", "tests.support.bare", str(part)])
    tested = ask([*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CORE])
    return f"{last_line(ask([*python, '-c', WHO]))}: {counts(computed)}; {counts(tested)}"


def interpreter(version: str) -> Path:
    """Return the Python of a version, from the path, pyenv or uv."""
    plain = version.removesuffix("t")
    homes = [Path.home() / ".pyenv/versions", Path.home() / ".local/share/uv/python"]
    candidates = [Path(found) for found in [shutil.which(f"python{version}")] if found]
    candidates += [path for home in homes for path in sorted(home.glob(f"*{plain}.*/bin/python{version}"))]
    usable = next((candidate for candidate in candidates if "Python" in _version(candidate)), None)
    if usable is None:
        raise UntriedError(f"no python{version} on the path, in pyenv or in uv")
    return usable


def _version(python: Path) -> str:
    return subprocess.run([str(python), "--version"], capture_output=True, text=True, check=False).stdout


def environment(version: str) -> Path:
    """Return the Python of an environment with the required packages, pytest and hypothesis."""
    python = FOLDER / version / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.is_file():
        ask([interpreter(version), "-m", "venv", python.parents[1]])
    text = ask(
        [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *NEEDED, "pytest>=8", "hypothesis>=6"]
    )
    if "ERROR" in text:
        raise UntriedError(last_line(text))
    return python


def under_python(version: str) -> str:
    """Return the counts under a version of CPython; a free-threaded one keeps its lock off, for which lxml asks."""
    return core([environment(version), *(["-X", "gil=0"] if version.endswith("t") else [])])


def installed(architecture: str) -> Path:
    """Return the folder of a Debian for an architecture, which is made if it is missing."""
    for command in ("mmdebstrap", "chroot", f"qemu-{QEMU.get(architecture, architecture)}-static"):
        if shutil.which(command) is None:
            raise UntriedError(f"{command} is missing: apt-get install mmdebstrap qemu-user-static arch-test")
    if os.geteuid() != 0 or not Path("/proc/sys/fs/binfmt_misc/register").exists():
        raise UntriedError("root and binfmt_misc are needed: mount binfmt_misc -t binfmt_misc /proc/sys/fs/binfmt_misc")
    folder = FOLDER / architecture
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        text = ask(
            [
                *("mmdebstrap", f"--arch={architecture}", "--variant=essential", f"--include={PACKAGES}"),
                *('--aptopt=Acquire::Check-Valid-Until "false"', "--dpkgopt=force-unsafe-io"),
                *(EMULATED[architecture], folder, "http://deb.debian.org/debian"),
            ]
        )
        if "success" not in text:
            raise UntriedError(last_line(text))
        (folder / "ready").touch()
    return folder


QEMU = {"arm64": "aarch64"}
"""What qemu calls an architecture that Debian calls otherwise."""


def emulated(architecture: str) -> str:
    """Return the counts on an emulated machine; weights stay little-endian on a big-endian one."""
    folder = installed(architecture)
    shutil.rmtree(folder / "project", ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", ".*", "build")
    shutil.copytree(ROOT, folder / "project", ignore=ignored, symlinks=True)
    start: list[str | Path] = [
        "chroot",
        folder,
        "env",
        "-i",
        "PATH=/usr/bin:/bin",
        "PYTHONPATH=/project",
        "PYTHONDONTWRITEBYTECODE=1",
    ]
    return core([*start, "sh", "-c", 'cd /project && exec python3 "$@"', "sh"], PART)


def without_threads() -> str:
    """Return the counts where no thread starts."""
    return counts(ask([environment(CURRENT), "-c", NO_THREADS]))


def read_only() -> str:
    """Return the counts on a file system that refuses every write, without a home."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        raise UntriedError("unshare and root are needed for a file system that is read-only for one process")
    start = 'mount -o remount,bind,ro / && exec env -u HOME "$@"'
    return counts(
        ask(["unshare", "--mount", "sh", "-c", start, "sh", environment(CURRENT), "-m", "tests.support.bare"])
    )


def other_case() -> str:
    """Return how many files have names of their own where the case of letters does not matter."""
    tracked = ask(["git", "ls-files"]).splitlines()
    if len({name.casefold() for name in tracked}) != len(tracked):
        return "fails: two files of the project have names that differ by case alone"
    return f"{len(tracked)} files of the project, no two of which have names that differ by case alone"


ROWS: dict[str, Callable[[], str]] = {
    **{f"wheels for {name}": partial(wheels, tags) for name, tags in WHEELS.items()},
    **{f"CPython {version}": partial(under_python, version) for version in PYTHONS},
    **{f"Linux on {name}, emulated": partial(emulated, name) for name in EMULATED},
    "no threads, as in Pyodide": without_threads,
    "read-only file system, no home": read_only,
    "case-insensitive file names": other_case,
}
"""Each platform with the function that tries it."""


def tried(name: str) -> str:
    """Return the row of a platform."""
    try:
        result = ROWS[name]()
    except UntriedError as reason:
        result = f"untried: {reason}".replace("|", "/")
    return f"| {name} | {result} | {time.strftime('%Y-%m-%d')} |"


def main(words: list[str]) -> None:
    """Print the row of each platform whose name has one of the words; `--write` puts it on the page."""
    names = [word for word in words if word != "--write"]
    for row in ROWS:
        if not names or any(name in row for name in names):
            line = tried(row)
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
            if "--write" in words:
                PAGE.write_text(with_row(PAGE.read_text("utf-8"), row, line), "utf-8")


def with_row(page: str, name: str, row: str) -> str:
    """Return a page with another row of a platform."""
    lines = [row if line.startswith(f"| {name} |") else line for line in page.split("\n")]
    return "\n".join(lines)
