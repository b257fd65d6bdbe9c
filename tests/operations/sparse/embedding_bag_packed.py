"""Samples of EmbeddingBagPacked-15."""

from __future__ import annotations

from tests.operations.sparse._table import CUBE, TABLE
from tests.support.sample import ErrorSample, Sample, param

BAG = "EmbeddingBagPacked"
INDICES = param([[0, 2], [1, 2], [3, 4]])
PARTIAL = [["?,?", "?,?"], ["?,2..3", "1..4,?"]]

SAMPLES = [
    Sample(BAG, 15, [TABLE, INDICES], {"reduction": "sum"}, [[-2.1, -2.4], [-2, -2.2], [-0.2, 0.8]], shapes=PARTIAL),
    Sample(
        BAG,
        15,
        [TABLE, INDICES, param([[0.5, 0.5]] * 3)],
        {},
        [[-1.05, -1.2], [-1, -1.1], [-0.1, 0.4]],
        shapes=[["5,2", "?,2", "2..3,?"]],
    ),
    Sample(BAG, 15, [TABLE, INDICES], {"reduction": "mean"}, [[-1.05, -1.2], [-1, -1.1], [-0.1, 0.4]]),
    Sample(BAG, 15, [param(CUBE, "i32"), param([[0, 1, 3]], "i32")], {}),
    Sample(BAG, 15, [param(CUBE, "f16"), param([[0, 1, 3]])], {"reduction": "mean"}),
]

ERRORS = [
    ErrorSample(BAG, 15, ["f32[5,2]", "i64[4]"], part="indices", says="rank must be 2"),
    ErrorSample(BAG, 15, ["f32[5,2]", "i64[3,2]", "f32[3,1]"], part="per_sample_weights", says="differ"),
    ErrorSample(
        BAG, 15, ["f32[5,2]", "i64[3,2]", "f32[3,2]"], {"reduction": "mean"}, part="per_sample_weights", says="mean"
    ),
    ErrorSample(BAG, 15, ["f32[5,2]", "u8[3,2]"], part="indices", says="u8"),
    ErrorSample(BAG, 15, [TABLE, param([[0, 5]])], says="indices[0, 1] is 5", code="IR701"),
]
