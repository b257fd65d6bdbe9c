"""A model whose f32 weights exceed the memory, but whose packed weights do not, opens and runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from tests.support.planned import PROVIDERS

WIDTH, LAYERS = 4096, 6
MEBIBYTE = 2**20
EXPANDED = LAYERS * WIDTH * WIDTH * 4

_RUN = """
import resource, sys
import numpy as np
import ir_plugin as ov

def status(key):
    line = next(line for line in open("/proc/self/status") if line.startswith(key))
    return int(line.split()[1]) * 1024

path, provider, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
core = ov.Core()
small = core.compile_model(sys.argv[4], "CPU", {"PROVIDER": provider})
small([np.ones((1, 64), np.float32)])
small([np.ones((40, 64), np.float32)])
before = status("VmRSS")
resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + limit,) * 2)
compiled = core.compile_model(path, "CPU", {"PROVIDER": provider})
for rows in (1, 40, 1):
    result = compiled([np.full((rows, int(sys.argv[5])), 0.01, np.float32)])[0]
print(result.ravel()[:4].tolist(), (status("VmHWM") - before) // 2**20)
"""


def write(path: Path, width: int, layers: int, experts: bool = False) -> None:
    """Write a model of products with weights of u4 in groups of 64, which with `experts` are one batch."""
    rng = np.random.default_rng(0)
    x = ops.parameter([-1, width], np.float32)
    y = x
    for _ in range(1 if experts else layers):
        lead = [layers] if experts else []
        shape = [*lead, width, width // 64, 64]
        codes = ops.convert(ops.constant(rng.integers(0, 16, shape, np.uint8), ov.Type.u4), np.float16)
        centred = ops.subtract(codes, ops.constant(np.float16(8)))
        scaled = ops.multiply(centred, ops.constant(np.full([*shape[:-1], 1], 0.003, np.float16)))
        weights = ops.convert(ops.reshape(scaled, np.array([*lead, width, width]), False), np.float32)
        y = ops.matmul(y, weights, False, True)
    ov.save_model(ov.Model([y], [x], "compressed"), path, compress_to_fp16=False)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("experts", [False, True])
def test_packed_weights_are_not_expanded(provider: str, experts: bool, tmp_path: Path) -> None:
    write(tmp_path / "large.xml", WIDTH, LAYERS, experts)
    write(tmp_path / "small.xml", 64, 1, experts)
    limit = EXPANDED * 3 // 4
    assert (tmp_path / "large.bin").stat().st_size < EXPANDED // 6
    arguments = [tmp_path / "large.xml", provider, limit, tmp_path / "small.xml", WIDTH]
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout.split()[-1])
    assert grown * MEBIBYTE < EXPANDED * 0.45
