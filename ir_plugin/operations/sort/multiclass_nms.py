"""MulticlassNms: boxes of all classes that do not overlap much.

Specification: sort/MulticlassNms-9, MulticlassNms-8.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import descending, suppress
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.sort import selection
from ir_plugin.tensors import Array, Dimension, ElementType, Tensor


class MulticlassNms(Operation, version=9):
    """Rows (class, score, x, y, x, y) of the best boxes, their places among all boxes, and their number by image.

    Without `roisnum`, `boxes` are [N, boxes, 4] and `scores` [N, classes, boxes]; with it, [classes, boxes, 4] and
    [classes, boxes], of which each image has as many as `roisnum` [N] says, one after another; the place of a box is
    then box · classes + class, as OpenVINO counts (the page speaks of flattened boxes). Of each class but
    `background_class` the best `nms_top_k` boxes of at least `score_threshold` enter; one that overlaps a better
    one by more than `iou_threshold` (which falls with `nms_eta` below 1 while it is above 0.5) is dropped; the best
    `keep_top_k` of an image are left. They are sorted as `sort_result_type` says, within their images or across them;
    none gives that of score. Boxes not `normalized` contain both corners.
    OpenVINO's CPU drops boxes of an overlap of just the threshold as well, and holds a threshold that has fallen
    against all boxes kept before.
    """

    sort_result_type: str
    sort_result: str
    sort_result_across_batch: bool
    output_type: ElementType
    iou_threshold: float
    score_threshold: float
    nms_top_k: int
    keep_top_k: int
    background_class: int
    normalized: bool
    nms_eta: float

    def infer(self, boxes: Tensor, scores: Tensor, roisnum: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Return as many rows and places as there may be, and [N]."""
        selection.check_limits(
            nms_top_k=self.nms_top_k, keep_top_k=self.keep_top_k, background_class=self.background_class
        )
        if not 0 <= self.nms_eta <= 1:
            raise ShapeError("nms_eta", f"nms_eta is {self.nms_eta}, outside [0, 1]")
        if roisnum is None:
            return selection.infer(boxes, scores, self.nms_top_k, self.keep_top_k, self.output_type)
        return self._infer_unshared(boxes, scores, roisnum)

    def _infer_unshared(self, boxes: Tensor, scores: Tensor, roisnum: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        for name, tensor, rank in (("boxes", boxes, 3), ("scores", scores, 2), ("roisnum", roisnum, 1)):
            require_type(name, tensor, *(["i32", "i64"] if rank == 1 else ["float"]))
            require_rank(name, tensor.shape, rank)
        known = merge_types(boxes, scores, part="scores")
        if boxes.shape.dims is not None and not boxes.shape[2].compatible(4):
            raise ShapeError("boxes", f"boxes has the shape {boxes.shape}; its last dimension must be 4")
        if not boxes.shape[:2].compatible(scores.shape):
            raise ShapeError("scores", f"scores {scores.shape} and boxes {boxes.shape} differ in classes or boxes")
        rows, images = Dimension(), Dimension()
        if boxes.shape.dims is not None and scores.shape.dims is not None:
            images = roisnum.shape[0]
            rows = selection.most(boxes.shape[1], boxes.shape[0], images, self.nms_top_k, self.keep_top_k)
        return selection.results(known, rows, images, self.output_type)

    def evaluate(self, boxes: Array, scores: Array, roisnum: Array | None = None) -> tuple[Array, Array, Array]:
        """Return what is selected."""
        count = len(boxes) if roisnum is None else len(roisnum)
        images: list[list[selection.Chosen]] = [[] for _ in range(count)]
        classes = self._shared(boxes, scores) if roisnum is None else self._unshared(boxes, scores, roisnum)
        for image, label, mine, values, places in classes:
            if label != self.background_class:
                images[image].append(self._of_class(image, label, mine, values, places))
        kept = [selection.best_of_image(selection.joined(parts, boxes.dtype), self.keep_top_k) for parts in images]
        chosen = selection.joined(kept, boxes.dtype)
        return selection.outputs(
            chosen, count, selection.order_of(self.sort_result_type, self.sort_result), self.sort_result_across_batch
        )

    def _shared(self, boxes: Array, scores: Array) -> Iterator[tuple[int, int, Array, Array, Array]]:
        """Yield image, class, boxes, scores and places of the boxes."""
        places = np.arange(len(boxes) * boxes.shape[1]).reshape(boxes.shape[:2])
        for image, label in np.ndindex(*scores.shape[:2]):
            yield image, label, boxes[image], scores[image, label], places[image]

    def _unshared(self, boxes: Array, scores: Array, roisnum: Array) -> Iterator[tuple[int, int, Array, Array, Array]]:
        ends = np.cumsum(roisnum, dtype=np.int64).tolist()
        if (roisnum < 0).any() or (ends and ends[-1] > boxes.shape[1]):
            raise EvaluationError(
                f"roisnum is {roisnum.tolist()}; it must deal out the {boxes.shape[1]} boxes there are"
            )
        places = np.arange(len(boxes) * boxes.shape[1]).reshape(-1, len(boxes)).T
        for image, end in enumerate(ends):
            part = slice(end - int(roisnum[image]), end)
            for label in range(len(boxes)):
                yield image, label, boxes[label, part], scores[label, part], places[label, part]

    def _of_class(self, image: int, label: int, boxes: Array, scores: Array, places: Array) -> selection.Chosen:
        """Return the boxes of one class of one image."""
        order = descending(scores, scores >= self.score_threshold)
        if self.nms_top_k >= 0:
            order = order[: self.nms_top_k]
        margin = 0 if self.normalized else 1
        order = order[suppress(boxes[order], self.iou_threshold, None, margin, self.nms_eta)]
        same = np.full(len(order), image)
        return selection.Chosen(same, np.full(len(order), label), scores[order], places[order], boxes[order])


class MulticlassNms8(MulticlassNms, version=8):
    """As MulticlassNms-9 without `roisnum`."""
