"""Samples of IRDFT-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.signals._sums import axes_from_front, joined, normal, transform
from tests.support.sample import ErrorSample, Sample, const, param


def oracle(data: Array, axes: Array, sizes: Array | None = None) -> Array:
    numbers, chosen = joined(data), axes_from_front(axes, data.ndim - 1)
    half_axis = chosen[-1]
    requested = [-1] * len(chosen) if sizes is None else sizes.tolist()
    size = 2 * (numbers.shape[half_axis] - 1) if requested[-1] == -1 else requested[-1]
    numbers = transform(numbers, chosen[:-1], requested[:-1], 1) / np.prod(
        [n if n != -1 else numbers.shape[axis] for axis, n in zip(chosen[:-1], requested[:-1], strict=True)]
    )
    half = np.moveaxis(numbers, half_axis, 0)[: size // 2 + 1]
    half = np.concatenate([half, np.zeros((size // 2 + 1 - len(half), *half.shape[1:]))])
    full = np.concatenate([half, np.conj(half[1 : size - size // 2][::-1])])
    full[0] = full[0].real
    if size % 2 == 0:
        full[size // 2] = full[size // 2].real
    return np.moveaxis(transform(full, [0], None, 1).real / size, 0, half_axis)


SAMPLES = [
    Sample("IRDFT", 9, [param(normal(2, 5, 6, 2)), const([1, 2])], oracle=oracle, rtol=1e-4, atol=1e-4,
        shapes=[["?,3..5,2..7,2"]]),
    Sample("IRDFT", 9, [param(normal(9, 2)), const([-1], "i32")], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IRDFT", 9, [param(normal(3, 4, 2)), const([-1, 0])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IRDFT", 9, [param(normal(3, 5, 2)), const([1]), const([9])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IRDFT", 9, [param(normal(3, 5, 2)), const([1]), const([4])], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("IRDFT", 9, [param(normal(3, 5, 2)), const([1]), const([12])], oracle=oracle,
        openvino="the CPU does not fill with zeros",
           rtol=1e-4, atol=1e-4),
    Sample("IRDFT", 9, [param(normal(2, 5, 6, 4, 2)), const([3, 1, 2]), const([7, -1, 6])], oracle=oracle, rtol=1e-4,
        atol=1e-4,
           openvino="the CPU cannot fill with zeros, nor take -1"),
    Sample("IRDFT", 9, [param(normal(2, 5, 6, 2)), param([1, 2]), param([4, 3])], oracle=oracle, rtol=1e-4, atol=1e-4,
           openvino="the CPU wants to know the axes"),
    Sample("IRDFT", 9, [param(normal(2, 5, 2), "f16"), const([1])], oracle=oracle, rtol=1e-2, atol=1e-2),
    Sample("IRDFT", 9, [param(normal(2, 5, 2), "f64"), const([1])], oracle=oracle, openvino="the CPU has no f64 here",
           openvino_shapes="OpenVINO takes f16, bf16 and f32, the page every floating-point type"),
    Sample("IRDFT", 9, [param(normal(2, 1, 2)), const([1])], expected=np.zeros((2, 0)),
        openvino="the CPU makes no empty data"),
]  # fmt: skip

ERRORS = [
    ErrorSample("IRDFT", 9, ["f32[4,3]", const([0])], part="data", says="last dimension"),
    ErrorSample("IRDFT", 9, ["f32[2]", const([0])], part="data", says="rank"),
    ErrorSample("IRDFT", 9, ["f32[4,5,2]", const([2])], part="axes", says="[-2, 1]"),
    ErrorSample("IRDFT", 9, ["f32[4,5,2]", const([1, -1])], part="axes", says="twice"),
    ErrorSample("IRDFT", 9, ["f32[4,5,2]", const(np.zeros(0), "i64")], part="axes", says="at least one"),
    ErrorSample("IRDFT", 9, ["f32[4,5,2]", const([0, 1]), const([3])], part="signal_size", says="1 elements"),
    ErrorSample("IRDFT", 9, ["f32[4,5,2]", const([0, 1]), const([3, -3])], part="signal_size",
        says="signal_size[1] is -3"),
    ErrorSample("IRDFT", 9, [param(normal(3, 2)), param([0]), param([0])], code="IR701", says="signal_size[0] is 0"),
]  # fmt: skip
