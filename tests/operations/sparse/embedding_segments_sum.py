"""Samples of EmbeddingSegmentsSum-3."""

from __future__ import annotations

from tests.operations.sparse._table import CUBE, TABLE
from tests.support.sample import ErrorSample, Sample, const, param

SEGMENTS = "EmbeddingSegmentsSum"
INDICES, IDS = param([0, 2, 3, 4]), param([0, 0, 2, 2])
WEIGHTS = param([0.5, 0.5, 0.5, 0.5])

SAMPLES = [
    Sample(
        SEGMENTS, 3, [TABLE, INDICES, IDS, const(3), const(0), WEIGHTS], {}, [[-1.05, -1.2], [-0.2, -0.6], [-0.1, 0.4]]
    ),
    Sample(SEGMENTS, 3, [TABLE, INDICES, IDS, const(5)], {}, shapes=[["?,?", "?", "?"], ["?,2..3", "4", "1..4"]]),
    Sample(SEGMENTS, 3, [TABLE, INDICES, IDS, param(4), param(1)]),
    Sample(SEGMENTS, 3, [param(CUBE, "i32"), param([0, 1, 3], "i32"), param([1, 1, 2], "i32"), const(3, "i32")]),
    Sample(SEGMENTS, 3, [param(CUBE, "f16"), param([0, 1, 3]), param([1, 1, 2]), const(4), const(3)]),
]

SHAPES = ["f32[5,2]", "i64[4]", "i64[4]"]
ERRORS = [
    ErrorSample(SEGMENTS, 3, [*SHAPES[:2], "i64[3]", const(3)], part="segment_ids", says="differ"),
    ErrorSample(SEGMENTS, 3, [*SHAPES, const([3])], part="num_segments", says="rank must be 0"),
    ErrorSample(SEGMENTS, 3, [*SHAPES, const(-3)], part="num_segments", says="-3"),
    ErrorSample(SEGMENTS, 3, [*SHAPES, const(3, "i32")], part="num_segments", says="i32"),
    ErrorSample(SEGMENTS, 3, [TABLE, INDICES, IDS, const(2)], says="segment_ids[2] is 2", code="IR701"),
    ErrorSample(SEGMENTS, 3, [TABLE, INDICES, param([0, 2, 1, 2]), const(3)], says="must be sorted", code="IR701"),
    ErrorSample(SEGMENTS, 3, [TABLE, INDICES, IDS, const(3), param(-1)], says="default_index is -1", code="IR701"),
]
