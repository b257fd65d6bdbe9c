"""Samples of CTCGreedyDecoderSeqLen-6."""

from __future__ import annotations

import numpy as np

from tests.operations.sequence.ctc_greedy_decoder import MERGED, PATHS, PLAIN
from tests.operations.sequence.ctc_greedy_decoder import scores as by_time
from tests.support.sample import ErrorSample, In, Sample, const, param


def scores(classes: int = 4, type: str = "f32") -> In:
    return param(by_time(PATHS, classes, type).value.swapaxes(0, 1), type)


def sample(*inputs: In, expected: object = None, **attributes: object) -> Sample:
    return Sample("CTCGreedyDecoderSeqLen", 6, inputs, attributes, expected=expected, outputs=2)


FULL = param([6, 6, 6], "i32")
WIDE = {"classes_index_type": "i64", "sequence_length_type": "i64"}
BLANK_0 = [[3, 1, -1, -1, -1, -1], [3, 2, 3, 2, -1, -1], [1, -1, -1, -1, -1, -1]]

SAMPLES = [
    sample(scores(), FULL, expected=[np.array(MERGED), np.array([3, 2, 1])]),
    sample(scores(), FULL, expected=[np.array(PLAIN), np.array([5, 4, 6])], merge_repeated=False),
    sample(scores(), FULL, const(0, "i32"), expected=[np.array(BLANK_0), np.array([2, 4, 1])]),
    sample(scores(), param([5, 3, 0], "i32"), merge_repeated=False),
    sample(scores(6), param([6, 1, 2]), param([3]), **WIDE),
    sample(scores(type="f16"), FULL, classes_index_type="i64"),
    Sample(
        "CTCGreedyDecoderSeqLen", 6, [scores(), FULL], outputs=2, name="merged",
        shapes=[("?,6,4", "3"), ("?,?,4", "1..8"), ("...", "3")],
    ),
]  # fmt: skip


def refused(*texts: In | str, part: str = "", says: str = "", code: str = "IR301") -> ErrorSample:
    return ErrorSample("CTCGreedyDecoderSeqLen", 6, texts, {}, part, says, code, 2)


ERRORS = [
    refused("f32[8,20,128]", "i32[7]", part="sequence_length", says="the batch size is 7"),
    refused("f32[8,20]", "i32[8]", part="data", says="the rank must be 3"),
    refused("f32[8,20,128]", "f32[8]", part="sequence_length", says="integer"),
    refused("string[8,20,128]", "i32[8]", part="data", says="string"),
    refused("f32[8,20,128]", "i32[8]", "i32[2]", part="blank_index", says="[2]"),
    refused("f32[8,20,128]", "i32[8]", "i32[1,1]", part="blank_index", says="rank"),
    refused("f32[8,20,128]", "i32[8]", "f32[]", part="blank_index", says="integer"),
    refused(scores(), param([6, 7, 1], "i32"), says="sequence_length[1] is 7", code="IR701"),
]
