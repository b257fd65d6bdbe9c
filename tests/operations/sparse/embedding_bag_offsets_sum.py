"""Samples of EmbeddingBagOffsetsSum-3."""

from __future__ import annotations

from tests.operations.sparse._table import CUBE, TABLE
from tests.support.sample import ErrorSample, Sample, const, param

BAG = "EmbeddingBagOffsetsSum"
INDICES, OFFSETS = param([0, 2, 3, 4]), param([0, 2, 2])

SAMPLES = [
    Sample(
        BAG, 3, [TABLE, INDICES, OFFSETS, const(0), param([0.5] * 4)], {}, [[-1.05, -1.2], [-0.2, -0.6], [-0.1, 0.4]]
    ),
    Sample(
        BAG,
        3,
        [TABLE, INDICES, OFFSETS],
        {},
        [[-2.1, -2.4], [0, 0], [-0.2, 0.8]],
        shapes=[["?,?", "?", "?"], ["?,2..3", "4", "1..4"]],
    ),
    Sample(BAG, 3, [TABLE, INDICES, OFFSETS, const(-1)]),
    Sample(BAG, 3, [param(CUBE), param([0, 1, 3]), param([0, 1, 1]), const(2)]),
    Sample(BAG, 3, [param(CUBE, "bf16"), param([0, 1, 3], "i32"), param([0, 1], "i32")]),
]

ERRORS = [
    ErrorSample(BAG, 3, ["f32[5,2]", "i64[4]", "i64[1,3]"], part="offsets", says="rank must be 1"),
    ErrorSample(BAG, 3, ["f32[5,2]", "i64[4]", "i64[3]", const(0), "f16[4]"], part="per_sample_weights", says="f16"),
    ErrorSample(BAG, 3, [TABLE, param([0, -1]), param([0])], says="indices[1] is -1", code="IR701"),
]
