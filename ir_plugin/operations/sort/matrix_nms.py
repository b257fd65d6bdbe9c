"""MatrixNms: select boxes, decaying scores by the overlap with better boxes. Specification: sort/MatrixNms-8."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import descending, pairwise_overlaps
from ir_plugin.operations.memory import require
from ir_plugin.operations.sort import selection
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, ElementType, TensorInfo


class MatrixNms(Operation, version=8):
    """Return rows (class, score, x, y, x, y) of the best boxes, their indices in all boxes, and their number per image.

    `boxes` are [N, boxes, 4], `scores` [N, classes, boxes]. The best `nms_top_k` boxes above `score_threshold` of each
    class but `background_class` are candidates. Each score is multiplied by the minimum over all better boxes of
    (1 - iou) / (1 - m), where m is the largest iou of the better box with a still better one; or of exp((m² - iou²) ·
    gaussian_sigma). Boxes then above `post_threshold` are kept, at most `keep_top_k` per image. They are sorted by
    `sort_result_type`, within images or across them; none sorts by score. Boxes that are not `normalized` contain both
    corners, but do not overlap if one ends before the other begins.

    Differs from the page: classid sorts with `sort_result_across_batch` only; within images the order is by score.
    Example: classes 1 and 0 with scores 0.9 and 0.8 in one image keep this order, where the page gives 0 first.
    """

    traits = (Selects((0,), 1),)

    sort_result_type: str
    sort_result: str
    sort_result_across_batch: bool
    output_type: ElementType
    score_threshold: float
    nms_top_k: int
    keep_top_k: int
    background_class: int
    normalized: bool
    decay_function: str
    gaussian_sigma: float
    post_threshold: float

    def infer(self, boxes: TensorInfo, scores: TensorInfo) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return the outputs with up to the largest number of rows."""
        selection.check_limits(
            nms_top_k=self.nms_top_k, keep_top_k=self.keep_top_k, background_class=self.background_class
        )
        return selection.infer(boxes, scores, self.nms_top_k, self.keep_top_k, self.output_type)

    def evaluate(self, boxes: Array, scores: Array) -> tuple[Array, Array, Array]:
        """Return the selected rows, indices and numbers."""
        images: list[selection.Selected] = []
        for image in range(len(boxes)):
            parts = [
                self._of_class(image, label, boxes[image], scores[image, label])
                for label in range(scores.shape[1])
                if label != self.background_class
            ]
            images.append(selection.best_of_image(selection.joined(parts, boxes.dtype), self.keep_top_k))
        selected = selection.joined(images, boxes.dtype)
        order = (
            selection.order_of(self.sort_result_type, self.sort_result) if self.sort_result_across_batch else "score"
        )
        return selection.outputs(selected, len(boxes), order, self.sort_result_across_batch)

    def _of_class(self, image: int, label: int, boxes: Array, scores: Array) -> selection.Selected:
        """Return the selected boxes of one class of one image."""
        order = descending(scores, scores > self.score_threshold)
        if self.nms_top_k >= 0:
            order = order[: self.nms_top_k]
        decayed = scores[order] * self._decay(boxes[order])
        passing = decayed > self.post_threshold
        order = order[passing]
        images = np.full(len(order), image)
        return selection.Selected(
            images, np.full(len(order), label), decayed[passing], image * len(boxes) + order, boxes[order]
        )

    def _decay(self, boxes: Array) -> Array:
        """Return the decay factors of boxes sorted by descending score."""
        if len(boxes) == 0:
            return np.ones(0, boxes.dtype)
        require("the overlaps of all boxes", [len(boxes), len(boxes), 2], 8)
        shares = np.triu(pairwise_overlaps(boxes, boxes, 0 if self.normalized else 1), 1)
        if not self.normalized:
            corners = boxes[:, None]
            apart = np.minimum(corners[..., 2:], boxes[:, 2:]) < np.maximum(corners[..., :2], boxes[:, :2])
            shares[apart.any(axis=-1)] = 0
        most = shares.max(axis=0)[:, None]
        if self.decay_function == "gaussian":
            factors = np.exp((most**2 - shares**2) * self.gaussian_sigma)
        else:
            factors = (1 - shares) / (1 - most)
        factors[np.tri(len(boxes), dtype=np.bool_)] = np.inf
        result: Array = factors.min(axis=0)
        result[0] = 1
        return result
