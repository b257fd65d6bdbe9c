"""Where numba cannot be used, PROVIDER=numba says why, and auto goes on with NumPy after one note."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ir_plugin.kernels.numba.availability import (
    Lazy,
    compiled_kernel,
)
from ir_plugin.kernels.numba.provider import NumbaKernels
from ir_plugin.kernels.provider import NUMPY, KernelProvider, NumpyKernels
from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
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
    output, log = run("auto", name, PYTHONPATH=str(tmp_path))
    assert output == "True"
    note = f"NumPy's kernels are used: {reason}"
    assert log.startswith("" if name == "absent" else note)
    assert log.count("\n") == (0 if name == "absent" else 1)
    assert run("numpy", name, PYTHONPATH=str(tmp_path)) == ("True", "")


@needs_numba
def test_a_compiler_that_is_switched_off() -> None:
    output, log = run("auto", NUMBA_DISABLE_JIT="1")
    assert output == "True"
    assert log.count("NUMBA_DISABLE_JIT") == 1
    assert log.count("\n") == 1
    assert "which cannot be used: the environment variable NUMBA_DISABLE_JIT" in run("numba", NUMBA_DISABLE_JIT="1")[0]


def test_every_kernel_of_the_interface_is_compiled() -> None:
    members = [name for name in vars(KernelProvider) if not name.startswith("_")]
    assert len(members) > 20
    assert set(members) <= set(vars(NumbaKernels))  # of which `warm` imports all
    assert [name for name in members if getattr(NumbaKernels, name) is getattr(KernelProvider, name)] == []
    assert all(
        getattr(NUMPY, name) in (None, False) for name in members if isinstance(getattr(NumpyKernels, name), property)
    )


@needs_numba
def test_every_kernel_of_the_interface_is_imported() -> None:
    for name, member in vars(NumbaKernels).items():
        assert not isinstance(member, Lazy) or member.load() is not None, name


def test_a_kernel_that_cannot_be_compiled_is_noted(caplog: pytest.LogCaptureFixture) -> None:
    def fail(size: int) -> int:
        raise ImportError(f"kernel_of_{size} cannot be compiled: no registers\nare left")

    with caplog.at_level(logging.WARNING, "ir_plugin"):
        assert compiled_kernel(fail, 4) is None
    assert [record.getMessage() for record in caplog.records] == [
        "a compiled kernel cannot be used, and NumPy's is: kernel_of_4 cannot be compiled: no registers"
    ]
    assert compiled_kernel(abs, -4) == 4
