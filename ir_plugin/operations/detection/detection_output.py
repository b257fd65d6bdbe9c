"""DetectionOutput: the boxes that an SSD network finds.

Specification: detection/DetectionOutput-8, DetectionOutput-1.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.boxes import Rule, Suppressing, descending
from ir_plugin.operations.checks import merge_types, note_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class DetectionOutput(Suppressing, version=8):
    """Boxes decoded from logits and priors, after non-maximum suppression for each class.

    Inputs are logits [N, priors · classes · 4] ([N, priors · 4] with `share_location`), class predictions [N, priors ·
    classes] and priors [1 or N, 2, priors · 4], with four variances for each prior in the second row, which is absent
    with `variance_encoded_in_target`. Unless `normalized`, a prior has 5 numbers: an image number and corners in
    pixels. A first stage may add predictions of objectness [N, priors · 2] and logits of boxes. The output [1, 1, rows,
    7] has rows (image, class, score, x, y, x, y); a row that begins with -1 ends them, zeros follow.

    For each class but `background_label_id`, the best `top_k` boxes with scores above `confidence_threshold` enter the
    suppression of boxes that overlap by more than `nms_threshold`; the best `keep_top_k` of an image remain, in the
    order of classes. With `decrease_label_id` each prior counts for its best class only, the best `top_k` of all
    classes enter the suppression, and classes count from 0 without the background.

    Differs from the page: `proposals` may have another floating-point type than the logits.
    Example: Priors of f16 beside logits of f32 are a warning.
    """

    traits = (Selects((0,), 2),)

    background_label_id: int
    top_k: int
    variance_encoded_in_target: bool
    keep_top_k: tuple[int, ...]
    code_type: str
    share_location: bool
    nms_threshold: float
    confidence_threshold: float
    clip_after_nms: bool
    clip_before_nms: bool
    decrease_label_id: bool
    normalized: bool
    input_height: int
    input_width: int
    objectness_score: float

    def infer(
        self,
        box_logits: TensorInfo,
        class_preds: TensorInfo,
        proposals: TensorInfo,
        aux_class_preds: TensorInfo | None = None,
        aux_box_preds: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return [1, 1, rows, 7] with as many rows as there may be detections."""
        inputs = {"box_logits": box_logits, "class_preds": class_preds, "proposals": proposals}
        inputs |= {} if aux_class_preds is None else {"aux_class_preds": aux_class_preds}
        inputs |= {} if aux_box_preds is None else {"aux_box_preds": aux_box_preds}
        for name, tensor in inputs.items():
            require_type(name, tensor, "float")
            require_rank(name, tensor.shape, 3 if name == "proposals" else 2)
        if len(inputs) == 4:
            raise ShapeError("aux_box_preds", "aux_class_preds is connected, aux_box_preds is not")
        if not self.keep_top_k:
            raise ShapeError("keep_top_k", "keep_top_k is empty; it must have a value")
        priors = self._priors(box_logits.shape, proposals.shape)
        classes = self._classes(class_preds.shape, priors)
        self._check(inputs, priors, classes)
        batch = box_logits.shape[0].merge(class_preds.shape[0]) or Dimension()
        shape = PartialShape([1, 1, self._rows(batch, classes, priors), 7])
        element_type = merge_types(*(tensor for name, tensor in inputs.items() if name != "proposals"))
        note_types({"box_logits": box_logits, "proposals": proposals}, "float", accepted=("float",))
        return TensorInfo(element_type, shape)

    @property
    def _prior_size(self) -> int:
        return 4 if self.normalized else 5

    def _priors(self, logits: PartialShape, proposals: PartialShape) -> int | None:
        """Return the number of priors, if it is known."""
        if proposals.dims is not None and proposals[2].is_static:
            if proposals[2].lower % self._prior_size:
                raise ShapeError(
                    "proposals", f"proposals {proposals} has {proposals[2]} values, no multiple of {self._prior_size}"
                )
            return proposals[2].lower // self._prior_size
        each = self._located()
        is_known = each is not None and logits.dims is not None and logits[1].is_static
        return logits[1].lower // (4 * each) if is_known and each else None

    def _located(self) -> int | None:
        """Return the number of boxes per prior, if it is known without the class predictions."""
        return 1 if self.share_location else None

    def _classes(self, predictions: PartialShape, priors: int | None) -> int | None:
        """Return the number of classes, if it is known."""
        if not priors or predictions.dims is None or predictions[1].is_dynamic:
            return None
        return predictions[1].lower // priors

    def _rows(self, batch: Dimension, classes: int | None, priors: int | None) -> Dimension:
        if self.keep_top_k[0] > 0:
            return batch * self.keep_top_k[0]
        if self.keep_top_k[0] == -1 and self.top_k > 0:
            return Dimension() if classes is None else batch * (self.top_k * classes)
        return Dimension() if classes is None or priors is None else batch * (classes * priors)

    def _check(self, inputs: dict[str, TensorInfo], priors: int | None, classes: int | None) -> None:
        """Raise if the inputs' shapes do not fit one another."""
        expected: dict[str, tuple[int | None, ...]] = {
            "box_logits": (priors, 4, 1 if self.share_location else classes),
            "class_preds": (priors, classes),
            "aux_class_preds": (priors, 2),
            "aux_box_preds": (priors, 4, 1 if self.share_location else classes),
        }
        batch = Dimension()
        for name, tensor in inputs.items():
            shape = tensor.shape
            if shape.dims is None:
                continue
            factors = expected.get(name, (None,))
            if None not in factors and not shape[1].compatible(int(np.prod([f or 0 for f in factors]))):
                product = " · ".join(map(str, factors))
                raise ShapeError(name, f"{name} has the shape {shape}; its second dimension must be {product}")
            merged = batch if name == "proposals" and shape[0].contains(1) else batch.merge(shape[0])
            if merged is None:
                raise ShapeError(name, f"{name} {shape} has {shape[0]} images, others have {batch}")
            batch = merged
        rows = 1 if self.variance_encoded_in_target else 2
        proposals = inputs["proposals"].shape
        if proposals.dims is not None and not proposals[1].compatible(rows):
            raise ShapeError("proposals", f"proposals has the shape {proposals}; its second dimension must be {rows}")

    def evaluate(
        self,
        box_logits: Array,
        class_preds: Array,
        proposals: Array,
        aux_class_preds: Array | None = None,
        aux_box_preds: Array | None = None,
    ) -> Array:
        """Return the detections."""
        images = len(box_logits)
        count = proposals.shape[2] // self._prior_size
        scores = class_preds.reshape(images, count, -1)
        boxes = self._boxes(box_logits.reshape(images, count, -1, 4), proposals, aux_box_preds)
        if aux_class_preds is not None:
            nothing = aux_class_preds.reshape(images, count, 2)[..., 1:] < self.objectness_score
            background = np.arange(scores.shape[2]) == self.background_label_id
            scores = np.where(nothing, background, scores)
        detections = [self._detect(image, boxes[image], scores[image]) for image in range(images)]
        rows = np.concatenate([np.zeros((0, 7), scores.dtype), *detections])
        limit = self._rows(Dimension(images), scores.shape[2], count).lower
        result = np.zeros((1, 1, limit, 7), scores.dtype)
        result[0, 0, : len(rows)] = rows[:limit]
        if len(rows) < limit:
            result[0, 0, len(rows), 0] = -1
        return result

    def _boxes(self, logits: Array, proposals: Array, first: Array | None) -> Array:
        """Return the corners [N, priors, classes or 1, 4] of all boxes, in fractions of the image."""
        count = proposals.shape[2] // self._prior_size
        priors = proposals[:, 0].reshape(-1, count, 1, self._prior_size)[..., -4:]
        if not self.normalized:
            priors = priors / np.array([self.input_width, self.input_height] * 2, priors.dtype)
        variances = np.ones_like(priors)
        if not self.variance_encoded_in_target:
            variances = proposals[:, 1, : 4 * count].reshape(-1, count, 1, 4)
        if first is not None:
            priors = self._decoded(first.reshape(len(first), count, -1, 4), priors, variances)
        boxes = self._decoded(logits, priors, variances)
        return boxes.clip(0, 1) if self.clip_before_nms else boxes

    def _decoded(self, logits: Array, priors: Array, variances: Array) -> Array:
        """Return the corners of boxes that are encoded relative to priors."""
        if self.code_type.lower().endswith("corner"):
            result: Array = priors + variances * logits
            return result
        sizes = priors[..., 2:] - priors[..., :2]
        centers = (priors[..., 2:] + priors[..., :2]) / 2 + variances[..., :2] * logits[..., :2] * sizes
        half = np.exp(variances[..., 2:] * logits[..., 2:]) * sizes / 2
        return np.concatenate([centers - half, centers + half], axis=-1)

    def _detect(self, image: int, boxes: Array, scores: Array) -> Array:
        """Return the rows of one image."""
        chosen = self._by_best(boxes, scores) if self.decrease_label_id else self._by_class(boxes, scores)
        labels, priors = chosen
        confidences = scores[priors, labels]
        if -1 < self.keep_top_k[0] < len(labels):
            best = descending(confidences)[: self.keep_top_k[0]]
            best = best[np.argsort(labels[best], kind="stable")]
            labels, priors, confidences = labels[best], priors[best], confidences[best]
        corners = boxes[priors, 0 if self.share_location else labels]
        if self.clip_after_nms:
            corners = corners.clip(0, 1)
        heads = np.stack([np.full(len(labels), image), labels - self.decrease_label_id], axis=1)
        return np.concatenate([heads, confidences[:, None], corners], axis=1)

    def _by_class(self, boxes: Array, scores: Array) -> tuple[Array, Array]:
        """Return classes and priors of the detections, each class on its own."""
        labels: list[Array] = [np.zeros(0, np.int64)]
        priors: list[Array] = [np.zeros(0, np.int64)]
        for label in range(scores.shape[1]):
            if label == self.background_label_id:
                continue
            candidates = self._candidates(scores[:, label])
            corners = boxes[candidates, 0 if self.share_location else label]
            chosen = candidates[self.suppression.among(corners, Rule(self.nms_threshold))]
            labels.append(np.full(len(chosen), label))
            priors.append(chosen)
        return np.concatenate(labels), np.concatenate(priors)

    def _by_best(self, boxes: Array, scores: Array) -> tuple[Array, Array]:
        """Return classes and priors of the detections, each prior in its best class only."""
        usable = scores.copy()
        if 0 <= self.background_label_id < scores.shape[1]:
            usable[:, self.background_label_id] = -np.inf
        best = usable.argmax(axis=1)
        candidates = self._candidates(usable.max(axis=1))
        labels: list[Array] = [np.zeros(0, np.int64)]
        priors: list[Array] = [np.zeros(0, np.int64)]
        for label in np.unique(best[candidates]):
            members = candidates[best[candidates] == label]
            corners = boxes[members, 0 if self.share_location else label]
            chosen = members[self.suppression.among(corners, Rule(self.nms_threshold))]
            labels.append(np.full(len(chosen), label))
            priors.append(chosen)
        return np.concatenate(labels), np.concatenate(priors)

    def _candidates(self, scores: Array) -> Array:
        """Return the positions of the scores above the threshold, the highest first, at most `top_k`."""
        order = descending(scores, scores > self.confidence_threshold)
        return order if self.top_k < 0 else order[: self.top_k]


class DetectionOutput1(DetectionOutput, version=1):
    """As DetectionOutput-8, but the number of classes is an attribute."""

    num_classes: int

    def _located(self) -> int | None:
        return 1 if self.share_location else self.num_classes

    def _classes(self, _predictions: PartialShape, _priors: int | None) -> int | None:
        return self.num_classes
