"""Samples of SparseFillEmptyRows-16."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

FILL = "SparseFillEmptyRows"
PLACES = np.array([[0, 1], [0, 3], [2, 0], [3, 1]])
VALUES = param([1.0, 2.0, 3.0, 4.0])


def sample(
    inputs: list[In], expected: object = None, openvino: str = "", shapes: list[list[str]] | None = None
) -> Sample:
    return Sample(FILL, 16, inputs, {}, expected, outputs=3, openvino=openvino, shapes=shapes or [])


FULL = [[[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]], [1, 2, 9, 3, 4, 9], [False, True, False, False, True]]
SAMPLES = [
    sample([VALUES, const([5, 6]), param(PLACES), const(9.0)], FULL, shapes=[["?", "?,2"], ["1..3", "2..5,2"]]),
    sample([VALUES, param([5, 6]), param(PLACES), param(9.0)], FULL),
    Sample(
        FILL,
        16,
        [VALUES, const([5, 6]), const(PLACES), const(9.0)],
        {},
        FULL,
        outputs=3,
        openvino_shapes="OpenVINO does not use that there are as many values as known places",
    ),
    sample([VALUES, const([5, 6]), param(PLACES[[2, 1, 3, 0]]), const(9.0)]),
    sample(
        [
            param([1, 2, 3, 4], "u8"),
            const([4, 6], "i32"),
            param([[0, 1], [1, 3], [2, 0], [3, 1]], "i32"),
            const(9, "u8"),
        ]
    ),
    sample([param(np.zeros(0, np.float16)), const([2, 6]), param(np.zeros((0, 2), np.int64)), const(9.0, "f16")]),
    sample(
        [param(["a", "b"], "string"), const([3, 3]), param([[0, 0], [2, 2]]), const("z", "string")],
        [[[0, 0], [1, 0], [2, 2]], ["a", "z", "b"], [False, True, False]],
        openvino="the CPU gives empty strings",
    ),
]

SHAPES = ["f32[4]", "i64[2]", "i64[4,2]", "f32[]"]
ERRORS = [
    ErrorSample(FILL, 16, [SHAPES[0], "i64[3]", *SHAPES[2:]], part="dense_shape", says="[3]", outputs=3),
    ErrorSample(FILL, 16, [*SHAPES[:2], "i64[4,3]", SHAPES[3]], part="indices", says="must be 2", outputs=3),
    ErrorSample(FILL, 16, ["f32[3]", *SHAPES[1:]], part="indices", says="differ", outputs=3),
    ErrorSample(FILL, 16, [*SHAPES[:3], "string[]"], part="default_value", says="string", outputs=3),
    ErrorSample(FILL, 16, [SHAPES[0], const([-1, 2]), *SHAPES[2:]], part="dense_shape", says="-1", outputs=3),
    ErrorSample(
        FILL,
        16,
        [VALUES, const([3, 6]), param(PLACES), const(9.0)],
        says="indices[:, 0][3] is 3",
        code="IR701",
        outputs=3,
    ),
]
