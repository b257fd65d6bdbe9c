"""NonMaxSuppression: select boxes that do not overlap much. Specification: sort/NonMaxSuppression-9, -5, -4, -3, -1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ir_plugin.operations.base import Arrays, Tensors
from ir_plugin.operations.boxes import Rule, Suppressing, overlaps
from ir_plugin.operations.shapes import scalar_of
from ir_plugin.operations.sort import suppression
from ir_plugin.operations.traits import Selects, ValueInputs
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class NonMaxSuppression(Suppressing, version=9):
    """Select the boxes with the highest scores, of each class and batch, that do not overlap a better one much.

    `boxes` are [batches, boxes, 4], two opposite corners (y, x, y, x) or, for `box_encoding` center, centre, width and
    height; `scores` are [batches, classes, boxes]. At most `max_output_boxes_per_class` (0 if absent) are kept per
    class. A box whose intersection over union with a kept one is above `iou_threshold` is dropped; with a
    `soft_nms_sigma` s above 0 its score is multiplied by exp(-iou² / 2s) instead. The outputs are triplets (batch,
    class, box), triplets (batch, class, score) in f32, and their number; `sort_result_descending` sorts all by score,
    equal scores by batch, class and box.

    Differs from the page: a score must be above `score_threshold`; a score equal to it does not pass.
    Example: a box of score 0.5 is not selected for a threshold of 0.5.

    OpenVINO's CPU differs: boxes whose overlap equals `iou_threshold` are dropped.
    Example: an overlap of 0.5 and a threshold of 0.5 keep the box; the CPU drops it.
    """

    traits = (ValueInputs((4,)), Selects((0,)))
    needs_values = (2, 3, 4, 5)
    ranks: ClassVar[tuple[int, ...]] = suppression.SCALAR_OR_ONE
    soft_threshold: ClassVar[bool] = False

    box_encoding: str
    sort_result_descending: bool
    output_type: ElementType

    def infer(
        self,
        boxes: TensorInfo,
        scores: TensorInfo,
        max_output_boxes_per_class: TensorInfo | None = None,
        iou_threshold: TensorInfo | None = None,
        score_threshold: TensorInfo | None = None,
        soft_nms_sigma: TensorInfo | None = None,
    ) -> Tensors:
        """Return the outputs with up to the largest number of triplets."""
        suppression.check(boxes, scores)
        suppression.check_scalar("max_output_boxes_per_class", max_output_boxes_per_class, "integer", self.ranks)
        suppression.check_scalar("iou_threshold", iou_threshold, "float", self.ranks)
        suppression.check_scalar("score_threshold", score_threshold, "float", self.ranks)
        suppression.check_scalar("soft_nms_sigma", soft_nms_sigma, "float", self.ranks)
        return self._results(boxes, scores, max_output_boxes_per_class)

    def _results(self, boxes: TensorInfo, scores: TensorInfo, limit: TensorInfo | None) -> Tensors:
        rows = suppression.rows_up_to(suppression.counts(boxes, scores, limit))
        return suppression.tables(self.output_type, rows)

    def selected_values(self, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the scores of the selected boxes, by image and class."""
        return suppression.selected_scores(inputs[1], outputs[0])

    def evaluate(
        self,
        boxes: Array,
        scores: Array,
        max_output_boxes_per_class: Array | None = None,
        iou_threshold: Array | None = None,
        score_threshold: Array | None = None,
        soft_nms_sigma: Array | None = None,
    ) -> Arrays:
        """Return the selected triplets, scores and their number."""
        limit = int(suppression.number(max_output_boxes_per_class))
        overlap, least, sigma = map(suppression.number, (iou_threshold, score_threshold, soft_nms_sigma))
        triplets, values = self._selected(boxes, scores, limit, overlap, least, sigma)
        return self._outputs(triplets, values)

    def _outputs(self, triplets: Array, scores: Array) -> Arrays:
        return suppression.outputs(triplets, scores)

    def _selected(
        self, boxes: Array, scores: Array, limit: int, overlap: float, least: float, sigma: float
    ) -> tuple[Array, Array]:
        """Return triplets and scores."""
        selected, values = [np.zeros(0, np.int64)], [np.zeros(0, scores.dtype)]
        rule = Rule(overlap, max(limit, 0))
        for corners, classes in zip(self._corners(boxes), scores, strict=True):
            if sigma > 0:
                soft = [self._soft(corners, row, limit, overlap, least, sigma) for row in classes]
                selected += [indices for indices, _ in soft]
                values += [soft_scores for _, soft_scores in soft]
            else:
                hard = self.suppression.of_classes(corners, classes, classes > least, rule)
                selected += hard
                values += [row[indices] for indices, row in zip(hard, classes, strict=True)]
        batches, labels = suppression.batches_and_classes(selected[1:], scores.shape[1])
        triplets = np.stack([batches, labels, np.concatenate(selected)], axis=1)
        return suppression.ordered(triplets, np.concatenate(values), self.sort_result_descending)

    def _corners(self, boxes: Array) -> Array:
        """Return the corners of the boxes, smaller first, each coordinate contiguous in memory."""
        coordinates = np.ascontiguousarray(np.moveaxis(boxes, -1, 0))
        first, second = coordinates[:2], coordinates[2:]
        if self.box_encoding == "center":
            first, second = first - second / 2, first + second / 2
        return np.moveaxis(np.concatenate([np.minimum(first, second), np.maximum(first, second)]), 0, -1)

    def _soft(
        self, corners: Array, scores: Array, limit: int, overlap: float, least: float, sigma: float
    ) -> tuple[Array, Array]:
        """Return the kept boxes and their scores at that time, with scores lowered by overlaps."""
        remaining = np.where(scores > least, scores, -np.inf)
        selected: list[int] = []
        values: list[float] = []
        while len(selected) < limit and remaining.size and remaining.max() > -np.inf:
            best = int(remaining.argmax())
            selected.append(best)
            values.append(remaining[best])
            shares = overlaps(corners[best], corners)
            remaining = remaining * np.exp(-0.5 * shares * shares / sigma)
            dropped = (shares > overlap) & self.soft_threshold | ~(remaining > least)
            remaining = np.where(dropped, -np.inf, remaining)
            remaining[best] = -np.inf
        return np.array(selected, np.int64), np.array(values, scores.dtype)


class NonMaxSuppression5(NonMaxSuppression, version=5):
    """As NonMaxSuppression-9, but a box above `iou_threshold` is dropped with `soft_nms_sigma` too.

    OpenVINO's CPU differs: with `soft_nms_sigma` no box is dropped for its overlap, as in version 9.
    Example: two equal boxes and a sigma of 0.5 give the better one; the CPU gives both.
    """

    soft_threshold = True


class NonMaxSuppression4(NonMaxSuppression, version=4):
    """As NonMaxSuppression-9, but without `soft_nms_sigma`, and with the triplets as the only output.

    In a model that is read it has min(boxes, `max_output_boxes_per_class`) rows for each class of each batch.

    Differs from the page: a compiled model gives the rows of selected boxes only, and up to that many of them.
    Example: 6 boxes of which 2 are selected give [2,3], where the page fills up to [6,3] with rows of -1.
    """

    ranks = suppression.SCALAR
    reshaped_by_compiling = True

    def _results(self, boxes: TensorInfo, scores: TensorInfo, limit: TensorInfo | None) -> Tensors:
        if self.is_compiled:
            return TensorInfo(self.output_type, [suppression.rows_up_to(suppression.counts(boxes, scores, limit)), 3])
        count = 0 if limit is None else scalar_of("max_output_boxes_per_class", limit)
        rows = Dimension(0) if count == 0 else Dimension()
        if count and count > 0 and boxes.shape.dims is not None and scores.shape.dims is not None:
            dims = (boxes.shape[1], scores.shape[1], scores.shape[0])
            if all(dim.is_static for dim in dims):
                rows = Dimension(self._rows((dims[0].lower, count, dims[1].lower, dims[2].lower)))
        return TensorInfo(self.output_type, [rows, 3])

    def _rows(self, counts: tuple[int, ...]) -> int:
        boxes, limit, classes, batches = counts
        return min(boxes, limit) * classes * batches

    def _outputs(self, triplets: Array, _scores: Array) -> Arrays:
        return triplets


class NonMaxSuppression3(NonMaxSuppression4, version=3):
    """As NonMaxSuppression-4, but min(boxes, `max_output_boxes_per_class` · classes) rows in a model that is read.

    Differs from the page: a compiled model gives all selected boxes of all images and classes.
    Example: 2 images with 6 boxes and 2 classes, of which 3 boxes of each class are selected, give [12,3], where the
    page has [6,3].
    """

    def _rows(self, counts: tuple[int, ...]) -> int:
        boxes, limit, classes, _ = counts
        return min(boxes, limit * classes)


class NonMaxSuppression1(NonMaxSuppression3, version=1):
    """As NonMaxSuppression-3, but the output is always i64."""

    output_type = ElementType.i64
