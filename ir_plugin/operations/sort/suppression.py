"""Checks of boxes and scores and the order of outputs, shared by the variants of non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo

SCALAR = (0,)
SCALAR_OR_ONE = (0, 1)


def check(boxes: TensorInfo, scores: TensorInfo, length: int = 4) -> None:
    """Raise unless boxes are [batches, boxes, length] and scores [batches, classes, boxes] of floating-point type."""
    require_type("boxes", boxes, "float")
    require_type("scores", scores, "float")
    require_rank("boxes", boxes.shape, 3)
    require_rank("scores", scores.shape, 3)
    if boxes.shape.dims is not None and not boxes.shape[2].compatible(length):
        raise ShapeError("boxes", f"boxes has the shape {boxes.shape}; its last dimension must be {length}")
    if boxes.shape.dims is None or scores.shape.dims is None:
        return
    for name, mine, theirs in (("batches", 0, 0), ("boxes", 1, 2)):
        if not boxes.shape[mine].compatible(scores.shape[theirs]):
            raise ShapeError(
                "scores",
                f"scores {scores.shape} has {scores.shape[theirs]} {name}, boxes {boxes.shape} has {boxes.shape[mine]}",
            )


def check_scalar(part: str, tensor: TensorInfo | None, kind: str, ranks: tuple[int, ...]) -> None:
    """Raise unless an optional input is one number of the kind with one of the ranks."""
    if tensor is not None:
        note_type(part, tensor, kind, accepted=("number",) if kind == "integer" else (kind,))
        require_rank(part, tensor.shape, *ranks)
        scalar_of(part, tensor)


def counts(
    boxes: TensorInfo, scores: TensorInfo, limit: TensorInfo | None
) -> tuple[Dimension, int, Dimension, Dimension] | None:
    """Return the numbers of boxes, of boxes kept per class, of classes and of batches, or None if they are unknown."""
    count = scalar_of("max_output_boxes_per_class", limit) if limit is not None else None
    if count is None or count < 0 or boxes.shape.dims is None or scores.shape.dims is None:
        return None
    return boxes.shape[1], count, scores.shape[1], scores.shape[0]


def tables(type: ElementType, rows: Dimension) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
    """Return the types and shapes of triplets, of their scores and of their number."""
    return TensorInfo(type, [rows, 3]), TensorInfo(ElementType.f32, [rows, 3]), TensorInfo(type, [1])


def rows_up_to(limits: tuple[Dimension, int, Dimension, Dimension] | None) -> Dimension:
    """Return the interval of the number of selected boxes."""
    if limits is None:
        return Dimension()
    boxes, limit, classes, batches = limits
    if not boxes.is_bounded:
        return Dimension()
    return Dimension(0, min(boxes.upper, limit)) * Dimension(0, classes.upper) * Dimension(0, batches.upper)


def number(value: Array | None, default: float = 0) -> float:
    """Return the number that an optional input holds."""
    return default if value is None else float(value.reshape(-1)[0])


def batches_and_classes(selected: Sequence[Array], classes: int) -> tuple[Array, Array]:
    """Return the batch and the class of each box, given the boxes of each class of each batch."""
    class_of_row = np.repeat(np.arange(len(selected)), [len(boxes) for boxes in selected])
    batches, labels = np.divmod(class_of_row, max(classes, 1))
    return batches, labels


def ordered(triplets: Array, scores: Array, by_score: bool) -> tuple[Array, Array]:
    """Return rows and scores unchanged (by batch and class), or by descending score."""
    if not by_score:
        return triplets, scores
    order = np.argsort(-scores, kind="stable")
    return triplets[order], scores[order]


def outputs(triplets: Array, scores: Array) -> tuple[Array, Array, Array]:
    """Return the three outputs: triplets of indices, triplets that end with the score, and their number."""
    score_triplets = np.concatenate([triplets[:, :2].astype(scores.dtype), scores[:, None]], axis=1)
    return triplets, score_triplets, np.array([len(triplets)])


def selected_scores(scores: Array | None, triplets: Array) -> list[Array] | None:
    """Return the scores at triplets of image, class and box, ascending in each class, or None if these are invalid."""
    if scores is None or scores.ndim != 3:
        return None
    selected = triplets.astype(np.int64)
    selected = selected[(selected >= 0).all(1)]
    if (selected >= np.array(scores.shape)).any() or len(np.unique(selected, axis=0)) != len(selected):
        return None
    values = scores[tuple(selected.T)]
    return [values[np.lexsort((values, selected[:, 1], selected[:, 0]))]]
