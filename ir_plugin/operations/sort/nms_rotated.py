"""NMSRotated: select rotated boxes that do not overlap much. Specification: sort/NMSRotated-13."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import Rule, descending, suppress
from ir_plugin.operations.sort import suppression
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, ElementType, TensorInfo


class NMSRotated(Operation, version=13):
    """Select the rotated boxes with the highest scores, of each class and batch, that do not overlap a better one much.

    `boxes` are [batches, boxes, 5]: center x and y, width, height, angle in radians, from x to y if `clockwise`;
    `scores` are [batches, classes, boxes]. Scores must be above `score_threshold`, as for NonMaxSuppression-9, which
    has the same outputs.
    """

    traits = (Selects((0,)),)
    needs_values = (2, 3, 4)

    sort_result_descending: bool
    output_type: ElementType
    clockwise: bool

    def infer(
        self,
        boxes: TensorInfo,
        scores: TensorInfo,
        max_output_boxes_per_class: TensorInfo,
        iou_threshold: TensorInfo,
        score_threshold: TensorInfo,
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return the outputs with up to the largest number of triplets."""
        suppression.check(boxes, scores, length=5)
        ranks = suppression.SCALAR_OR_ONE
        suppression.check_scalar("max_output_boxes_per_class", max_output_boxes_per_class, "integer", ranks)
        suppression.check_scalar("iou_threshold", iou_threshold, "float", ranks)
        suppression.check_scalar("score_threshold", score_threshold, "float", ranks)
        rows = suppression.rows_up_to(suppression.counts(boxes, scores, max_output_boxes_per_class))
        return suppression.tables(self.output_type, rows)

    def selected_values(self, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the scores of the selected boxes, by image and class."""
        return suppression.selected_scores(inputs[1], outputs[0])

    def evaluate(
        self,
        boxes: Array,
        scores: Array,
        max_output_boxes_per_class: Array,
        iou_threshold: Array,
        score_threshold: Array,
    ) -> tuple[Array, Array, Array]:
        """Return the selected triplets, scores and their number."""
        limit = max(int(suppression.number(max_output_boxes_per_class)), 0)
        overlap, least = suppression.number(iou_threshold), suppression.number(score_threshold)
        corners = _corners(boxes.astype(np.float64), self.clockwise)
        triplets, values = [np.zeros((0, 3), np.int64)], [np.zeros(0, scores.dtype)]
        for batch, label in np.ndindex(*scores.shape[:2]):
            class_scores = scores[batch, label]
            order = descending(class_scores, class_scores > least)
            selected = order[suppress(corners[batch, order], Rule(overlap, limit), _overlap_matrix)]
            triplets.append(np.stack([np.full_like(selected, batch), np.full_like(selected, label), selected], axis=1))
            values.append(class_scores[selected])
        rows = suppression.ordered(np.concatenate(triplets), np.concatenate(values), self.sort_result_descending)
        return suppression.outputs(*rows)


def _corners(boxes: Array, clockwise: bool) -> Array:
    """Return the corners [..., 4, 2] of boxes in order around them."""
    angle = (boxes[..., 4] if clockwise else -boxes[..., 4])[..., None]
    x = boxes[..., 2, None] / 2 * np.array([-1, 1, 1, -1])
    y = boxes[..., 3, None] / 2 * np.array([-1, -1, 1, 1])
    turned = [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)]
    return np.stack(turned, axis=-1) + boxes[..., None, :2]


def _overlap_matrix(boxes: Array, others: Array) -> Array:
    """Return intersection over union of all boxes with all others, 0 for those whose bounds do not meet."""
    result = np.zeros((len(boxes), len(others)))
    lower, upper = boxes.min(axis=1)[:, None], boxes.max(axis=1)[:, None]
    apart = ((lower > others.max(axis=1)) | (upper < others.min(axis=1))).any(axis=-1)
    rows, columns = np.nonzero(~apart)
    result[rows, columns] = rotated_overlaps(boxes[rows], others[columns])
    return result


def rotated_overlaps(boxes: Array, others: Array) -> Array:
    """Return intersection over union of paired boxes, given by their corners [n, 4, 2]."""
    crossings, crossed = _crossings(boxes, others)
    points = np.concatenate([crossings, boxes, others], axis=1)
    valid = np.concatenate([crossed, _inside(boxes, others), _inside(others, boxes)], axis=1)
    common = _hull_area(points, valid)
    union = _area(boxes) + _area(others) - common
    result: Array = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return result


def _crossings(boxes: Array, others: Array) -> tuple[Array, Array]:
    """Return the crossings (n, 16, 2) of the edges of paired boxes, and a mask of those that exist."""
    start, other_start = boxes[:, :, None], others[:, None]
    along, across = np.roll(boxes, -1, axis=1)[:, :, None] - start, np.roll(others, -1, axis=1)[:, None] - other_start
    scale = _cross(along, across)
    parallel = np.abs(scale) < 1e-14
    scale = np.where(parallel, 1, scale)
    t, u = _cross(other_start - start, across) / scale, _cross(other_start - start, along) / scale
    crossed = ~parallel & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    points = start + t[..., None] * along
    return points.reshape(len(boxes), 16, 2), crossed.reshape(len(boxes), 16)


def _inside(corners: Array, boxes: Array) -> Array:
    """Return a mask of the corners (n, 4) that lie in the boxes or on their edges."""
    origin = boxes[:, None, 0]
    result = np.ones(corners.shape[:2], np.bool_)
    for side in (boxes[:, None, 1] - origin, boxes[:, None, 3] - origin):
        share = ((corners - origin) * side).sum(axis=-1)
        result &= (share >= -1e-12) & (share <= (side * side).sum(axis=-1) + 1e-12)
    return result


def _hull_area(points: Array, valid: Array) -> Array:
    """Return the areas of the convex polygons spanned by the valid points of (n, m, 2)."""
    count = np.maximum(valid.sum(axis=1), 1)[:, None]
    middle = (points * valid[..., None]).sum(axis=1) / count
    spokes = np.where(valid[..., None], points - middle[:, None], 0)
    angles = np.where(valid, np.arctan2(spokes[..., 1], spokes[..., 0]), np.inf)
    order = np.argsort(angles, axis=1, kind="stable")
    ring = np.take_along_axis(spokes, order[..., None], axis=1)
    anchor = ring[:, :1]
    ring = np.where(np.take_along_axis(valid, order, axis=1)[..., None], ring, anchor)
    result: Array = np.abs(_cross(ring, np.roll(ring, -1, axis=1)).sum(axis=1)) / 2
    return result


def _area(boxes: Array) -> Array:
    return np.abs(_cross(boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 0]))


def _cross(left: Array, right: Array) -> Array:
    result: Array = left[..., 0] * right[..., 1] - left[..., 1] * right[..., 0]
    return result
