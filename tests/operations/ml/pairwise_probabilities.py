"""Samples of PairwiseProbabilities of version extension."""

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

OURS = "OpenVINO has no PairwiseProbabilities"


def coupled(pairs: list[list[float]], expected: list[list[float]], atol: float = 1e-6) -> Sample:
    return Sample(
        "PairwiseProbabilities",
        "extension",
        [param(np.array(pairs, np.float32).reshape(len(pairs), -1 if pairs else 3))],
        {"classes": len(expected[0]) if expected else 3},
        np.array(expected, np.float32).reshape(len(pairs), -1 if pairs else 3),
        openvino=OURS,
        openvino_shapes=OURS,
        atol=atol,
    )


SAMPLES = [
    coupled([[0.5]], [[0.5, 0.5]]),
    coupled([[0.8], [0.1]], [[0.8, 0.2], [0.1, 0.9]], atol=5e-3),
    coupled([[0.5, 0.5, 0.5]], [[1 / 3, 1 / 3, 1 / 3]]),
    coupled([[2 / 3, 0.5, 1 / 3]], [[0.4, 0.2, 0.4]], atol=5e-3),
    coupled([], []),
]

ERRORS = [
    ErrorSample("PairwiseProbabilities", "extension", ["f32[2,3]"], {"classes": 4}, part="classes", says="6 pairs")
]
