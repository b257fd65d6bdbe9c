"""CTCLoss: the connectionist temporal classification loss. Specification: sequence/CTCLoss-4."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.sequence.recurrent import merge_dims
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, TensorInfo


class CTCLoss(Operation, version=4):
    """The negative logarithm of the probability that a path through `logits` [N, T, C] decodes to `labels` [N, T].

    A path has one class per step; decoding merges equal neighbours (with `ctc_merge_repeated`) and drops blanks, the
    class `blank_index` or by default the last. A target is the first `label_length` labels, in which repeated labels
    are merged (`preprocess_collapse_repeated`) and labels that occurred before are dropped (`unique`). A target that no
    path decodes to gives infinity. Lengths outside [0, T], a target longer than its logits, and labels that are not a
    class or are the blank are errors. The sums are computed in f64.
    """

    preprocess_collapse_repeated: bool
    ctc_merge_repeated: bool
    unique: bool

    def infer(
        self,
        logits: TensorInfo,
        logit_length: TensorInfo,
        labels: TensorInfo,
        label_length: TensorInfo,
        blank_index: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the type of `logits` and one element per sequence."""
        require_type("logits", logits, "float")
        lengths = {"logit_length": logit_length, "label_length": label_length}
        for part, tensor in {**lengths, "labels": labels}.items():
            require_type(part, tensor, "integer")
        require_rank("logits", logits.shape, 3)
        require_rank("labels", labels.shape, 2)
        for part, tensor in lengths.items():
            require_rank(part, tensor.shape, 1)
        if blank_index is not None:
            require_type("blank_index", blank_index, "integer")
            require_rank("blank_index", blank_index.shape, 0)
        if not labels.shape[1].compatible(logits.shape[1]):
            raise ShapeError("labels", f"labels has {labels.shape[1]} time steps, logits {logits.shape[1]}")
        batches = {"logits": logits, "logit_length": logit_length, "labels": labels, "label_length": label_length}
        return logits.with_shape([merge_dims("the batch size", **{part: t.shape[0] for part, t in batches.items()})])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the lengths, of the labels and of the blank."""
        steps, classes = inputs.length(0, 1), inputs.length(0, 2)
        labels = min(inputs.length(2, 1), max(steps // 2, 1))
        blank = inputs.scalar(4)
        blank = classes - 1 if blank is None else blank
        usable = Range(0, blank - 1) if blank > 0 else Range(1, max(classes - 1, 1))
        return {1: Range(min(2 * labels, steps), steps), 2: usable, 3: Range(1, labels), 4: Range(blank, blank)}

    def evaluate(
        self, logits: Array, logit_length: Array, labels: Array, label_length: Array, blank_index: Array | None = None
    ) -> Array:
        """Return the losses."""
        _, time, count = logits.shape
        blank = count - 1 if blank_index is None else int(blank_index.reshape(()))
        if not 0 <= blank < count:
            raise EvaluationError(f"blank_index is {blank}, outside the classes [0, {count - 1}]")
        require_inside(logit_length, 0, time, "logit_length", f" of {time} time steps")
        require_inside(label_length, 0, time, "label_length", f" of {time} time steps")
        losses = np.zeros(len(logits), np.float64)
        paths = merged_paths if self.ctc_merge_repeated else plain_paths
        for batch, (steps, length) in enumerate(zip(logit_length, label_length, strict=True)):
            if length > steps:
                raise EvaluationError(f"label_length[{batch}] is {length}, and logit_length[{batch}] just {steps}")
            target = self._target(labels[batch, :length], batch, blank, count)
            losses[batch] = -paths(log_softmax(logits[batch, :steps]), target, blank)
        return losses.astype(logits.dtype)

    def _target(self, labels: Array, batch: int, blank: int, count: int) -> Array:
        wrong = (labels < 0) | (labels >= count) | (labels == blank)
        if wrong.any():
            position = int(wrong.argmax())
            allowed = f"it must be in [0, {count - 1}] and not the blank, {blank}"
            raise EvaluationError(f"labels[{batch}, {position}] is {labels[position]}; {allowed}")
        target = labels.astype(np.int64)
        if self.preprocess_collapse_repeated and target.size:
            target = target[np.concatenate([[True], target[1:] != target[:-1]])]
        if self.unique:
            target = target[np.sort(np.unique(target, return_index=True)[1])]
        return target


def plain_paths(logs: Array, target: Array, blank: int) -> float:
    """Return the logarithm of the probability of all paths that equal `target` after blanks are dropped.

    After each step, `states[k]` is the log-probability of all prefixes with k labels.
    """
    states = np.full(len(target) + 1, -np.inf)
    states[0] = 0
    for step in logs:
        states[1:] = np.logaddexp(states[1:] + step[blank], states[:-1] + step[target])
        states[0] += step[blank]
    return float(states[-1])


def merged_paths(logs: Array, target: Array, blank: int) -> float:
    """Return the same as `plain_paths`, with equal neighbours merged before blanks are dropped.

    `states[0]` is the start; the others are blank, label, blank, label, …, blank. A step stays, goes to the next state,
    or skips the blank between two labels that differ (and the blank before the first label).
    """
    symbols = np.full(2 * len(target) + 1, blank)
    symbols[1::2] = target
    skips = np.full(len(symbols), -np.inf)
    skips[1:2] = 0
    skips[2:][symbols[2:] != symbols[:-2]] = 0
    states = np.full(len(symbols) + 1, -np.inf)
    states[0] = 0
    for step in logs:
        skipped = np.concatenate([[-np.inf], states[:-2]]) + skips
        states[1:] = np.logaddexp(np.logaddexp(states[1:], states[:-1]), skipped) + step[symbols]
        states[0] = -np.inf
    return float(np.logaddexp(states[-1], states[-2]))


def log_softmax(logits: Array) -> Array:
    """Return the logarithms of the probabilities along the last axis, in f64."""
    wide = logits.astype(np.float64)
    wide -= wide.max(axis=-1, keepdims=True, initial=-np.inf)
    result: Array = wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True))
    return result
