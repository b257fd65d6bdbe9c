"""Where numba cannot be used, PROVIDER=numba says why, and auto goes on with NumPy after one note.

An empty cache is seen before a broken numba, which auto does not import; `ir-plugin warm` tells of it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from ir_plugin.kernels import keys
from ir_plugin.kernels.numba.provider import NUMBA
from ir_plugin.kernels.registry import NUMPY, JobKey, KernelKey, Provider, register
from ir_plugin.kernels.thread_pool import ThreadPool
from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
KEYS = [key for key in vars(keys).values() if isinstance(key, KernelKey)]
RUN = """
import sys
if "absent" in sys.argv:
    sys.modules["numba"] = None
import numpy as np
from ir_plugin import Core
from ir_plugin.errors import InputError

core = Core()
try:
    core.set_property({"PROVIDER": "numba"}) if "set" in sys.argv else None
    compiled = core.compile_model("samples/digits/digits.xml", config={"PROVIDER": sys.argv[1]})
    other = core.compile_model("samples/digits/digits.xml", config={"PROVIDER": sys.argv[1]})
except InputError as fault:
    print(fault)
else:
    plain = core.compile_model("samples/digits/digits.xml", config={"PROVIDER": "numpy"})
    shape = [1 if length.is_dynamic else len(length) for length in compiled.input(0).partial_shape]
    images = np.random.default_rng(0).random(shape, np.float32)
    print(all(np.array_equal(one(images)[0], plain(images)[0]) for one in (compiled, other)))
"""
USABLE = "__version__ = '99.0'\nclass config:\n    DISABLE_JIT = 0\n"
PACKAGES = {
    "absent": (USABLE, 'numba is not installed; pip install "numba>=0.61"'),
    "does not fit NumPy": (
        "raise ImportError('Numba needs NumPy 2.4 or less. Got NumPy 2.9.\\nRead on')",
        "numba cannot be imported: Numba needs NumPy 2.4 or less. Got NumPy 2.9.",
    ),
    "broken": ("import os\nos.nothing", "numba cannot be imported: module 'os' has no attribute 'nothing'"),
    "no package": ("", "numba cannot be imported: module 'numba' has no attribute '__version__'"),
    "old": (USABLE.replace("99.0", "0.60.0"), "numba 0.60.0 is too old, and 0.61 is needed"),
    "switched off": (USABLE.replace("JIT = 0", "JIT = 1"), "the environment variable NUMBA_DISABLE_JIT"),
    "without a compiler": (USABLE, "numba 99.0 cannot compile the kernels: "),
}
"""Packages that are called numba, and why they cannot be used."""


def run(*arguments: str, **environment: str) -> tuple[str, str]:
    """Return what a process prints, and what it says beside it."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN, *arguments],
        cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize("name", PACKAGES)
def test_a_numba_that_cannot_be_used(name: str, tmp_path: Path) -> None:
    text, reason = PACKAGES[name]
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(text, "utf-8")
    output, log = run("numba", name, PYTHONPATH=str(tmp_path))
    assert output.startswith(f"the property PROVIDER is 'numba', which cannot be used: {reason}")
    assert output.endswith("or write 'auto'")
    assert log == ""
    assert run("auto", name, "set", PYTHONPATH=str(tmp_path))[0] == output
    output, log = run("auto", name, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR=str(tmp_path / "kernels"))
    assert output == "True"
    note = "are not compiled, and NumPy's do their work" if find_spec("llvmlite") else f"are used: {reason}"
    assert ("" if name == "absent" else note) in log
    assert log.count("\n") == (0 if name == "absent" else 1)
    assert run("numpy", name, PYTHONPATH=str(tmp_path)) == ("True", "")


@needs_numba
def test_a_compiler_that_is_switched_off() -> None:
    output, log = run("auto", NUMBA_DISABLE_JIT="1")
    assert output == "True"
    assert log.count("NUMBA_DISABLE_JIT") == 1
    assert log.count("\n") == 1
    assert "which cannot be used: the environment variable NUMBA_DISABLE_JIT" in run("numba", NUMBA_DISABLE_JIT="1")[0]


def test_numpy_has_no_kernel_of_the_registry() -> None:
    assert all(NUMPY.find(key) is None for key in KEYS)


@needs_numba
def test_every_kernel_of_the_registry_is_imported() -> None:
    assert len(KEYS) > 20
    for key in KEYS:
        assert NUMBA.find(key) is not None, key.module


def test_a_kernel_that_cannot_be_compiled_is_noted(caplog: pytest.LogCaptureFixture) -> None:
    key: KernelKey[Callable[[int], int]] = KernelKey("of_a_test")

    @register(key)
    def double(size: int) -> int:
        if size > 2:
            raise ImportError(f"kernel_of_{size} cannot be compiled: no registers\nare left")
        return 2 * size

    provider = Provider(lambda name: name == "of_a_test")
    with caplog.at_level(logging.WARNING, "ir_plugin"):
        assert provider.build(key, 4) is None
    assert [record.getMessage() for record in caplog.records] == [
        "a compiled kernel cannot be used, and NumPy's is: kernel_of_4 cannot be compiled: no registers"
    ]
    assert provider.build(key, 2) == 4
    assert Provider(lambda _name: False).build(key, 2) is None


def test_jobs_are_made_for_spin_pools_only() -> None:
    key: JobKey[Callable[[ThreadPool], str]] = JobKey("of_a_test")
    register(key)(lambda _pool: "job")

    class Spinning(ThreadPool):
        is_spin_pool = True

    assert Provider(lambda _name: True).build(key, Spinning(1)) == "job"
    assert Provider(lambda _name: True).build(key, ThreadPool(1)) is None
