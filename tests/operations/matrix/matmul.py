"""Samples of MatMul-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(7)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def whole(*shape: int) -> Any:
    return RNG.integers(-5, 6, shape)


SAMPLES = [
    Sample(
        "MatMul",
        1,
        [param(floats(3, 4)), param(floats(4, 5))],
        shapes=[["?,4", "4,?"], ["2..4,2..4", "3..5,6"], ["...", "4,5"], ["3,4", "..."], ["0,4", "4,5"]],
    ),
    Sample("MatMul", 1, [param(floats(4)), param(floats(4))]),
    Sample("MatMul", 1, [param(floats(4)), param(floats(4, 5))], {"transpose_a": True}),
    Sample("MatMul", 1, [param(floats(3, 4)), param(floats(4))], {"transpose_b": True}),
    Sample(
        "MatMul",
        1,
        [param(floats(2, 3, 4)), const(floats(5, 4))],
        {"transpose_b": True},
        shapes=[["?,?,4"], ["1..2,3,4"], ["..."]],
    ),
    Sample("MatMul", 1, [param(floats(2, 4, 3)), const(floats(4, 5))], {"transpose_a": True}),
    Sample(
        "MatMul",
        1,
        [param(floats(2, 1, 3, 4)), param(floats(3, 4, 2))],
        shapes=[["1..2,?,3,4", "1..4,4,2"], ["2,5,3,4", "1..4,4,2"], ["?,?,3,4", "3,4,2"], ["?,1,3,4", "?,4,2"]],
    ),
    Sample(
        "MatMul", 1, [param(floats(2, 4, 3)), param(floats(3, 1, 5, 4))], {"transpose_a": True, "transpose_b": True}
    ),
    Sample("MatMul", 1, [param(floats(4)), param(floats(2, 5, 4))], {"transpose_b": True}, shapes=[["4", "?,5,4"]]),
    Sample("MatMul", 1, [param(floats(2, 4, 5)), param(floats(4))], {"transpose_a": True}),
    Sample("MatMul", 1, [param(floats(3, 4), "f16"), const(floats(4, 5), "f16")], atol=1e-2),
    Sample("MatMul", 1, [param(floats(3, 4), "bf16"), const(floats(4, 5), "bf16")], atol=3e-2),
    Sample("MatMul", 1, [param(whole(3, 4), "f64"), const(whole(4, 5), "f64")]),
    Sample("MatMul", 1, [param(whole(2, 3, 4), "i32"), const(whole(4, 5), "i32")], oracle=np.matmul),
    Sample(
        "MatMul",
        1,
        [param(2**40 + whole(3, 4)), const(whole(4, 5))],
        oracle=np.matmul,
        openvino="OpenVINO's CPU cuts 64-bit integers",
    ),
    Sample(
        "MatMul",
        1,
        [param(whole(3, 4) + 100, "u8"), const(whole(4, 2) + 5, "u8")],
        oracle=lambda a, b: (a.astype(int) @ b.astype(int)) % 256,
        openvino="OpenVINO saturates where C wraps",
    ),
    Sample("MatMul", 1, [param(floats(0, 4)), param(floats(4, 5))]),
    Sample("MatMul", 1, [param(floats(2, 0)), param(floats(0, 3))], expected=np.zeros((2, 3))),
]

ERRORS = [
    ErrorSample("MatMul", 1, ["f32[2,4]", "f32[3,4]"], part="input 1", says="4 columns"),
    ErrorSample("MatMul", 1, ["f32[2,3]", "f32[3]"], {"transpose_a": True}, part="input 1", says="transpose_a is true"),
    ErrorSample("MatMul", 1, ["f32[]", "f32[3]"], part="input 0", says="scalar"),
    ErrorSample("MatMul", 1, ["f32[2,5,3]", "f32[4,3,6]"], says="broadcast"),
    ErrorSample("MatMul", 1, ["f16[2,3]", "f32[3,4]"], says="f16"),
    ErrorSample("MatMul", 1, ["string[2,3]", "string[3,4]"], part="input 0", says="string"),
]
