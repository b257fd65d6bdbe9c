"""The compiled GridSample gives exactly the numbers of the evaluation, wherever the points are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.tensors import Array
from tests.support.ir import build
from tests.support.sample import param
from tests.support.skips import needs_numba

SIZES = [((2, 3, 7, 9), (2, 11, 30, 2)), ((1, 1, 1, 1), (1, 3, 2, 2)), ((3, 5, 40, 1), (3, 1, 300, 2))]
ODD = [np.nan, np.inf, -np.inf, 1e30, -1e30, -1.0, 1.0, 0.0, -0.0, 3e5]


def sample_points(shape: tuple[int, ...]) -> Array:
    rng = np.random.default_rng(4)
    points = rng.uniform(-2.5, 2.5, shape).astype(np.float32)
    flat = points.reshape(-1)
    flat[rng.permutation(flat.size)[: len(ODD)]] = ODD[: flat.size]
    return points


@needs_numba
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_numbers_are_those_of_the_evaluation(mode: str, padding: str, threads: int) -> None:
    for (shape, grid), corners in product(SIZES, (False, True)):
        data = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
        ir = build("GridSample", 9, [param(data), param(sample_points(grid))], attributes, 1)
        inputs = [data, sample_points(grid)]
        compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"INFERENCE_NUM_THREADS": threads})
        plain = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": False})
        np.testing.assert_array_equal(compiled(inputs)[0], plain(inputs)[0], f"{shape} {corners}")
        (step,) = make_plan(compiled.model, {}, 2**30).steps
        assert step.variant == "taps, numba"
