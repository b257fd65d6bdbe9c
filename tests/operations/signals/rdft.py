"""Samples of RDFT-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.signals._sums import axes_from_front, normal, pairs, transform
from tests.support.sample import ErrorSample, Sample, const, param


def oracle(data: Array, axes: Array, sizes: Array | None = None) -> Array:
    transformed_axes = axes_from_front(axes, data.ndim)
    transformed = transform(data.astype(np.float64), transformed_axes, None if sizes is None else sizes.tolist(), -1)
    return pairs(np.take(transformed, range(transformed.shape[transformed_axes[-1]] // 2 + 1), transformed_axes[-1]))


SAMPLES = [
    Sample("RDFT", 9, [param(normal(2, 5, 6)), const([1, 2])], oracle=oracle, rtol=1e-4, atol=1e-4,
        shapes=[["?,3..5,..7"]]),
    Sample("RDFT", 9, [param(normal(9)), const([-1], "i32")], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("RDFT", 9, [param(normal(3, 4)), const([-1, 0])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("RDFT", 9, [param(normal(2, 5, 6, 4)), const([3, 1, 2]), const([3, 4, 5])], oracle=oracle, rtol=1e-4,
        atol=1e-4),
    Sample("RDFT", 9, [param(normal(2, 5, 6, 4)), const([3, 1, 2]), const([7, -1, 9])], oracle=oracle, rtol=1e-4,
        atol=1e-4,
           openvino="the CPU cannot fill with zeros, nor take -1"),
    Sample("RDFT", 9, [param(normal(2, 5, 6)), param([1, 2]), param([4, 3])], oracle=oracle, rtol=1e-4, atol=1e-4,
           openvino="the CPU wants to know the axes"),
    Sample("RDFT", 9, [param(normal(2, 6), "f16"), const([1])], oracle=oracle, rtol=1e-2, atol=1e-2),
    Sample("RDFT", 9, [param(normal(2, 6), "f64"), const([1])], oracle=oracle, openvino="the CPU has no f64 here",
           openvino_shapes="OpenVINO takes f16, bf16 and f32, the page every floating-point type"),
    Sample("RDFT", 9, [param(normal(0, 6)), const([1])], expected=np.zeros((0, 4, 2)),
        openvino="the CPU does not take empty data"),
]  # fmt: skip

ERRORS = [
    ErrorSample("RDFT", 9, ["i32[4]", const([0])], part="data", says="i32"),
    ErrorSample("RDFT", 9, ["f32[4,5]", const([2])], part="axes", says="[-2, 1]"),
    ErrorSample("RDFT", 9, ["f32[4,5]", const([1, -1])], part="axes", says="twice"),
    ErrorSample("RDFT", 9, ["f32[4,5]", const(np.zeros(0), "i64")], part="axes", says="at least one"),
    ErrorSample("RDFT", 9, ["f32[4,5]", const(1)], part="axes", says="rank 0"),
    ErrorSample("RDFT", 9, ["f32[4,5]", const([0, 1]), const([3])], part="signal_size", says="1 elements"),
    ErrorSample("RDFT", 9, ["f32[4,5]", const([0, 1]), const([3, -2])], part="signal_size",
        says="signal_size[1] is -2"),
    ErrorSample("RDFT", 9, [param(normal(3)), param([0]), param([0])], code="IR701", says="signal_size[0] is 0"),
]  # fmt: skip
