"""Samples of ShapeOf-3 and ShapeOf-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

DATA = np.zeros((2, 3, 4), np.float32)
SHAPES = [["?,3,1..4"], ["..."], [""]]

SAMPLES = [
    Sample("ShapeOf", 3, [param(DATA)], {"output_type": "i64"}, expected=[2, 3, 4], shapes=SHAPES),
    Sample("ShapeOf", 3, [param(DATA)], {"output_type": "i32"}, expected=[2, 3, 4], shapes=SHAPES),
    Sample("ShapeOf", 3, [param(DATA, "f16")], {"output_type": "i64"}, expected=[2, 3, 4]),
    Sample("ShapeOf", 3, [param(np.zeros((0, 5), np.int64))], {"output_type": "i64"}, expected=[0, 5]),
    Sample("ShapeOf", 3, [param(np.float32(1))], {"output_type": "i64"}, expected=np.zeros(0)),
    Sample(
        "ShapeOf",
        3,
        [param(DATA)],
        expected=[2, 3, 4],
        openvino="OpenVINO does not know the default of output_type",
        openvino_shapes="OpenVINO does not know the default of output_type",
    ),
    Sample("ShapeOf", 3, [const(DATA)], {"output_type": "i32"}, expected=[2, 3, 4]),
    Sample("ShapeOf", 3, [param(np.array(["a", "b"], object), "string")], {"output_type": "i64"}, expected=[2]),
    Sample("ShapeOf", 1, [param(DATA)], expected=[2, 3, 4], shapes=SHAPES),
    Sample("ShapeOf", 1, [param(DATA, "bf16")], expected=[2, 3, 4]),
    Sample("ShapeOf", 1, [param(np.array([True]))], expected=[1]),
    Sample("ShapeOf", 1, [param(np.float32(1))], expected=np.zeros(0)),
    Sample("ShapeOf", 1, [param(np.zeros((0, 5), np.int64))], expected=[0, 5]),
    Sample("ShapeOf", 1, [const(DATA)], expected=[2, 3, 4]),
    Sample("ShapeOf", 1, [param(np.zeros((1, 2, 3, 4, 5), np.uint8))], expected=[1, 2, 3, 4, 5]),
]

ERRORS = [
    ErrorSample("ShapeOf", 3, ["f32[2]"], {"output_type": "f32"}, code="IR105"),
    ErrorSample("ShapeOf", 1, ["f32[2]", "f32[2]"], code="IR108", says="2 input ports"),
]
