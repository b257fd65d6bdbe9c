"""Samples of EmbeddingBagPackedSum-3."""

from __future__ import annotations

from tests.operations.sparse._table import CUBE, TABLE
from tests.support.sample import ErrorSample, Sample, param

BAG = "EmbeddingBagPackedSum"
INDICES = param([[0, 2], [1, 2], [3, 4]])

SAMPLES = [
    Sample(BAG, 3, [TABLE, INDICES, param([[0.5, 0.5]] * 3)], {}, [[-1.05, -1.2], [-1, -1.1], [-0.1, 0.4]]),
    Sample(BAG, 3, [TABLE, INDICES], {}, shapes=[["?,?", "?,?"], ["?,2..3", "1..4,?"]]),
    Sample(BAG, 3, [param(CUBE), param([[0, 1, 3], [2, 2, 2]])]),
    Sample(BAG, 3, [param(CUBE, "f64"), param([[0, 1, 3], [2, 2, 2]], "i32")]),
]

ERRORS = [
    ErrorSample(BAG, 3, ["f32[]", "i64[3,2]"], part="emb_table", says="scalar"),
    ErrorSample(BAG, 3, ["f32[5,2]", "i64[3]"], part="indices", says="rank must be 2"),
    ErrorSample(BAG, 3, [TABLE, param([[0, -2]])], says="indices[0, 1] is -2", code="IR701"),
]
