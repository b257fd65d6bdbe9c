"""Samples of CTCLoss-4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, product

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param

LABELS = [[0, 1, 1, 0], [1, 1, 0, 0], [2, 0, 2, 1]]


def inputs(
    logit_length: Sequence[int] = (4, 4, 4), label_length: Sequence[int] = (2, 3, 1), blank: int | None = None,
    classes: int = 4, type: str = "f32", index: str = "i32", labels: Sequence[Sequence[int]] = LABELS,
) -> list[In]:  # fmt: skip
    logits = np.random.default_rng(classes).standard_normal((len(labels), len(labels[0]), classes)) * 2
    ports = [param(logits, type), param(logit_length, index), param(labels, index), param(label_length, index)]
    return ports if blank is None else [*ports, const(blank, index)]


def naive(merge: bool = True, collapse: bool = False, unique: bool = False) -> Callable[..., Array]:
    """Return the loss by trying all paths."""

    def compute(logits: Array, steps: Array, labels: Array, lengths: Array, blank_index: Array | None = None) -> Array:
        classes = logits.shape[2]
        blank = classes - 1 if blank_index is None else int(blank_index)
        losses = []
        for n, row in enumerate(logits.astype(np.float64)):
            target = [int(label) for label in labels[n, : lengths[n]]]
            target = [key for key, _ in groupby(target)] if collapse else target
            target = list(dict.fromkeys(target)) if unique else target
            total = 0.0
            for path in product(range(classes), repeat=int(steps[n])):
                decoded = [key for key, _ in groupby(path)] if merge else list(path)
                if [label for label in decoded if label != blank] == target:
                    total += float(np.prod([np.exp(row[t, c]) / np.exp(row[t]).sum() for t, c in enumerate(path)]))
            with np.errstate(divide="ignore"):
                losses.append(-np.log(total))
        return np.array(losses, np.float32)

    return compute


MERGE = {"ctc_merge_repeated": True}
PLAIN = {"ctc_merge_repeated": False}


def sample(inputs: list[In], attributes: Mapping[str, object], **more: object) -> Sample:
    return Sample("CTCLoss", 4, inputs, attributes, **more)  # type: ignore[arg-type]


SAMPLES = [
    sample(inputs(), MERGE, oracle=naive()),
    sample(inputs(), {}, oracle=naive(), openvino="OpenVINO takes false where ctc_merge_repeated is not written"),
    sample(inputs(), PLAIN, oracle=naive(merge=False)),
    sample(inputs((4, 3, 2)), MERGE, oracle=naive()),
    sample(inputs((4, 3, 2), (4, 3, 1)), PLAIN, oracle=naive(merge=False)),
    sample(
        inputs((4, 3, 2), (0, 3, 0)), PLAIN, oracle=naive(merge=False), openvino="an empty target crashes the process",
    ),
    sample(
        inputs((4, 3, 0), (0, 2, 0)), MERGE, oracle=naive(), openvino="an empty target crashes the process",
    ),
    sample(inputs(label_length=(4, 4, 4)), MERGE | {"preprocess_collapse_repeated": True}, oracle=naive(collapse=True)),
    sample(inputs(label_length=(4, 4, 4)), MERGE | {"unique": True}, oracle=naive(unique=True)),
    sample(
        inputs(label_length=(4, 4, 4)), PLAIN | {"unique": True, "preprocess_collapse_repeated": True},
        oracle=naive(False, True, True),
    ),
    sample(inputs(blank=3, classes=5), MERGE, oracle=naive()),
    sample(inputs((4, 3), (2, 1), 0, labels=[[1, 2, 2, 1], [3, 3, 1, 1]]), MERGE, oracle=naive()),
    sample(inputs(index="i64"), MERGE, oracle=naive()),
    sample(inputs(type="f16"), MERGE, oracle=naive(), rtol=3e-3),
    sample(inputs((4, 4, 3), (4, 4, 3)), MERGE, oracle=naive()),
    sample(
        inputs(), MERGE, name="merged",
        shapes=[("?,4,4", "3", "?,4", "?"), ("?,?,4", "?", "1..4,4", "2..7"), ("...", "...", "...", "3")],
    ),
]  # fmt: skip

TEXTS = ["f32[8,20,128]", "i32[8]", "i32[8,20]", "i32[8]"]


def refused(index: int, text: str, part: str, says: str) -> ErrorSample:
    inputs: list[In | str] = [text if position == index else shape for position, shape in enumerate(TEXTS)]
    return ErrorSample("CTCLoss", 4, inputs, {}, part, says)


ERRORS = [
    refused(0, "i32[8,20,128]", "logits", "floating-point"),
    refused(0, "f32[8,20]", "logits", "the rank must be 3"),
    refused(1, "i32[7]", "logit_length", "the batch size is 7"),
    refused(1, "f32[8]", "logit_length", "integer"),
    refused(2, "i32[8,19]", "labels", "19 time steps"),
    refused(3, "i32[8,1]", "label_length", "the rank must be 1"),
    ErrorSample("CTCLoss", 4, [*TEXTS, "i32[1]"], {}, "blank_index", "the rank must be 0"),
    ErrorSample("CTCLoss", 4, [*TEXTS, "f32[]"], {}, "blank_index", "integer"),
    ErrorSample("CTCLoss", 4, inputs((4, 5, 4)), MERGE, says="logit_length[1] is 5", code="IR701"),
    ErrorSample("CTCLoss", 4, inputs(label_length=(2, -1, 1)), MERGE, says="label_length[1] is -1", code="IR701"),
    ErrorSample("CTCLoss", 4, inputs((4, 2, 4)), MERGE, says="label_length[1] is 3, and logit_length[1]", code="IR701"),
    ErrorSample("CTCLoss", 4, inputs(blank=2), MERGE, says="labels[2, 0] is 2", code="IR701"),
    ErrorSample("CTCLoss", 4, inputs(blank=4), MERGE, says="blank_index is 4", code="IR701"),
]
