"""Without ml_dtypes and threadpoolctl everything runs, and numbers of small types are the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.bare import results_of, small_samples

ROOT = Path(__file__).parents[2]
BLOCK = "import sys; sys.modules.update(ml_dtypes=None, threadpoolctl=None); "
COMPUTE = """
import numpy, sys
from tests.support.bare import faults_of, results_of, small_samples

results = {}
for name, sample in small_samples().items():
    faults = list(faults_of(name, sample))
    assert not faults, faults
    for position, (type, array) in enumerate(results_of(sample, optimize=False)):
        results[f"{name}/{position}"] = array.astype("f8")
numpy.savez(sys.argv[1], **results)
"""


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", "-c", BLOCK + program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_small_types_have_the_same_numbers(tmp_path: Path) -> None:
    run(COMPUTE, str(tmp_path / "results.npz"))
    computed = np.load(tmp_path / "results.npz")
    for name, sample in small_samples().items():
        for position, (type, array) in enumerate(results_of(sample, optimize=False)):
            np.testing.assert_array_equal(computed[f"{name}/{position}"], array.astype("f8"), f"{name} {type}")


def test_tensors_show_bits() -> None:
    program = """
import numpy as np
import ir_plugin as ov

tensor = ov.Tensor(ov.Type.bf16, [2])
tensor.data[:] = np.array([0x3FC0, 0xC000], np.uint16).view(np.float16)
small = ov.Tensor(ov.Type.f8e4m3, [2])
small.data[:] = [0x38, 0xFF]
print(tensor.data.dtype, tensor.values, small.data, small.values, tensor.byte_size, ov.Type.bf16.to_dtype())
"""
    assert "".join(run(program).split()) == "float16[1.5-2.][56255][1.nan]4float16"


def test_inputs_are_rounded() -> None:
    program = """
import numpy as np
import ir_plugin as ov
from ir_plugin import opset13 as op

data = op.parameter([2], ov.Type.bf16)
request = ov.Core().compile_model(ov.Model([op.relu(data)], [data])).create_infer_request()
request.infer([np.array([1.001, 3.3], np.float32)])
print(request.get_output_tensor(0).data.view(np.uint16), request.get_output_tensor(0).values)
"""
    assert "".join(run(program).split()) == "[1625616467][1.3.296875]"


@pytest.mark.parametrize("command", ["samples/digits/classify.py", "samples/digits/digits.xml"])
def test_the_demo_and_the_check_run(command: str) -> None:
    if command.endswith(".py"):
        assert "digits" in run("import runpy; runpy.run_path(sys.argv[1], run_name='__main__')", command)
    else:
        run("from ir_plugin.cli import main; sys.argv = ['ir-plugin', 'check', sys.argv[1]]; sys.exit(main())", command)
