#!/usr/bin/env python3
"""The developer's commands on a fresh machine: `python3 dev.py demo` runs the sample, `python3 dev.py test` the tests.

Each command creates a virtual environment of its own beside this file, so that nothing has to be installed first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent
WITH_NUMBA = (
    "tests/compiler",
    "tests/models",
    *(
        f"tests/invariants/test_{name}.py"
        for name in ("inference_writes_nothing", "loops_keep_nothing", "nothing_happens_at_import", "one_answer")
    ),
    *(
        f"tests/api/test_{name}.py"
        for name in (
            "inside", "interrupts", "memory", "model_cache", "read_only_inputs", "requests", "runtime_model",
            "shared_state",
        )
    ),
    "tests/cli/test_benchmark.py",
    "tests/serving/test_embeddings.py",
)  # fmt: skip
"""What is tested again with compiled kernels: the tests of which a kernel, its memory or its threads can change the
result. `tests/README.md` says why the others are not."""
KERNELS = {"NUMBA_CACHE_DIR": str(ROOT / ".venv-numba" / "kernels")}
"""Compiled kernels are kept with the environment, under a digest of their sources: the next run finds them."""
PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "worksteal")
"""Two workers that begin with half of the tests each, so that neighbours share what OpenVINO says of them."""
TESTED = {".venv-test": "[test,dev]", ".venv-numba": "[test,numba]"}
"""The environments of tests, and the extras in each."""
LOCK = ROOT / "requirements" / "ci.txt"
"""The versions that were tested together, for the Python that they were tested with."""
TAKE_A_VALUE = ("-k", "-m", "-n", "-p", "-c", "-o", "-W")
"""Options of pytest before a value that is no path."""


def environment(name: str, extras: str) -> Path:
    """Return the Python of the virtual environment `name`, which is created if it is missing or out of date.

    Tests take the versions of `LOCK`, which were tested together; with `--latest`, and for `lock`, the newest ones.
    """
    folder = ROOT / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "installed"
    takes_newest = "--latest" in sys.argv or sys.argv[1:2] == ["lock"]
    is_locked = name in (*TESTED, ".venv-bare") and LOCK.is_file() and not takes_newest
    constraint = ["--constraint", str(LOCK)] if is_locked else []
    expected = (ROOT / "pyproject.toml").read_text("utf-8") + extras + sys.version
    expected += LOCK.read_text("utf-8") if is_locked else ""
    if not stamp.is_file() or stamp.read_text("utf-8") != expected:
        print(f"setting up {name} …", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *constraint, "--editable", f"{ROOT}{extras}"], check=True)
        stamp.write_text(expected, "utf-8")
    return python


def run(python: Path, *arguments: str, **variables: str) -> None:
    """Run a module of the environment in the project's folder, with environment variables.

    Compiled modules are kept: without them each of the many processes that tests start compiles all that it imports.
    """
    print("$", *(f"{name}={value}" for name, value in variables.items()), "python", *arguments, flush=True)
    environ = os.environ | {"PYTHONDONTWRITEBYTECODE": ""} | variables
    subprocess.run([str(python), *arguments], check=True, cwd=ROOT, env=environ)


def demo() -> None:
    """Classify the held-out digits with the shipped network."""
    run(environment(".venv-demo", ""), "samples/digits/classify.py")


def bare() -> None:
    """Compute all samples, check all wrong ones and run the sample with the required packages alone."""
    python = environment(".venv-bare", "")
    run(python, "-m", "tests.support.bare")
    run(python, "samples/digits/classify.py")
    run(python, "-m", "ir_plugin", "check", "samples/digits/digits.xml")


def platforms() -> None:
    """Print where the core runs; arguments are parts of the names of rows, `--write` puts the rows in the docs."""
    from tests.support.platforms import main as try_platforms

    try_platforms(sys.argv[2:])


def check_types(python: Path) -> None:
    """Check types with NumPy 2.4 or newer, whose annotations differ from older ones; Python 3.10 has no such NumPy."""
    code = "import numpy; print(*numpy.__version__.split('.')[:2])"
    version = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout
    if tuple(map(int, version.split())) < (2, 4):
        print("types are not checked: the annotations are for a newer NumPy than this Python has", flush=True)
        return
    run(python, "-m", "ir_plugin.opsets.stubs")
    run(python, "-m", "mypy")


def selection() -> tuple[list[str], list[str]]:
    """Return the paths that the arguments name, `operations` for `tests/operations`, and pytest's other arguments."""
    paths: list[str] = []
    options: list[str] = []
    if "--changed" in sys.argv:
        from tests.support.chosen import changed_files, chosen

        paths += chosen(changed_files())
    for before, argument in zip(sys.argv[1:], sys.argv[2:], strict=False):
        if argument in ("--changed", "--latest"):
            continue
        path = argument if argument.startswith("tests/") else f"tests/{argument}"
        is_path = before not in TAKE_A_VALUE and (ROOT / path.partition("::")[0]).exists()
        (paths if is_path else options).append(path if is_path else argument)
    return paths, options


def check(python: Path, is_whole: bool) -> None:
    """Check types and imports, make the environment of the second run, and, if `is_whole`, run what `bare` does."""
    check_types(python)
    run(python, "-c", "from importlinter.cli import lint_imports_command as run; run()")
    with_numba()
    if is_whole:
        bare()


def test() -> None:
    """Lint, type-check and test, first with NumPy alone, then with numba; arguments are folders and pytest's.

    `--changed` tests what a change concerns, `--latest` tests with the newest packages.
    """
    python = environment(".venv-test", TESTED[".venv-test"])
    paths, options = selection()
    if "--changed" in sys.argv:
        print("tests of what changed:", *(paths or ["none"]), flush=True)
        if paths:
            run(python, *PYTEST[:-4], *paths, *options, PROVIDER_UNDER_TEST="numpy")
        return
    run(python, "-m", "ruff", "check", ".")
    run(python, "-m", "ruff", "format", "--check", ".")
    with suppress(subprocess.CalledProcessError):  # tests of models that are missing are skipped, and fail in CI
        run(python, "-m", "tests.models.wheels")
    with ThreadPoolExecutor(1) as beside:
        checks = beside.submit(check, python, is_whole=not (paths or options))
        run(python, *PYTEST, *paths, *options, PROVIDER_UNDER_TEST="numpy")
        checks.result()
    compiled()


def with_numba() -> Path | None:
    """Return the Python of the environment with numba, which CI requires, or None where numba cannot be installed."""
    try:
        return environment(".venv-numba", TESTED[".venv-numba"])
    except subprocess.CalledProcessError:
        if os.environ.get("CI") == "true":
            raise
    return None


def compiled() -> None:
    """Test what `WITH_NUMBA` lists, or what of it is named, with numba; other arguments are pytest's."""
    paths, options = selection()
    chosen = [path for path in paths if path.startswith(WITH_NUMBA)] if paths else [*WITH_NUMBA]
    chosen += [item for path in paths for item in WITH_NUMBA if item.startswith(f"{path.rstrip('/')}/")]
    python = with_numba() if chosen else None
    if python is not None:
        run(python, *PYTEST, *chosen, *options, PROVIDER_UNDER_TEST="numba", **KERNELS)
    elif chosen:
        print("numba cannot be installed here, and its kernels are not tested", flush=True)


def fuzz() -> None:
    """Feed 10,000 mutated IRs to every public entry, compare valid ones with OpenVINO, stress passes and pools."""
    os.environ["HYPOTHESIS_PROFILE"] = "fuzz"
    passes = "tests/compiler/passes/test_neighbours.py"
    long = ("tests/fuzz", "tests/surgery/test_diff.py", passes)
    run(environment(".venv-test", TESTED[".venv-test"]), "-m", "pytest", "-v", "-n", "2", *long, *sys.argv[2:])
    run(
        environment(".venv-numba", TESTED[".venv-numba"]), "-m", "pytest", "-v", passes, "tests/compiler/test_stress.py"
    )


def lock() -> None:
    """Write the versions that `test --latest` installed, or would install, to `requirements/ci.txt`."""
    pins: set[str] = set()
    for name, extras in TESTED.items():
        freeze = [str(environment(name, extras)), "-m", "pip", "freeze", "--exclude-editable"]
        lines = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout.splitlines()
        pins |= {line for line in lines if "==" in line}
    only = f"python_version == '{sys.version_info[0]}.{sys.version_info[1]}' and sys_platform == '{sys.platform}'"
    LOCK.parent.mkdir(exist_ok=True)
    text = "".join(f"{pin} ; {only}\n" for pin in sorted(pins, key=str.lower))
    LOCK.write_text(
        f"# Written by `python3 dev.py lock`; other Pythons and systems take the newest versions.\n{text}", "utf-8"
    )


def docs() -> None:
    """Build the documentation into build/site."""
    run(environment(".venv-docs", "[docs]"), "-m", "mkdocs", "build", "--strict", *sys.argv[2:])


def quickstart() -> None:
    """Print how long a newcomer takes from a clone to the first drawn graph, in a new environment."""
    with tempfile.TemporaryDirectory() as name:
        clone, start = Path(name) / "ir_plugin", time.perf_counter()
        seconds: dict[str, float] = {}

        def step(title: str, *command: str) -> None:
            before = time.perf_counter()
            subprocess.run(command, check=True, cwd=name)
            seconds[title] = time.perf_counter() - before

        python = Path(name) / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        model = clone / "samples" / "digits" / "digits.xml"
        step("git clone", "git", "clone", "--quiet", str(ROOT), str(clone))
        step("python3 -m venv", sys.executable, "-m", "venv", "env")
        step("pip install", str(python), *install, str(clone))
        step("ir-plugin graph", str(python), "-m", "ir_plugin", "graph", str(model), "--run", "--out", "digits.html")
        for title, duration in seconds.items():
            print(f"{title:<16} {duration:6.1f} s")
        print(f"{'first graph':<16} {time.perf_counter() - start:6.1f} s")


def build() -> None:
    """Build the sdist, the wheel and its bill of materials into dist, and check what the package index would show."""
    python, bare_python = environment(".venv-build", "[release]"), environment(".venv-bare", "")
    run(python, "-m", "build", "--outdir", "dist", *sys.argv[2:])
    run(python, "-m", "twine", "check", "--strict", *map(str, (ROOT / "dist").glob("ir_plugin-*")))
    materials = ("--pyproject", "pyproject.toml", "--output-reproducible", "--output-file", "dist/ir_plugin.cdx.json")
    run(python, "-m", "cyclonedx_py", "environment", str(bare_python), *materials)


COMMANDS = {
    "demo": demo,
    "test": test,
    "bare": bare,
    "platforms": platforms,
    "compiled": compiled,
    "fuzz": fuzz,
    "docs": docs,
    "lock": lock,
    "build": build,
    "quickstart": quickstart,
}


def main() -> int:
    """Run the command of the first argument, and return its exit status."""
    if sys.version_info < (3, 10):
        print("ir_plugin needs Python 3.10 or newer; this is", sys.version.split()[0])
        return 2
    chosen = COMMANDS.get(sys.argv[1]) if len(sys.argv) > 1 else None
    if chosen is None:
        print(f"usage: python3 dev.py {'|'.join(COMMANDS)}")
        return 2
    try:
        chosen()
    except subprocess.CalledProcessError as fault:
        return fault.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
