"""Samples of RandomUniform-8: the numbers of its page, of OpenVINO's CPU and of PyTorch."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CPU_F32 = "the CPU computes f64 and f16 in f32, and so draws other numbers"
CPU_BF16 = "the CPU draws other numbers on processors without bf16; with it, these"
CPU_I32 = "the CPU takes i64 for i32"


def seeded(type: str, global_seed: int, op_seed: int, alignment: str = "tensorflow") -> dict[str, object]:
    return {"output_type": type, "global_seed": global_seed, "op_seed": op_seed, "alignment": alignment}


def philox(shape: Array, low: Array, high: Array) -> Array:
    """Return the f32 numbers of seeds 150 and 10 by Philox 4x32-10, one word after the other."""
    numbers: list[np.float32] = []
    count = int(np.prod(shape))
    for n in range(-(-count // 4)):
        a, b, c, d, key, counter = n, 0, 10, 0, 150, 0
        for _ in range(10):
            first, second = a * 0xD2511F53, c * 0xCD9E8D57
            a, b = (second >> 32) ^ b ^ key, second & 0xFFFFFFFF
            c, d = (first >> 32) ^ d ^ counter, first & 0xFFFFFFFF
            key, counter = (key + 0x9E3779B9) & 0xFFFFFFFF, (counter + 0xBB67AE85) & 0xFFFFFFFF
        numbers += [np.float32((word & 0x7FFFFF) / 2**23) for word in (a, b, c, d)]
    scaled: Array = np.array(numbers[:count]) * (high - low) + low
    return scaled.reshape(tuple(shape.tolist()))


PAGE = [[0.7011236, 0.30539632, 0.93931055], [0.9456035, 0.11694777, 0.50770056], [0.5197197, 0.22727466, 0.991374]]
# f16 takes the low ten bits of the words of which f32 takes 23.
PAGE_F16 = [(round(float(np.float32(number)) * 2**23) & 1023) / 1024 for number in PAGE[0]]

SAMPLES = [
    Sample(
        "RandomUniform", 8, [const([3, 3]), const(0.0), const(1.0)], seeded("f32", 150, 10),
        expected=[[0.7011236, 0.30539632, 0.93931055], [0.9456035, 0.11694777, 0.50770056],
        [0.5197197, 0.22727466, 0.991374]],
    ),
    Sample(
        "RandomUniform", 8, [const([2, 2]), const(2, "f64"), const(10, "f64")], seeded("f64", 80, 100),
        expected=[[5.65927959, 4.23122376], [2.67008206, 2.36423758]], openvino=CPU_F32,
    ),
    Sample("RandomUniform", 8, [const([2, 3]), const(50, "i32"), const(100, "i32")], seeded("i32", 80, 100),
        expected=[[65, 70, 56], [59, 82, 92]]),
    Sample("RandomUniform", 8, [const([5, 3, 2], "i32"), const([-3.0]), const([3.0])],
           seeded("f32", 2**40 + 7, 2**50 + 3)),
    Sample("RandomUniform", 8, [const([2, 3]), const(0.0), const(1.0)], seeded("f32", -2, -(2**63)), name="negative"),
    Sample("RandomUniform", 8, [param([5, 3, 2], "i32"), param([-3.0]), const([3.0])], seeded("f32", 150, 10),
           oracle=philox, openvino="the CPU refuses an unknown rank",
           openvino_shapes="OpenVINO infers rank 5 for a shape of two to five numbers"),
    Sample("RandomUniform", 8, [const([2, 2]), param(-3.0), param([3.0])], seeded("f32", 150, 10), oracle=philox,
           shapes=[["", "?"], ["...", "1"]]),
    Sample("RandomUniform", 8, [const([7]), param(-7), param(1000)], seeded("i64", 3, 0)),
    Sample("RandomUniform", 8, [const([4]), const(2, "bf16"), const(10, "bf16")], seeded("bf16", 150, 10),
           expected=[8.6875, 5.625, 7.25, 2.5625], openvino=CPU_BF16),
    Sample("RandomUniform", 8, [const([3]), const(0, "f16"), const(1, "f16")], seeded("f16", 150, 10),
           expected=PAGE_F16, openvino=CPU_F32),
    Sample("RandomUniform", 8, [const([0, 3]), const(0.0), const(1.0)], seeded("f32", 1, 1)),
    Sample("RandomUniform", 8, [const([]  , "i64"), const(0.0), const(1.0)], seeded("f32", 150, 10),
        expected=0.7011236, openvino="the CPU does not take a scalar"),
    Sample("RandomUniform", 8, [const([3, 7]), const(-7.0), const(1000.0)], seeded("f32", 150, 10, "pytorch")),
    Sample("RandomUniform", 8, [const([9]), const(0.0), const(1.0)], seeded("f32", 150, 0, "pytorch"), rtol=1e-3,
           expected=[0.5975, 0.5446, 0.0407, 0.5811, 0.6797, 0.3908, 0.1752, 0.3647, 0.7076], atol=1e-4),
    Sample("RandomUniform", 8, [const([4]), const(0, "f64"), const(1, "f64")], seeded("f64", 150, 0, "pytorch"),
        atol=1e-4,
           expected=[0.7799, 0.3259, 0.4377, 0.4013], openvino=CPU_F32),
    Sample("RandomUniform", 8, [const([5]), const(2), const(2**40)], seeded("i64", 150, 0, "pytorch"),
           expected=[983285144484, 1080538223861, 1032707204406, 431020815532, 612300242351], openvino=CPU_I32),
    Sample("RandomUniform", 8, [const([5]), const(2, "i32"), const(10, "i32")], seeded("i32", 150, 10, "pytorch"),
        expected=[6, 4, 5, 3, 2]),
    Sample("RandomUniform", 8, [const([5]), const(2, "bf16"), const(10, "bf16")], seeded("bf16", 150, 10, "pytorch"),
           expected=[9.125, 7.8125, 9.875, 2.78125, 9.5], openvino=CPU_BF16),
]  # fmt: skip

LIMITS = [const(0.0), const(1.0)]

ERRORS = [
    ErrorSample("RandomUniform", 8, ["i64[]", *LIMITS], seeded("f32", 1, 1), part="shape", says="rank 0"),
    ErrorSample("RandomUniform", 8, ["u8[2]", *LIMITS], seeded("f32", 1, 1), part="shape", says="u8"),
    ErrorSample("RandomUniform", 8, [const([2, -1]), *LIMITS], seeded("f32", 1, 1), part="shape",
        says="shape[1] is -1"),
    ErrorSample("RandomUniform", 8, ["i64[2]", *LIMITS], seeded("i32", 1, 1), part="minval", says="f32"),
    ErrorSample("RandomUniform", 8, ["i64[2]", const(0.0), "f32[2]"], seeded("f32", 1, 1), part="maxval", says="[2]"),
    ErrorSample("RandomUniform", 8, ["i64[2]", const(1.0), const(1.0)], seeded("f32", 1, 1), part="maxval", says="1.0"),
    ErrorSample("RandomUniform", 8, ["i64[2]", "u8[]", "u8[]"], seeded("u8", 1, 1), part="output_type", says="u8"),
    ErrorSample("RandomUniform", 8, [param([2, 2]), param(3.0), param(1.0)], seeded("f32", 1, 1), code="IR701",
        says="above minval"),
]  # fmt: skip
