"""Integer products in AMX's tiles, against those in registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin.kernels import policy
from tests.compiler.test_integers import graph
from tests.support.passes import compiled, data, model_of
from tests.support.quantized import integer_weights, on_levels, rounded
from tests.support.skips import COMPILED, NO_AMX

pytest.importorskip("numba", reason=COMPILED)
target = pytest.importorskip("ir_plugin.kernels.numba.runtime.target", reason=COMPILED)
integer_convolution = pytest.importorskip("ir_plugin.kernels.numba.integer_convolution")
tile_products = pytest.importorskip("ir_plugin.kernels.numba.gemm.tile_products")
pytestmark = pytest.mark.skipif(not target.may_use_tiles(), reason=NO_AMX)

Array = np.ndarray[Any, Any]

TILED = {
    "a run of pads": ([40, 24, 3, 3], [2, 24, 9, 11], 1),
    "lines of a tile": ([64, 64, 3, 3], [1, 64, 14, 14], 1),
    "lines that tiles cross": ([33, 48, 3, 3], [1, 48, 7, 7], 1),
    "two pixels apart": ([32, 20, 1, 1], [1, 20, 17, 33], 2),
    "channels that fill no quad": ([70, 3, 7, 7], [1, 3, 40, 40], 2),
    "groups": ([3, 32, 16, 3, 3], [1, 48, 12, 20], 1),
    "one pixel": ([130, 200, 1, 1], [1, 200, 1, 1], 1),
}
"""Filters, the shape of the data, and strides."""


def results(model: ov.Model, inputs: Array) -> list[Array]:
    """Return what one thread and two compute."""
    return [compiled(model, PROVIDER="numba", INFERENCE_NUM_THREADS=threads)([inputs])[0] for threads in (1, 2)]


@pytest.mark.parametrize("following", ["f32", "u8", "hswish"])
@pytest.mark.parametrize("name", TILED)
def test_tiles_compute_what_registers_do(name: str, following: str, monkeypatch: pytest.MonkeyPatch) -> None:
    filters, shape, stride = TILED[name]
    sizes = {"filters": filters, "shape": shape, "strides": [stride] * 2, "pads": [int(filters[-1] > 1)] * 2}
    model, inputs = graph({**sizes, "dilations": [1, 1], "zero": 128, "next": following, "seed": 4})
    monkeypatch.setattr(policy, "TILES_MIN_QUADS", -(2**62))
    monkeypatch.setattr(policy, "TILES_MIN_ROWS", 0)
    by_tiles = results(model, inputs)
    monkeypatch.setattr(tile_products, "may_use_tiles", lambda: False)
    by_registers = results(model, inputs)
    for result in (*by_tiles[1:], *by_registers):
        np.testing.assert_array_equal(result, by_tiles[0])


@pytest.mark.parametrize("is_cut", [False, True])
@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize("filters", [[33, 33, 1, 1], [64, 64, 3, 3]])
def test_levels_of_an_operand_are_added(
    filters: list[int], rounds: bool, is_cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, pads = data(2, filters[1], 9, 13), [filters[-1] // 2] * 2
    levels = rounded(x)
    y = ops.convolution(levels, integer_weights(filters), [1, 1], pads, pads, [1, 1])
    sums = ops.add(rounded(y, 100, scale=0.3) if rounds else y, levels)
    result = rounded(ops.relu(sums) if is_cut else sums, 0 if is_cut else 90, scale=0.11)
    result = ops.convolution(result, integer_weights([20, filters[0], 1, 1]), [1, 1], [0, 0], [0, 0], [1, 1])
    model, inputs = model_of(result, [x]), on_levels([2, filters[1], 9, 13])
    monkeypatch.setattr(policy, "TILES_MIN_QUADS", -(2**62))
    residual, matched = integer_convolution._residual, []

    def recorded(*arguments: Any) -> Any:
        matched.append(residual(*arguments))
        return matched[-1]

    monkeypatch.setattr(integer_convolution, "_residual", recorded)
    by_tiles = results(model, inputs)
    assert sum(item is not None for item in matched) == len(by_tiles)
    monkeypatch.setattr(integer_convolution, "_residual", lambda *_arguments: None)
    by_rows = results(model, inputs)
    monkeypatch.setattr(tile_products, "may_use_tiles", lambda: False)
    by_numpy = compiled(model, PROVIDER="numpy")([inputs])[0]
    for other in (*by_tiles[1:], *by_rows, *results(model, inputs), by_numpy):
        np.testing.assert_array_equal(other, by_tiles[0])
