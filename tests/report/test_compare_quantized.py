"""`compare` of the planned run of an int8 model, whose layers are computed with levels."""

from __future__ import annotations

from pathlib import Path

import openvino as ov
import pytest
from openvino import opset13 as ops

import ir_plugin
from ir_plugin.kernels.numba.availability import numba_installed
from tests.support.passes import data, model_of
from tests.support.planned import PROVIDERS, variants
from tests.support.quantized import integer_weights, on_levels, rounded

SHAPE = [1, 16, 9, 11]
PLANNED = [
    "fakequantize",
    "fakequantize2",
    "fakequantize4",
    "groupconvolution",
    "reducemean",
    "fakequantize5",
    "matmul",
]
"""The layers whose outputs a plan computes: the second FakeQuantize and the sum are parts of the fourth one's."""


def write(path: Path, seed: int = 3) -> Path:
    """Write a network of convolutions with a residual sum; `seed` is that of the second one's weights."""
    x = data(*SHAPE)
    y = ops.convolution(rounded(x), integer_weights([24, 16, 3, 3]), [1, 1], [1, 1], [1, 1], [1, 1])
    y = rounded(ops.relu(y), 0, scale=0.4)
    z = ops.convolution(y, integer_weights([24, 24, 1, 1], seed), [1, 1], [0, 0], [0, 0], [1, 1])
    y = rounded(ops.add(rounded(z, 100, scale=0.3), y), 90, scale=0.5)
    y = ops.group_convolution(y, integer_weights([24, 1, 1, 3, 3], 5), [1, 1], [1, 1], [1, 1], [1, 1])
    y = rounded(ops.reduce_mean(y, [2, 3], False), scale=0.1)
    ov.serialize(model_of(ops.matmul(y, integer_weights([10, 24], 6), False, True), [x]), path)
    return path


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("reference", ["openvino", "plain"])
def test_levels_are_compared_as_what_they_mean(reference: str, fed: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "m.xml")
    kernels = variants(tmp_path, PROVIDERS[-1])
    assert kernels["QuantizedConvolution"] == kernels["QuantizedMatMul"] == "int8" + ", numba" * numba_installed()
    source = reference if reference == "openvino" else path
    comparison = ir_plugin.compare(path, source, [on_levels(SHAPE)], fed=fed, planned=True)
    assert [output.name for output in comparison] == PLANNED
    assert comparison.agrees
    assert not comparison.unmatched


@pytest.mark.parametrize("reference", ["openvino", "plain"])
def test_changed_weights_of_integers_are_the_culprit(reference: str, tmp_path: Path) -> None:
    path, changed = write(tmp_path / "m.xml"), write(tmp_path / "changed.xml", 4)
    of = path if reference == "openvino" else None
    source = "openvino" if of else path
    for fed in (False, True):
        comparison = ir_plugin.compare(changed, source, [on_levels(SHAPE)], of=of, fed=fed, planned=True)
        assert [output.name for output in comparison.culprits] == ["fakequantize4"]
        assert comparison["fakequantize2"].agrees
        assert comparison["matmul"].agrees == fed
