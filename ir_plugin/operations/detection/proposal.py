"""Proposal: boxes that may hold an object, from anchors. Specification: detection/Proposal-4, Proposal-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Arrays, Tensors
from ir_plugin.operations.boxes import Rule, Suppressing
from ir_plugin.operations.checks import note_departure
from ir_plugin.operations.detection import proposals
from ir_plugin.operations.traits import Selects, ValueInputs
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape, TensorInfo


class Proposal(Suppressing, version=4):
    """The best boxes of each image that do not overlap by more than `nms_thresh`: rows (image, x, y, x, y), and scores.

    `class_probs` [N, 2K, H, W] has the scores of K anchors in its second half, `bbox_deltas` [N, 4K, H, W] how they
    move and grow (divided by `box_coordinate_scale` and `box_size_scale`), `image_shape` is (height, width, scale) or
    (height, width, scale of height, of width). Anchors of `base_size` with each `ratio` (height to width) and `scale`
    stand every `feat_stride` pixels. The best `pre_nms_topn` enter the suppression, `post_nms_topn` rows are left for
    each image; where there are fewer, a row that begins with -1 ends them, zeros follow. For `framework` tensorflow
    corners are (y, x, y, x), sizes are not rounded, and anchors are cut to the image first. `normalize` divides by
    height and width.

    Differs from the page: there may be more channels than anchors need; the channels after these are not read.
    Example: 1 `ratio`, 1 `scale` and `class_probs` [1,4,H,W] read the scores from channel 1.

    Differs from the page: `framework` may be any word; what is not tensorflow counts as empty.
    Example: `framework` caffe is a warning.

    Differs from the page: boxes below `min_size` times the scale are not dropped but have the score 0.
    Example: one anchor of 16 pixels and a `min_size` of 32 leave one box of score 0.

    Differs from the page: inputs may have different floating-point types; boxes have the type of `class_probs`.
    Example: Deltas of f16 beside scores of f32 are a warning.
    """

    traits = (ValueInputs((2,)), Selects((0, 1), 5))
    base_size: int
    pre_nms_topn: int
    post_nms_topn: int
    nms_thresh: float
    feat_stride: int
    min_size: int
    ratio: tuple[float, ...]
    scale: tuple[float, ...]
    clip_before_nms: bool
    clip_after_nms: bool
    normalize: bool
    box_size_scale: float
    box_coordinate_scale: float
    framework: str

    def infer(self, class_probs: TensorInfo, bbox_deltas: TensorInfo, image_shape: TensorInfo) -> Tensors:
        """Return [N · post_nms_topn, 5] and [N · post_nms_topn]."""
        inputs = {"class_probs": (class_probs, 4), "bbox_deltas": (bbox_deltas, 4), "image_shape": (image_shape, 1)}
        common = proposals.first_type(inputs, "float")
        proposals.require_counts(
            base_size=self.base_size, pre_nms_topn=self.pre_nms_topn, post_nms_topn=self.post_nms_topn,
            feat_stride=self.feat_stride,
        )  # fmt: skip
        if image_shape.shape.dims is not None and not (
            image_shape.shape[0].contains(3) or image_shape.shape[0].contains(4)
        ):
            raise ShapeError(
                "image_shape", f"image_shape has the shape {image_shape.shape}; it must hold 3 or 4 numbers"
            )
        anchors = len(self.ratio) * len(self.scale)
        for name, tensor, channels in (("class_probs", class_probs, 2), ("bbox_deltas", bbox_deltas, 4)):
            if tensor.shape.dims is not None:
                _check_channels(name, tensor.shape, channels, anchors)
        if (class_probs.shape[1] * 2).merge(bbox_deltas.shape[1]) is None:
            raise ShapeError(
                "bbox_deltas",
                f"bbox_deltas {bbox_deltas.shape} must have twice as many channels as class_probs {class_probs.shape}",
            )
        for axis, what in ((0, "images"), (2, "height"), (3, "width")):
            proposals.require_equal("bbox_deltas", what, (class_probs, axis, 1), (bbox_deltas, axis, 1))
        return self._results(common, self._images(class_probs, bbox_deltas) * self.post_nms_topn)

    def _images(self, class_probs: TensorInfo, bbox_deltas: TensorInfo) -> Dimension:
        return class_probs.shape[0].merge(bbox_deltas.shape[0]) or Dimension()

    def _results(self, common: ElementType, rows: Dimension) -> Tensors:
        return TensorInfo(common, [rows, 5]), TensorInfo(common, [rows])

    def evaluate(self, class_probs: Array, bbox_deltas: Array, image_shape: Array) -> Arrays:
        """Return the boxes and their scores."""
        images, count = len(class_probs), self.post_nms_topn
        boxes = np.zeros((images, count, 5), np.float64)
        scores = np.zeros((images, count), class_probs.dtype)
        anchors = self._anchors(*class_probs.shape[2:])
        each = len(self.ratio) * len(self.scale)
        image = image_shape.astype(np.float64)
        for number in range(images):
            corners = self._moved(anchors, proposals.by_anchor(bbox_deltas[number, : 4 * each], 4), image)
            probabilities = proposals.by_anchor(class_probs[number, each : 2 * each], 1)[:, 0]
            probabilities = probabilities * proposals.large(corners, self.min_size * image[[-1, 2]], self._margin)
            rule = Rule(self.nms_thresh, count, self._margin)
            chosen = self.best(corners, probabilities, self.pre_nms_topn, rule)
            boxes[number, : len(chosen), 0] = number
            boxes[number, : len(chosen), 1:] = self._finished(corners[chosen], image)
            boxes[number, len(chosen) : len(chosen) + 1, 0] = -1
            scores[number, : len(chosen)] = probabilities[chosen]
        return boxes.reshape(-1, 5), scores.reshape(-1)

    @property
    def _margin(self) -> float:
        return 0 if self.framework == "tensorflow" else 1

    def _anchors(self, height: int, width: int) -> Array:
        """Return the anchors at all positions of the grid."""
        anchors: list[list[float]] = []
        for ratio in self.ratio:
            wide = (self.base_size**2 / ratio) ** 0.5
            if self.framework != "tensorflow":
                wide = np.floor(wide + 0.5)
            high = wide * ratio if self.framework == "tensorflow" else np.floor(wide * ratio + 0.5)
            for scale in self.scale:
                half = [(wide * scale - self._margin) / 2, (high * scale - self._margin) / 2]
                anchors.append([-half[0], -half[1], half[0], half[1]])
        centered = np.array(anchors) + (0 if self.framework == "tensorflow" else (self.base_size - 1) / 2)
        y, x = np.mgrid[:height, :width] * self.feat_stride
        shifts = [y, x, y, x] if self.framework == "tensorflow" else [x, y, x, y]
        return (np.stack(shifts, axis=-1)[:, :, None] + centered).reshape(-1, 4)

    def _moved(self, anchors: Array, deltas: Array, image: Array) -> Array:
        """Return the anchors moved by the deltas."""
        first, second = self._sides(image)
        if self.framework == "tensorflow":
            anchors = proposals.cut(anchors, first, second)
        scales = [self.box_coordinate_scale] * 2 + [self.box_size_scale] * 2
        boxes = proposals.moved(anchors, deltas / np.array(scales), self._margin, np.inf)
        boxes[:, 2:] += self._margin
        if self.clip_before_nms:
            boxes = proposals.cut(boxes, first - self._margin, second - self._margin)
        return boxes

    def _finished(self, boxes: Array, image: Array) -> Array:
        sides = self._sides(image)
        if self.clip_after_nms:
            boxes = proposals.cut(boxes, *sides)
        result: Array = boxes / np.array(sides * 2) if self.normalize else boxes
        return result

    def _sides(self, image: Array) -> tuple[float, float]:
        """Return the lengths of the image along the first and the second coordinate of a corner."""
        height, width = image[:2]
        return (height, width) if self.framework == "tensorflow" else (width, height)


def _check_channels(name: str, shape: PartialShape, each: int, anchors: int) -> None:
    """Raise where there are fewer channels than the anchors need; note where there are more."""
    if shape[1].compatible(each * anchors):
        return
    message = f"{name} {shape} has {shape[1]} channels; {each} for each of {anchors} anchors are {each * anchors}"
    if not shape[1].compatible(Dimension(each * anchors, -1)):
        raise ShapeError(name, message)
    note_departure(name, message)


class Proposal1(Proposal, version=1):
    """As Proposal-4, but without the scores."""

    def _results(self, common: ElementType, rows: Dimension) -> Tensors:
        return TensorInfo(common, [rows, 5])

    def evaluate(self, class_probs: Array, bbox_deltas: Array, image_shape: Array) -> Arrays:
        """Return the boxes."""
        return super().evaluate(class_probs, bbox_deltas, image_shape)[0]
