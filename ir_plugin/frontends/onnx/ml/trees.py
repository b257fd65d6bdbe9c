"""TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, scalar, type_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.ml import ML
from ir_plugin.frontends.onnx.ml.ensembles import ensemble_of_5, listed_ensemble, numbers_of
from ir_plugin.frontends.onnx.ml.scores import (
    TRANSFORMS,
    chosen,
    label_count,
    labelled,
    labels_of,
    largest,
    of_targets,
    paired,
    transform_of,
    transformed,
)
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import Array, ElementType

_FUNCTIONS = ("average", "sum", "min", "max")


def _numbers(node: OnnxNode) -> Output:
    """Return the first input, in f32 for integers."""
    return node.input(0) if node.type_of(0).is_floating else cast(node.input(0), ElementType.f32)


def _with_base(scores: Value, base: Array, number: int) -> Value:
    """Return scores with the base values added."""
    if not base.size:
        return scores
    if base.size not in (1, number):
        raise OnnxReadError(f"there are {base.size} base values for {number} targets")
    return ops.add(scores, constant_of(base.astype(type_of(scores).dtype)))


@translates("TreeEnsembleRegressor", 1, domain=ML)
def tree_ensemble_regressor(node: OnnxNode) -> Value:
    """Return TreeEnsemble of the extension, then base values and a post transform; scores are f32."""
    number, function = node.attributes.int("n_targets"), node.attributes.text("aggregate_function").lower()
    if function not in _FUNCTIONS:
        raise OnnxReadError(f"aggregate_function is {function.upper()}; it must be AVERAGE, SUM, MIN or MAX")
    ensemble = listed_ensemble(node, "target", "target_ids")
    scores = _with_base(
        ensemble.node(_numbers(node), number, function).outputs[0], numbers_of(node, "base_values"), number
    )
    return of_targets(cast(scores, ElementType.f32), transform_of(node), number)


@translates("TreeEnsemble", 5, domain=ML)
def tree_ensemble(node: OnnxNode) -> Value:
    """Return TreeEnsemble of the extension, then a post transform."""
    attributes = node.attributes
    number = attributes.int("n_targets")
    function, transform = attributes.int("aggregate_function"), attributes.int("post_transform")
    if not (0 <= function < len(_FUNCTIONS) and 0 <= transform < len(TRANSFORMS)):
        raise OnnxReadError(f"aggregate_function is {function} and post_transform {transform}; one is out of range")
    scores = ensemble_of_5(node).node(node.input(0), number, _FUNCTIONS[function]).outputs[0]
    return of_targets(scores, TRANSFORMS[transform], number)


@translates("TreeEnsembleClassifier", 1, domain=ML)
def tree_ensemble_classifier(node: OnnxNode) -> list[Value]:
    """Return the label with the largest score, and the scores.

    Where all leaves have weights for one of two classes only, these decide between both: they are probabilities where
    none is negative. onnxruntime takes the second of two classes wherever its score is positive, even if the first
    scores higher; here the larger score counts, as the page says.
    """
    labels = labels_of(node, "classlabels_int64s")
    ensemble = listed_ensemble(node, "class", "class_ids")
    count, classes = label_count(labels), set(ensemble.leaf_targets.tolist())
    base, name = numbers_of(node, "base_values"), transform_of(node)
    trees = ensemble.node(_numbers(node), count)
    scores = cast(trees.outputs[0], ElementType.f32)
    if count <= 2 and len(classes) == 1:
        is_probability = bool((ensemble.leaf_weights >= 0).all())
        return _binary(labels, scores, classes.pop(), base, name, is_probability)
    if base.size == 1 and count == 2:
        base = np.array([base[0], 0], base.dtype)
    is_reached = ops.greater(trees.outputs[1], i64(0))
    ranked = ops.select(is_reached, _with_base(scores, base, count), scalar(-np.inf, ElementType.f32))
    return [labelled(labels, largest(ranked)), transformed(_with_base(scores, base, count), name)]


def _binary(labels: Node, scores: Output, column: int, base: Array, name: str, is_probability: bool) -> list[Value]:
    """Return label and scores of trees with weights for one class only."""
    count = label_count(labels)
    score: Value = ops.gather(scores, i64([column]), i64(1))
    if base.size and (base.size > 1 or column == 0):
        score = ops.add(score, constant_of(base[[min(column, base.size - 1)]].astype(np.float32)))
    threshold = 0.5 if is_probability and count == 2 else 0
    label: Value = chosen(ops.greater(score, scalar(threshold, ElementType.f32)))
    if count == 2:
        label = labelled(labels, label)
        if column == 0:
            return [label, paired(score, name, is_probability)]
        return [label, transformed(ops.concat([_zero_column(score), score], 1), name)]
    if type_of(labels) is ElementType.string:
        label = labelled(labels, ops.multiply(label, i64(0)))
    return [label, of_targets(score, name, 1)]


def _zero_column(like: Value) -> Output:
    """Return a column of zeros beside another column."""
    return output(ops.multiply(like, scalar(0, like)))
