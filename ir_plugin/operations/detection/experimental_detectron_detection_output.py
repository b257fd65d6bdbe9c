"""ExperimentalDetectronDetectionOutput: the boxes that a Detectron network finds.

Specification: detection/ExperimentalDetectronDetectionOutput-6.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.boxes import Rule, Suppressing, descending
from ir_plugin.operations.detection import proposals
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, ElementType, TensorInfo


class ExperimentalDetectronDetectionOutput(Suppressing, version=6):
    """The best boxes of all classes but the first, the background; their classes (i32); and their scores.

    `rois` [R, 4] are moved by `deltas` [R, 4 · classes] divided by `deltas_weights`, and negative corners become 0
    (`im_info` is [1, 3]: height, width, scale). Of each class, boxes of `scores` [R, classes] above `score_threshold`
    enter the suppression, which leaves at most `post_nms_count`. The outputs are the remaining boxes in the order of
    classes, or if they are more, the best `max_detections_per_image` in the order of scores. Zeros pad the outputs.

    Differs from the page: boxes are not cut at the right and the bottom of the image. Example: in an image 32 wide, a
    box that ends at 34 stays so.

    Differs from the page: rois without extent are left out. Example: the roi [4, 4, 4, 8] gives no box.
    """

    traits = (Selects((0, 2, 1), 4),)

    score_threshold: float
    nms_threshold: float
    num_classes: int
    post_nms_count: int
    max_detections_per_image: int
    class_agnostic_box_regression: bool
    max_delta_log_wh: float
    deltas_weights: tuple[float, ...]

    def infer(
        self, rois: TensorInfo, deltas: TensorInfo, scores: TensorInfo, im_info: TensorInfo
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return [count, 4], [count] and [count] for the count of detections of an image."""
        inputs = {"rois": (rois, 2), "deltas": (deltas, 2), "scores": (scores, 2), "im_info": (im_info, 2)}
        common = proposals.common_type(inputs)
        widths = {"rois": 4, "deltas": 4 * self.num_classes, "scores": self.num_classes, "im_info": 3}
        for name, (tensor, _) in inputs.items():
            if tensor.shape.dims is not None and not tensor.shape[1].compatible(widths[name]):
                raise ShapeError(
                    name, f"{name} has the shape {tensor.shape}; its second dimension must be {widths[name]}"
                )
        if im_info.shape.dims is not None and not im_info.shape[0].compatible(1):
            raise ShapeError("im_info", f"im_info has the shape {im_info.shape}; it must be of one image")
        proposals.require_equal("scores", "rois", (rois, 0, 1), (deltas, 0, 1), (scores, 0, 1))
        if len(self.deltas_weights) != 4:
            raise ShapeError("deltas_weights", f"deltas_weights has {len(self.deltas_weights)} values; it must have 4")
        if self.max_detections_per_image < 0:
            raise ShapeError(
                "max_detections_per_image",
                f"max_detections_per_image is {self.max_detections_per_image}; it must not be negative",
            )
        count = self.max_detections_per_image
        return TensorInfo(common, [count, 4]), TensorInfo(ElementType.i32, [count]), TensorInfo(common, [count])

    def evaluate(self, rois: Array, deltas: Array, scores: Array, _im_info: Array) -> tuple[Array, Array, Array]:
        """Return boxes, classes and scores."""
        extended = np.flatnonzero((rois[:, 2:] > rois[:, :2]).all(axis=1))
        boxes, labels, values = [np.zeros((0, 4))], [np.zeros(0, np.int64)], [np.zeros(0, scores.dtype)]
        for label in range(1, self.num_classes):
            class_scores = scores[extended, label]
            order = descending(class_scores, class_scores > self.score_threshold)
            chosen = extended[order]
            shifts = deltas[chosen, 4 * label : 4 * label + 4] / np.array(self.deltas_weights)
            corners = proposals.moved(rois[chosen].astype(np.float64), shifts, 1, self.max_delta_log_wh)
            corners = np.maximum(corners, 0)
            best = self.suppression.among(corners, Rule(self.nms_threshold, self.post_nms_count, margin=1))
            boxes.append(corners[best])
            labels.append(np.full(len(best), label))
            values.append(class_scores[order][best])
        return self._best(np.concatenate(boxes), np.concatenate(labels), np.concatenate(values))

    def _best(self, boxes: Array, labels: Array, values: Array) -> tuple[Array, Array, Array]:
        """Return the detections of the highest scores, padded to the fixed size."""
        count = self.max_detections_per_image
        order = descending(values)[:count] if len(values) > count else np.arange(len(values))
        results = (np.zeros((count, 4)), np.zeros(count, np.int64), np.zeros(count, values.dtype))
        for result, source in zip(results, (boxes, labels, values), strict=True):
            result[: len(order)] = source[order]
        return results
