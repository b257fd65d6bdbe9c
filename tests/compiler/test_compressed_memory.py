"""Packed weights stay packed: a model whose f32 weights exceed the memory runs, in no more than OpenVINO takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import openvino
import pytest
from openvino import opset13

import ir_plugin as ov
from benchmarks.decoders import EXACT, Builder, Decoder, generate
from ir_plugin import opset13 as ops
from tests.support.memory import STATUS
from tests.support.planned import PROVIDERS

WIDTH, LAYERS = 4096, 6
EXPANDED = LAYERS * WIDTH * WIDTH * 4
MAX_OF_OPENVINO = 1.3

_RUN = (
    STATUS
    + """
import sys
import numpy as np
import ir_plugin as ov

path, provider, small = sys.argv[1:4]
width, lead = int(sys.argv[4]), int(sys.argv[5])
core = ov.Core()

def data(rows, width):
    return np.full((lead, rows, width) if lead else (rows, width), 0.01, np.float32)

small = core.compile_model(small, "CPU", {"PROVIDER": provider})
small([data(1, 64)])
small([data(40, 64)])
before = status("VmRSS")
compiled = core.compile_model(path, "CPU", {"PROVIDER": provider})
for rows in (1, 40, 1):
    compiled([data(rows, width)])
print(status("VmHWM") - before)
"""
)
_PEAK = (
    STATUS
    + """
import sys
import numpy as np

path, library, width, lead = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
config = {"INFERENCE_NUM_THREADS": 2}
if library == "openvino":
    import openvino as ov
    config |= {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
else:
    import ir_plugin as ov
    config |= {"PROVIDER": library}
compiled = ov.Core().compile_model(path, "CPU", config)
for rows in (1, 40, 1):
    compiled([np.full((lead, rows, width) if lead else (rows, width), 0.01, np.float32)])
print(status("VmHWM"))
"""
)
_DECODE = (
    STATUS
    + """
import sys
import numpy as np
import ir_plugin as ov
from benchmarks.decoders import generate

path, provider, small, target = sys.argv[1:]

def logits(path):
    request = ov.Core().compile_model(path, "CPU", {"PROVIDER": provider}).create_infer_request()
    return generate(request, 3, 30, 1)[2]

logits(small)
before = status("VmRSS")
np.save(target, np.stack(logits(path)))
print(status("VmHWM") - before)
"""
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")


def write(path: Path, width: int, layers: int, experts: bool = False) -> None:
    """Write a model of products with weights of u4 in groups of 64, which with `experts` are one batch."""
    rng = np.random.default_rng(0)
    x = ops.parameter([layers, -1, width] if experts else [-1, width], np.float32)
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


def output_of(script: str, *arguments: object) -> str:
    """Return what a script prints in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@linux
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("experts", [False, True])
def test_packed_weights_are_not_expanded(provider: str, experts: bool, tmp_path: Path) -> None:
    lead = LAYERS * experts
    write(tmp_path / "large.xml", WIDTH, LAYERS, experts)
    write(tmp_path / "small.xml", 64, LAYERS, experts)
    assert (tmp_path / "large.bin").stat().st_size < EXPANDED // 6
    taken = output_of(_RUN, tmp_path / "large.xml", provider, tmp_path / "small.xml", WIDTH, lead)
    assert int(taken) < EXPANDED / 2


@linux
def test_the_peak_is_near_that_of_openvino(tmp_path: Path) -> None:
    """OpenVINO expands the weights of a batch, so that its peak says nothing of experts."""
    write(tmp_path / "m.xml", WIDTH, LAYERS)
    judge, *peaks = (
        int(output_of(_PEAK, tmp_path / "m.xml", library, WIDTH, 0)) for library in ("openvino", *PROVIDERS)
    )
    assert max(peaks) < MAX_OF_OPENVINO * judge, [judge, *peaks]


@pytest.fixture(scope="module")
def decoders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of a decoder with weights of int4, and of a small one."""
    folder = tmp_path_factory.mktemp("decoders")
    for name, (width, layers) in {"large": (1536, 5), "small": (384, 1)}.items():
        decoder = Decoder(name, "llama_int4", layers=layers, width=width, heads=width // 64, shared=2)
        openvino.save_model(Builder(decoder, opset13).model(), folder / f"{name}.xml", compress_to_fp16=False)
    return folder


@linux
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_decoder_decodes_in_less_than_its_expanded_weights(provider: str, decoders: Path, tmp_path: Path) -> None:
    path, small, target = decoders / "large.xml", decoders / "small.xml", tmp_path / "logits.npy"
    expanded = (decoders / "large.bin").stat().st_size * 7
    assert int(output_of(_DECODE, path, provider, small, target)) < expanded * 3 // 4
    request = openvino.Core().compile_model(path, "CPU", EXACT).create_infer_request()
    expected, actual = np.stack(generate(request, 3, 30, 1)[2]), np.load(target)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
