"""Samples of EmbeddingBagOffsets-15."""

from __future__ import annotations

from tests.operations.sparse._table import CUBE, TABLE
from tests.support.sample import ErrorSample, Sample, const, param

BAG = "EmbeddingBagOffsets"
INDICES, OFFSETS = param([0, 2, 3, 4]), param([0, 2, 2])
WEIGHTS = param([0.5, 0.2, -2.0, 1.0])
PARTIAL = [["?,?", "?", "?"], ["?,2..3", "4", "1..4"]]

SAMPLES = [
    Sample(
        BAG,
        15,
        [TABLE, INDICES, OFFSETS, const(0), param([0.5] * 4)],
        {"reduction": "sum"},
        [[-1.05, -1.2], [-0.2, -0.6], [-0.1, 0.4]],
    ),
    Sample(
        BAG,
        15,
        [TABLE, INDICES, OFFSETS, const(-1), WEIGHTS],
        {"reduction": "sum"},
        [[-0.48, -0.66], [0, 0], [2.8, -3.7]],
    ),
    Sample(
        BAG, 15, [TABLE, INDICES, OFFSETS], {"reduction": "mean"}, [[-1.05, -1.2], [0, 0], [-0.1, 0.4]], shapes=PARTIAL
    ),
    Sample(
        BAG,
        15,
        [TABLE, INDICES, param([0, 4, 4]), param(3)],
        {},
        [[-2.3, -1.6], [-1, 1.5], [-1, 1.5]],
        openvino="the CPU refuses an offset at the end",
    ),
    Sample(BAG, 15, [TABLE, INDICES, param([1, 3])], {}, [[-2.9, -0.3], [0.8, -0.7]]),
    Sample(BAG, 15, [param(CUBE, "i32"), param([0, 1, 3], "i32"), param([0, 1], "i32")], {}),
    Sample(BAG, 15, [param(CUBE, "u8"), param([3] * 20), param([0, 1])], {}, [CUBE[3], CUBE[3] * 19 % 256]),
    Sample(BAG, 15, [param(CUBE, "f16"), param([0, 1, 3]), param([0, 0])], {"reduction": "mean"}),
]

SHAPES = ["f32[5,2]", "i64[4]", "i64[3]"]
ERRORS = [
    ErrorSample(BAG, 15, ["f32[5,2]", "i64[1,4]", "i64[3]"], part="indices", says="rank must be 1"),
    ErrorSample(BAG, 15, ["f32[5,2]", "i32[4]", "i64[3]"], part="offsets", says="i64"),
    ErrorSample(BAG, 15, [*SHAPES, const([0])], part="default_index", says="rank must be 0"),
    ErrorSample(BAG, 15, [*SHAPES, const(0), "f32[3]"], part="per_sample_weights", says="differ"),
    ErrorSample(BAG, 15, [*SHAPES, const(0), "f32[4]"], {"reduction": "mean"}, part="per_sample_weights", says="mean"),
    ErrorSample(BAG, 15, ["f32[]", *SHAPES[1:]], part="emb_table", says="scalar"),
    ErrorSample(BAG, 15, [TABLE, param([0, 5]), param([0])], says="indices[1] is 5", code="IR701"),
    ErrorSample(BAG, 15, [TABLE, INDICES, param([0, 3, 2])], says="offsets[1] is 3", code="IR701"),
    ErrorSample(BAG, 15, [TABLE, INDICES, OFFSETS, param(5)], says="default_index is 5", code="IR701"),
]
