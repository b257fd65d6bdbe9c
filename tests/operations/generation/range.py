"""Samples of Range-4 and Range-1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param


def counted(dtype: type[np.number]) -> Callable[[Array, Array, Array], Array]:
    """Return an oracle that adds the step in float64 as long as the stop is not reached."""

    def oracle(start: Array, stop: Array, step: Array) -> Array:
        whole = np.issubdtype(dtype, np.integer)
        first, end, distance = (int(value) if whole else float(value) for value in (start, stop, step))
        values: list[float] = []
        while (distance > 0 and first + len(values) * distance < end) or (
            distance < 0 and first + len(values) * distance > end
        ):
            values.append(first + len(values) * distance)
        return np.array(values).astype(dtype)

    return oracle


CPU_F32 = "the CPU counts and adds in f32 where only the run knows the inputs"

SAMPLES = [
    Sample("Range", 4, [const(2), const(23), const(3)], {"output_type": "i32"}, expected=[2, 5, 8, 11, 14, 17, 20]),
    Sample("Range", 4, [const(23), const(2), const(-3)], {"output_type": "i32"}, expected=[23, 20, 17, 14, 11, 8, 5]),
    Sample("Range", 4, [const(1.0), const(2.5), const(0.5)], {"output_type": "f32"}, expected=[1.0, 1.5, 2.0]),
    Sample("Range", 4, [param(2), param(23), param(3)], {"output_type": "i64"}, expected=[2, 5, 8, 11, 14, 17, 20]),
    Sample("Range", 4, [const(-1.7, "f64"), const(2.2, "f64"), const(1.0, "f64")], {"output_type": "i64"},
        oracle=counted(np.int64)),
    Sample("Range", 4, [param(2.9, "f64"), const(-2.9, "f64"), const(-1.5, "f64")], {"output_type": "i32"},
        oracle=counted(np.int32), openvino="the CPU cuts the inputs towards zero only when folding"),
    Sample("Range", 4, [const(0), const(10, "i32"), const(2.5)], {"output_type": "f64"}, oracle=counted(np.float64)),
    Sample("Range", 4, [const(0.0), const(0.3), const(0.1)], {"output_type": "f16"}, oracle=counted(np.float16)),
    Sample("Range", 4, [param(0.0), param(0.3), param(0.1)], {"output_type": "f32"}, oracle=counted(np.float32),
        openvino=CPU_F32),
    Sample("Range", 4, [const(0.0, "f16"), const(2.0, "f16"), const(0.3, "f16")], {"output_type": "bf16"}),
    Sample("Range", 4, [param(-5, "i8"), param(5, "i8"), const(3, "i16")], {"output_type": "f16"},
        expected=[-5, -2, 1, 4]),
    Sample("Range", 4, [param(5), const(-5), const(-5)], {"output_type": "f32"}, expected=[5, 0]),
    Sample("Range", 4, [const(5), const(5), const(1)], {"output_type": "i64"}, expected=np.zeros(0)),
    Sample("Range", 4, [param(7), const(5), const(1)], {"output_type": "f32"}, expected=np.zeros(0),
           openvino="the CPU gives as many numbers as the step would need the other way round"),
    Sample("Range", 4, [const(-5), const(5), const(1)], {"output_type": "u8"},
        expected=[251, 252, 253, 254, 255, 0, 1, 2, 3, 4]),
    Sample("Range", 4, [const(2**62), const(2**62 + 3), const(1)], {"output_type": "i64"},
        expected=[2**62, 2**62 + 1, 2**62 + 2],
           openvino="the CPU takes i64 for i32", openvino_shapes="OpenVINO counts in f64 and finds 0"),
    Sample("Range", 1, [const(2), const(23), const(3)], expected=[2, 5, 8, 11, 14, 17, 20]),
    Sample("Range", 1, [const(23), const(2), const(-3)], expected=[23, 20, 17, 14, 11, 8, 5]),
    Sample("Range", 1, [param(1, "i32"), param(-6, "i32"), param(-2, "i32")], oracle=counted(np.int32)),
    Sample("Range", 1, [const(1.0), const(2.5), const(0.5)], expected=[1.0, 1.5, 2.0]),
    Sample("Range", 1, [const(0.0, "f64"), const(1.0, "f64"), const(0.125, "f64")], oracle=counted(np.float64)),
    Sample("Range", 1, [const(0, "u8"), const(255, "u8"), const(50, "u8")], oracle=counted(np.uint8)),
    Sample("Range", 1, [param(0.0, "f16"), param(1.0, "f16"), param(0.25, "f16")], oracle=counted(np.float16)),
]  # fmt: skip

SAMPLES += [
    Sample("Range", 4, [const(start), const(stop), const(step)], {"output_type": type}, expected=np.zeros(0))
    for start, stop, step in [(0.0, 0.3, 0.5), (0.0, 2.9, 0.5), (0.0, -2.9, -0.5), (3.0, 0.0, 0.2)]
    for type in ("i32", "i64", "u8")
]
SAMPLES += [
    Sample("Range", 4, [param(0.0), param(2.9), param(0.5)], {"output_type": "i32"}, expected=np.zeros(0),
        openvino="the CPU does not cut the inputs"),
]  # fmt: skip

ERRORS = [
    ErrorSample("Range", 4, [const(0), const(5), const(0)], {"output_type": "i64"}, part="step", says="step is 0"),
    ErrorSample("Range", 4, [const(0.0), const(5.0), const(0.0)], {"output_type": "i64"}, part="step", says="is 0"),
    ErrorSample("Range", 4, [const([0]), const(5), const(1)], {"output_type": "i64"}, part="start", says="[1]"),
    ErrorSample("Range", 4, [const(0.0), const(np.inf, "f32"), const(1)], {"output_type": "i64"}, part="stop",
        says="inf"),
    ErrorSample("Range", 4, ["i64[]", "i64[]", "i64[]"], {"output_type": "boolean"}, part="output_type",
        says="boolean"),
    ErrorSample("Range", 4, [param(0), param(5), param(0)], {"output_type": "i64"}, code="IR701", says="step is 0"),
    ErrorSample("Range", 1, ["i64[]", "i64[]", "i32[]"], part="input 2", says="i32"),
    ErrorSample("Range", 1, ["boolean[]", "boolean[]", "boolean[]"], part="start", says="boolean"),
]  # fmt: skip
