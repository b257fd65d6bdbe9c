"""MulticlassNms: select boxes of all classes that do not overlap much.

Specification: sort/MulticlassNms-9, MulticlassNms-8.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.boxes import Rule, Suppressing
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.sort import selection
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class MulticlassNms(Suppressing, version=9):
    """Return rows (class, score, x, y, x, y) of the best boxes, their indices in all boxes, and their number per image.

    Without `roisnum`, `boxes` are [N, boxes, 4] and `scores` [N, classes, boxes]; with it, [classes, boxes, 4] and
    [classes, boxes], of which the images have `roisnum` [N] consecutive boxes each; the index of a box is then
    box · classes + class, as in OpenVINO (the page speaks of flattened boxes). The best `nms_top_k` boxes of at least
    `score_threshold` of each class but `background_class` are candidates; a box that overlaps a better one by more
    than `iou_threshold` (which falls with `nms_eta` below 1 while it is above 0.5) is dropped; at most `keep_top_k`
    per image are kept. They are sorted by `sort_result_type`, within images or across them; none sorts by score.
    Boxes that are not `normalized` contain both corners.
    OpenVINO's CPU also drops boxes whose overlap equals the threshold, compares a fallen threshold with all boxes kept
    before, and treats scores that are less than a millionth apart as equal.
    """

    traits = (Selects((0,), 1),)

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

    def infer(
        self, boxes: TensorInfo, scores: TensorInfo, roisnum: TensorInfo | None = None
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return the outputs with up to the largest number of rows."""
        selection.check_limits(
            nms_top_k=self.nms_top_k, keep_top_k=self.keep_top_k, background_class=self.background_class
        )
        if not 0 <= self.nms_eta <= 1:
            raise ShapeError("nms_eta", f"nms_eta is {self.nms_eta}, outside [0, 1]")
        if roisnum is None:
            return selection.infer(boxes, scores, self.nms_top_k, self.keep_top_k, self.output_type)
        return self._infer_rois(boxes, scores, roisnum)

    def _infer_rois(
        self, boxes: TensorInfo, scores: TensorInfo, roisnum: TensorInfo
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        for name, tensor, rank in (("boxes", boxes, 3), ("scores", scores, 2), ("roisnum", roisnum, 1)):
            require_type(name, tensor, *(["i32", "i64"] if rank == 1 else ["float"]))
            require_rank(name, tensor.shape, rank)
        element_type = merge_types(boxes, scores, part="scores")
        if boxes.shape.dims is not None and not boxes.shape[2].compatible(4):
            raise ShapeError("boxes", f"boxes has the shape {boxes.shape}; its last dimension must be 4")
        if not boxes.shape[:2].compatible(scores.shape):
            raise ShapeError("scores", f"scores {scores.shape} and boxes {boxes.shape} differ in classes or boxes")
        rows, images = Dimension(), Dimension()
        if boxes.shape.dims is not None and scores.shape.dims is not None:
            images = roisnum.shape[0]
            rows = selection.max_rows(boxes.shape[1], boxes.shape[0], images, self.nms_top_k, self.keep_top_k)
        return selection.results(element_type, rows, images, self.output_type)

    def evaluate(self, boxes: Array, scores: Array, roisnum: Array | None = None) -> tuple[Array, Array, Array]:
        """Return the selected rows, indices and numbers."""
        images = self._select(boxes, scores) if roisnum is None else self._select_rois(boxes, scores, roisnum)
        limited = [selection.best_of_image(image, self.keep_top_k) for image in images]
        selected = selection.joined(limited, boxes.dtype)
        return selection.outputs(
            selected,
            len(limited),
            selection.order_of(self.sort_result_type, self.sort_result),
            self.sort_result_across_batch,
        )

    def _select(self, boxes: Array, scores: Array) -> Iterator[selection.Selected]:
        """Yield the selected boxes of each image."""
        labels = np.delete(np.arange(scores.shape[1]), self._background(scores.shape[1]))
        for image, (corners, values) in enumerate(zip(boxes, scores[:, labels], strict=True)):
            per_class = self._surviving(corners, values)
            classes = np.repeat(np.arange(len(labels)), [len(selected) for selected in per_class])
            indices = np.concatenate([np.zeros(0, np.int64), *per_class])
            flat = image * len(corners) + indices
            images = np.full(len(indices), image)
            yield selection.Selected(images, labels[classes], values[classes, indices], flat, corners[indices])

    def _select_rois(self, boxes: Array, scores: Array, roisnum: Array) -> Iterator[selection.Selected]:
        ends = np.cumsum(roisnum, dtype=np.int64).tolist()
        if (roisnum < 0).any() or (ends and ends[-1] > boxes.shape[1]):
            raise EvaluationError(
                f"roisnum is {roisnum.tolist()}; its values must be at least 0, and their sum at most {boxes.shape[1]}"
            )
        for image, end in enumerate(ends):
            start, parts = end - int(roisnum[image]), []
            for label in np.delete(np.arange(len(boxes)), self._background(len(boxes))).tolist():
                indices = start + self._surviving(boxes[label, start:end], scores[label : label + 1, start:end])[0]
                images, flat = np.full(len(indices), image), indices * len(boxes) + label
                parts.append(
                    selection.Selected(
                        images, np.full(len(indices), label), scores[label, indices], flat, boxes[label, indices]
                    )
                )
            yield selection.joined(parts, boxes.dtype)

    def _background(self, classes: int) -> list[int]:
        """Return the index of the background class in a list, empty if there is none."""
        return [self.background_class] if 0 <= self.background_class < classes else []

    def _surviving(self, boxes: Array, scores: Array) -> list[Array]:
        """Return the indices of the surviving boxes of each class."""
        rule = Rule(self.iou_threshold, None, 0 if self.normalized else 1, self.nms_eta)
        limit = None if self.nms_top_k < 0 else self.nms_top_k
        return self.suppression.of_classes(boxes, scores, scores >= self.score_threshold, rule, limit)


class MulticlassNms8(MulticlassNms, version=8):
    """As MulticlassNms-9 without `roisnum`."""
