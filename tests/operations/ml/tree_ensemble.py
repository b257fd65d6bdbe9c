"""Samples of TreeEnsemble of version extension."""

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

OURS = "OpenVINO has no TreeEnsemble"
ROWS = np.array([[0.0, 1.0], [2.0, 5.0], [np.nan, 0.0]], np.float32)
NODES = np.array(
    [
        [0, 0, 1, 2, 1, 0, 0], [0, 7, 1, 1, 0, 0, 1], [0, 7, 2, 2, 0, 1, 3],
        [1, 6, 4, 5, 0, 0, 2], [0, 7, 4, 4, 0, 3, 4], [0, 7, 5, 5, 0, 4, 4],
    ]
)  # fmt: skip
SPLITS = np.array([1, 0, 0, 0, 0, 0], np.float32)


def inputs(nodes: Any = NODES, targets: Any = (0, 0, 1, 1)) -> list[Any]:
    weights = np.array([1, 2, 3, 4], np.float32)
    arrays = [np.array([0, 3]), nodes, SPLITS, np.array(targets), weights, np.array([1, 7], np.float32)]
    return [param(ROWS), *map(const, arrays)]


def followed(function: str, expected: list[list[float]]) -> Sample:
    return Sample(
        "TreeEnsemble",
        "extension",
        inputs(),
        {"n_targets": 2, "aggregate_function": function},
        [np.array(expected, np.float32), np.array([[1, 1], [1, 1], [1, 0]])],
        outputs=2,
        openvino=OURS,
        openvino_shapes=OURS,
    )


SAMPLES = [
    followed("sum", [[1, 4], [2, 3], [1, 0]]),
    followed("average", [[0.5, 2], [1, 1.5], [0.5, 0]]),
    followed("min", [[1, 4], [2, 3], [1, 0]]),
    followed("max", [[1, 4], [2, 3], [1, 0]]),
]


def refused(says: str, **changes: Any) -> ErrorSample:
    return ErrorSample(
        "TreeEnsemble", "extension", inputs(**changes), {"n_targets": 2}, says=says, code="IR701", outputs=2
    )


CYCLE = NODES.copy()
CYCLE[0, 2:4] = 0
FEATURE = NODES.copy()
FEATURE[0, 0] = 2

ERRORS = [
    refused("cycle", nodes=CYCLE),
    refused("the feature 2", nodes=FEATURE),
    refused("the target 2", targets=(0, 0, 2, 1)),
    ErrorSample(
        "TreeEnsemble",
        "extension",
        ["f32[2,2]", "i64[1]", "i64[3,6]", "f32[3]", "i64[1]", "f32[1]", "f32[0]"],
        {"n_targets": 1},
        part="nodes",
        says="7 numbers",
        outputs=2,
    ),
]
