"""Samples of IDFT-7."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.signals._sums import axes_from_front, joined, normal, pairs, transform
from tests.support.sample import ErrorSample, Sample, const, param


def oracle(data: Array, axes: Array, sizes: Array | None = None) -> Array:
    transformed_axes = axes_from_front(axes, data.ndim - 1)
    transformed = transform(joined(data), transformed_axes, None if sizes is None else sizes.tolist(), 1)
    return pairs(transformed / np.prod([transformed.shape[axis] for axis in transformed_axes]))


SAMPLES = [
    Sample("IDFT", 7, [param(normal(2, 5, 6, 2)), const([1, 2])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IDFT", 7, [param(normal(8, 2)), const([-1], "i32")], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IDFT", 7, [param(normal(3, 4, 2)), const([-1, 0])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IDFT", 7, [param(normal(2, 5, 6, 4, 2)), const([3, 1, 2]), const([3, -1, 7])], oracle=oracle, rtol=1e-4,
        atol=1e-4,
           shapes=[["?,2..4,..7,?,2"]]),
    Sample("IDFT", 7, [param(normal(2, 5, 6, 2)), param([1, 2]), param([7, 3])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IDFT", 7, [param(normal(2, 5, 6, 2), "f16"), const([1])], oracle=oracle, rtol=1e-2, atol=1e-2),
    Sample("IDFT", 7, [param(normal(2, 5, 6, 2), "bf16"), const([2])], oracle=oracle, atol=0.1),
    Sample("IDFT", 7, [param(normal(2, 5, 2), "f64"), const([1])], oracle=oracle, openvino="the CPU has no f64 here",
           openvino_shapes="OpenVINO takes f16, bf16 and f32, the page every floating-point type"),
    Sample("IDFT", 7, [param(normal(2, 0, 2)), const([0])], expected=np.zeros((2, 0, 2)),
        openvino="the CPU does not take empty data"),
    Sample("IDFT", 7, [param(normal(2, 3, 2)), const(np.zeros(0), "i64")],
        openvino="the CPU does not take an empty list of axes",
           oracle=lambda data, _: data),
]  # fmt: skip

ERRORS = [
    ErrorSample("IDFT", 7, ["f32[4,3]", const([0])], part="data", says="last dimension"),
    ErrorSample("IDFT", 7, ["f32[2]", const([0])], part="data", says="rank"),
    ErrorSample("IDFT", 7, ["i32[4,2]", const([0])], part="data", says="i32"),
    ErrorSample("IDFT", 7, ["f32[4,5,2]", const([2])], part="axes", says="[-2, 1]"),
    ErrorSample("IDFT", 7, ["f32[4,5,2]", const([1, -1])], part="axes", says="twice"),
    ErrorSample("IDFT", 7, ["f32[4,2]", const([0, 1])], part="axes", says="2 elements"),
    ErrorSample("IDFT", 7, ["f32[4,2]", const([0.0])], part="axes", says="f32"),
    ErrorSample("IDFT", 7, ["f32[4,5,2]", const([0, 1]), const([3])], part="signal_size", says="1 elements"),
    ErrorSample("IDFT", 7, ["f32[4,5,2]", const([0, 1]), const([3, 0])], part="signal_size",
        says="signal_size[1] is 0"),
    ErrorSample("IDFT", 7, ["f32[4,5,2]", const([0]), const([3.0])], part="signal_size", says="f32"),
    ErrorSample("IDFT", 7, [param(normal(3, 2)), param([1])], code="IR701", says="[-1, 0]"),
]  # fmt: skip
