"""GenerateProposals: boxes that may hold an object, from given anchors.

Specification: detection/GenerateProposals-9.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.boxes import Rule, Suppressing, descending
from ir_plugin.operations.detection import proposals
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class GenerateProposals(Suppressing, version=9):
    """The best boxes of each image that do not overlap too much, their scores, and how many each image has.

    `im_info` is [N, 3 or 4]: height, width, scale (of height, of width); `anchors` [H, W, A, 4] are moved by `deltas`
    [N, 4A, H, W] and cut to the image; `scores` are [N, A, H, W]. The best `pre_nms_count` boxes of an image, without
    those below `min_size` times the scale, enter the suppression with `nms_threshold` (which falls with an `nms_eta`
    below 1; OpenVINO refuses one); at most `post_nms_count` remain. Unless `normalized`, boxes include both corners.

    Differs from the page: inputs may have any number or boolean type, also different ones; boxes have the type of
    `im_info`.
    Example: Anchors of i32 beside scores of f32 are a warning.
    """

    traits = (Selects((0, 1), 4),)

    min_size: float
    nms_threshold: float
    pre_nms_count: int
    post_nms_count: int
    normalized: bool
    nms_eta: float
    roi_num_type: ElementType

    def infer(
        self, im_info: TensorInfo, anchors: TensorInfo, deltas: TensorInfo, scores: TensorInfo
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return as many boxes as there may be, their scores, and [N]."""
        inputs = {"im_info": (im_info, 2), "anchors": (anchors, 4), "deltas": (deltas, 4), "scores": (scores, 4)}
        common = proposals.first_type(inputs, "number", "boolean")
        proposals.require_counts(pre_nms_count=self.pre_nms_count, post_nms_count=self.post_nms_count)
        if im_info.shape.dims is not None and not (im_info.shape[1].contains(3) or im_info.shape[1].contains(4)):
            raise ShapeError("im_info", f"im_info has the shape {im_info.shape}; its second dimension must be 3 or 4")
        if anchors.shape.dims is not None and not anchors.shape[3].compatible(4):
            raise ShapeError("anchors", f"anchors has the shape {anchors.shape}; its last dimension must be 4")
        proposals.require_equal("scores", "images", (im_info, 0, 1), (deltas, 0, 1), (scores, 0, 1))
        proposals.require_equal("scores", "height", (anchors, 0, 1), (deltas, 2, 1), (scores, 2, 1))
        proposals.require_equal("scores", "width", (anchors, 1, 1), (deltas, 3, 1), (scores, 3, 1))
        proposals.require_equal("scores", "anchors", (anchors, 2, 1), (deltas, 1, 4), (scores, 1, 1))
        images = im_info.shape[0].merge(deltas.shape[0]) or Dimension()
        images = images.merge(scores.shape[0]) or Dimension()
        rows = Dimension(0, images.max_length) * self.post_nms_count
        return TensorInfo(common, [rows, 4]), TensorInfo(common, [rows]), TensorInfo(self.roi_num_type, [images])

    def evaluate(self, im_info: Array, anchors: Array, deltas: Array, scores: Array) -> tuple[Array, Array, Array]:
        """Return boxes, scores and their numbers."""
        margin = 0 if self.normalized else 1
        boxes, values = [np.zeros((0, 4))], [np.zeros(0, scores.dtype)]
        for info, delta, score in zip(im_info.astype(np.float64), deltas, scores, strict=True):
            corners = proposals.moved(anchors.reshape(-1, 4).astype(np.float64), proposals.by_anchor(delta, 4), margin)
            corners = proposals.cut(corners, info[1] - margin, info[0] - margin)
            probabilities = proposals.by_anchor(score, 1)[:, 0]
            chosen = self._choose(corners, probabilities, self.min_size * info[[-1, 2]], margin)
            boxes.append(corners[chosen])
            values.append(probabilities[chosen])
        return np.concatenate(boxes), np.concatenate(values), np.array([len(value) for value in values[1:]], np.int64)

    def _choose(self, boxes: Array, scores: Array, least: Array, margin: float) -> Array:
        best = descending(scores)[: self.pre_nms_count]
        best = best[proposals.large(boxes[best], least, margin)]
        rule = Rule(self.nms_threshold, self.post_nms_count, margin, self.nms_eta)
        return best[self.best(boxes[best], scores[best], self.pre_nms_count, rule)]
