"""ExperimentalDetectronGenerateProposalsSingleImage: boxes that may hold an object, from given anchors.

Specification: detection/ExperimentalDetectronGenerateProposalsSingleImage-6.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.boxes import Rule, Suppressing
from ir_plugin.operations.detection import proposals
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, TensorInfo


class ExperimentalDetectronGenerateProposalsSingleImage(Suppressing, version=6):
    """The best `post_nms_count` boxes of one image that do not overlap by more than `nms_threshold`, and their scores.

    `im_info` is (height, width, scale), `anchors` [H · W · A, 4] are moved by `deltas` [4A, H, W] and cut to the image,
    `scores` are [A, H, W]. The best `pre_nms_count` boxes enter the suppression; zeros pad the outputs.

    Differs from the page: boxes narrower or lower than `min_size` are not dropped but have the score 0. Example:
    with `min_size` 12 a box of 10 x 10 is a row of the output, with the score 0.
    """

    traits = (Selects((0, 1), 4),)

    min_size: float
    nms_threshold: float
    pre_nms_count: int
    post_nms_count: int

    def infer(
        self, im_info: TensorInfo, anchors: TensorInfo, deltas: TensorInfo, scores: TensorInfo
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return [post_nms_count, 4] and [post_nms_count]."""
        inputs = {"im_info": (im_info, 1), "anchors": (anchors, 2), "deltas": (deltas, 3), "scores": (scores, 3)}
        common = proposals.common_type(inputs)
        for name, count in (("pre_nms_count", self.pre_nms_count), ("post_nms_count", self.post_nms_count)):
            if count < 0:
                raise ShapeError(name, f"{name} is {count}; it must not be negative")
        for name, tensor, axis, length in (("im_info", im_info, 0, 3), ("anchors", anchors, 1, 4)):
            if tensor.shape.dims is not None and not tensor.shape[axis].compatible(length):
                raise ShapeError(name, f"{name} has the shape {tensor.shape}; dimension {axis} must be {length}")
        for axis, divisor, what in ((0, 4, "anchors"), (1, 1, "height"), (2, 1, "width")):
            proposals.require_equal("scores", what, (deltas, axis, divisor), (scores, axis, 1))
        if (
            scores.shape.is_static
            and anchors.shape.dims is not None
            and not anchors.shape[0].compatible(scores.shape.size)
        ):
            raise ShapeError(
                "anchors",
                f"anchors {anchors.shape} has {anchors.shape[0]} rows, scores {scores.shape} has {scores.shape.size} "
                "elements",
            )
        return TensorInfo(common, [self.post_nms_count, 4]), TensorInfo(common, [self.post_nms_count])

    def evaluate(self, im_info: Array, anchors: Array, deltas: Array, scores: Array) -> tuple[Array, Array]:
        """Return boxes and scores."""
        height, width = im_info[:2].astype(np.float64)
        corners = proposals.moved(anchors.astype(np.float64), proposals.by_anchor(deltas, 4), 1)
        corners = proposals.cut(corners, width - 1, height - 1)
        probabilities = proposals.by_anchor(scores, 1)[:, 0]
        probabilities = probabilities * proposals.large(corners, np.full(2, self.min_size), 1)
        rule = Rule(self.nms_threshold, self.post_nms_count, margin=1)
        chosen = self.best(corners, probabilities, self.pre_nms_count, rule)
        boxes, values = np.zeros((self.post_nms_count, 4)), np.zeros(self.post_nms_count, scores.dtype)
        boxes[: len(chosen)], values[: len(chosen)] = corners[chosen], probabilities[chosen]
        return boxes, values
