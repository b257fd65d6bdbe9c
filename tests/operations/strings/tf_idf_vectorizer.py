"""Samples of TfIdfVectorizer of version extension."""

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

OURS = "OpenVINO has no TfIdfVectorizer"
ROW = param(np.array([1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8], np.int64))
POOL = const(np.array([2, 3, 5, 4, 5, 6, 7, 8, 6, 7], np.int64))
COLUMNS = const(np.array([0, 1, 2, 3, 4, 5, 6], np.int64))
LENGTHS = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0, "ngram_counts": [0, 4]}


def counted(expected: list[float], weights: list[float] | None = None, **attributes: Any) -> Sample:
    inputs = [ROW, POOL, COLUMNS] + ([] if weights is None else [const(np.array(weights, np.float32))])
    return Sample(
        "TfIdfVectorizer",
        "extension",
        inputs,
        LENGTHS | attributes,
        np.array(expected, np.float32),
        openvino=OURS,
        openvino_shapes=OURS,
    )


SAMPLES = [
    counted([0, 3, 1, 0, 1, 1, 1]),
    counted([0, 3, 1, 0, 1, 3, 1], max_skip_count=5),
    counted([0, 3, 1, 0, 1, 3, 1], max_skip_count=2**62),
    counted([0, 6, 3, 0, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7], mode="tfidf"),
    counted([0, 2, 3, 0, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7], mode="idf"),
]

ERRORS = [
    ErrorSample(
        "TfIdfVectorizer",
        "extension",
        ["i64[4]", "i64[4]", "i64[4]"],
        LENGTHS | {"max_gram_length": 3},
        part="min_gram_length",
        says="3",
    )
]
