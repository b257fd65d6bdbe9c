"""Checks, bounds and order of the outputs, shared by MatrixNms and MulticlassNms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import merge_types
from ir_plugin.operations.sort import suppression
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class Selected(NamedTuple):
    """Selected boxes of all images: image, class, score, index in the flattened boxes, corners."""

    images: Array
    labels: Array
    scores: Array
    box_indices: Array
    corners: Array

    def take(self, order: Array) -> Selected:
        """Return the boxes at the indices `order`."""
        return Selected(*(column[order] for column in self))


def joined(parts: list[Selected], dtype: np.dtype[np.generic]) -> Selected:
    """Return the boxes of all parts."""
    none = np.zeros(0, np.int64)
    empty = Selected(none, none, np.zeros(0, dtype), none, np.zeros((0, 4), dtype))
    return Selected(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def check_limits(**limits: int) -> None:
    """Raise if a limit is below -1, which disables it."""
    for name, value in limits.items():
        if value < -1:
            raise ShapeError(name, f"{name} is {value}; it must be -1 or more")


def infer(
    boxes: TensorInfo, scores: TensorInfo, per_class: int, per_image: int, index_type: ElementType
) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
    """Return the outputs for boxes [N, boxes, 4] and scores [N, classes, boxes]."""
    suppression.check(boxes, scores)
    element_type = merge_types(boxes, scores, part="scores")
    images, rows = boxes.shape[0], Dimension()
    if boxes.shape.dims is not None and scores.shape.dims is not None:
        rows = max_rows(boxes.shape[1], scores.shape[1], scores.shape[0], per_class, per_image)
    return results(element_type, rows, images, index_type)


def max_rows(boxes: Dimension, classes: Dimension, images: Dimension, per_class: int, per_image: int) -> Dimension:
    """Return the interval of the number of rows."""
    if not (boxes.is_bounded and classes.is_bounded and images.is_bounded):
        return Dimension()
    per_image_limit = boxes.upper if per_class < 0 else min(boxes.upper, per_class)
    per_image_limit *= classes.upper
    return Dimension.between(0, images.upper * (per_image_limit if per_image < 0 else min(per_image_limit, per_image)))


def results(
    element_type: ElementType, rows: Dimension, images: Dimension, index_type: ElementType
) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
    """Return the outputs."""
    return TensorInfo(element_type, [rows, 6]), TensorInfo(index_type, [rows, 1]), TensorInfo(index_type, [images])


def best_of_image(selected: Selected, limit: int) -> Selected:
    """Return the boxes of one image by descending score, at most `limit` unless it is negative."""
    order = np.argsort(-selected.scores, kind="stable")
    return selected.take(order if limit < 0 else order[:limit])


def order_of(sort_result_type: str, sort_result: str) -> str:
    """Return the order that either attribute names; the page calls the attribute sort_result and classid class."""
    if sort_result_type != "none":
        return sort_result_type
    return {"class": "classid"}.get(sort_result, sort_result)


def outputs(selected: Selected, images: int, sort: str, across: bool) -> tuple[Array, Array, Array]:
    """Return the outputs for boxes ordered by image and score, sorted by class or across images if required."""
    order = np.arange(len(selected.box_indices))
    if sort == "score" and across:
        order = np.argsort(-selected.scores, kind="stable")
    elif sort == "classid":
        keys = (selected.images, selected.labels) if across else (selected.labels, selected.images)
        order = np.lexsort(keys)
    ordered = selected.take(order)
    heads = np.stack([ordered.labels.astype(ordered.scores.dtype), ordered.scores], axis=1)
    rows = np.concatenate([heads, ordered.corners], axis=1)
    return rows, ordered.box_indices[:, None], np.bincount(selected.images, minlength=images)
