"""What MatrixNms and MulticlassNms share: checks, bounds of the outputs, and their order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import merge_types
from ir_plugin.operations.sort import suppression
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class Chosen(NamedTuple):
    """Boxes chosen of all images: image, class, score, place in the flattened boxes, corners."""

    images: Array
    labels: Array
    scores: Array
    places: Array
    corners: Array

    def take(self, order: Array) -> Chosen:
        """Return some of them, in an order."""
        return Chosen(*(column[order] for column in self))


def joined(parts: list[Chosen], dtype: np.dtype[np.generic]) -> Chosen:
    """Return the boxes of all parts."""
    none = np.zeros(0, np.int64)
    empty = Chosen(none, none, np.zeros(0, dtype), none, np.zeros((0, 4), dtype))
    return Chosen(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def check_limits(**limits: int) -> None:
    """Raise where a number that -1 switches off is below -1."""
    for name, value in limits.items():
        if value < -1:
            raise ShapeError(name, f"{name} is {value}; it must be -1 or more")


def infer(
    boxes: TensorInfo, scores: TensorInfo, per_class: int, per_image: int, index_type: ElementType
) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
    """Return the outputs for boxes [N, boxes, 4] and scores [N, classes, boxes]."""
    suppression.check(boxes, scores)
    known = merge_types(boxes, scores, part="scores")
    images, rows = boxes.shape[0], Dimension()
    if boxes.shape.dims is not None and scores.shape.dims is not None:
        rows = most(boxes.shape[1], scores.shape[1], scores.shape[0], per_class, per_image)
    return results(known, rows, images, index_type)


def most(boxes: Dimension, classes: Dimension, images: Dimension, per_class: int, per_image: int) -> Dimension:
    """Return the number of rows, up to the largest that there may be."""
    if not (boxes.is_bounded and classes.is_bounded and images.is_bounded):
        return Dimension()
    each = boxes.upper if per_class < 0 else min(boxes.upper, per_class)
    each *= classes.upper
    return Dimension.between(0, images.upper * (each if per_image < 0 else min(each, per_image)))


def results(
    known: ElementType, rows: Dimension, images: Dimension, index_type: ElementType
) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
    """Return the outputs."""
    return TensorInfo(known, [rows, 6]), TensorInfo(index_type, [rows, 1]), TensorInfo(index_type, [images])


def best_of_image(chosen: Chosen, limit: int) -> Chosen:
    """Return the boxes of one image from the highest score on, at most `limit` unless that is negative."""
    order = np.argsort(-chosen.scores, kind="stable")
    return chosen.take(order if limit < 0 else order[:limit])


def order_of(sort_result_type: str, sort_result: str) -> str:
    """Return the order that either attribute names; the page's name and word for it are sort_result and class."""
    if sort_result_type != "none":
        return sort_result_type
    return {"class": "classid"}.get(sort_result, sort_result)


def outputs(chosen: Chosen, images: int, sort: str, across: bool) -> tuple[Array, Array, Array]:
    """Return the outputs for boxes in the order of images and of scores, sorted anew by class, or across images."""
    order = np.arange(len(chosen.places))
    if sort == "score" and across:
        order = np.argsort(-chosen.scores, kind="stable")
    elif sort == "classid":
        keys = (chosen.images, chosen.labels) if across else (chosen.labels, chosen.images)
        order = np.lexsort(keys)
    ordered = chosen.take(order)
    heads = np.stack([ordered.labels.astype(ordered.scores.dtype), ordered.scores], axis=1)
    rows = np.concatenate([heads, ordered.corners], axis=1)
    return rows, ordered.places[:, None], np.bincount(chosen.images, minlength=images)
