"""SVMClassifier and SVMRegressor."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, extension, i64, scalar
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.ml import ML
from ir_plugin.frontends.onnx.ml.scores import (
    as_matrix,
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
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import Array, ElementType

_CLAMPED = 1e-7
"""The least probability of either class of a pair."""


def _floats(node: OnnxNode, name: str) -> Array:
    return np.array(node.attributes.floats(name, None) or [], np.float32)


def _matrix(values: Array, rows: int, name: str) -> Array:
    if rows < 1 or values.size % rows:
        raise OnnxReadError(f"{name} has {values.size} elements; they cannot be divided into {rows} rows")
    return values.reshape(rows, -1)


def _kernel(node: OnnxNode, vectors: Array) -> Value:
    """Return the kernel of each row of the input with each vector."""
    data, kind = as_matrix(node), node.attributes.text("kernel_type")
    gamma, constant, degree = [*(node.attributes.floats("kernel_params", None) or []), 0, 0, 3][:3]
    f32 = ElementType.f32
    if kind == "RBF":
        rows = ops.unsqueeze(data, i64([1]))
        squares = ops.reduce_sum(ops.squared_difference(rows, constant_of(vectors)), i64([-1]), keep_dims=False)
        return ops.exp(ops.multiply(squares, scalar(-gamma, f32)))
    products: Value = ops.matmul(data, constant_of(vectors), False, True)
    if kind == "LINEAR":
        return products
    shifted = ops.add(ops.multiply(products, scalar(gamma, f32)), scalar(constant, f32))
    if kind == "POLY":
        return ops.power(shifted, scalar(degree, f32))
    if kind == "SIGMOID":
        return ops.tanh(shifted)
    raise OnnxReadError(f"the attribute 'kernel_type' is {kind!r}; it must be LINEAR, POLY, RBF or SIGMOID")


@translates("SVMRegressor", 1, domain=ML)
def svm_regressor(node: OnnxNode) -> Value:
    """Return kernels with the support vectors times the coefficients, or for one class the sign: 1 or -1."""
    attributes = node.attributes
    number, coefficients, rho = attributes.int("n_supports"), _floats(node, "coefficients"), _floats(node, "rho")
    if number > 0:
        weights = _matrix(coefficients, 1, "coefficients")
        scores = ops.matmul(_kernel(node, _matrix(_floats(node, "support_vectors"), number, "support_vectors")),
                            constant_of(weights), False, True)  # fmt: skip
    else:
        scores = ops.matmul(as_matrix(node), constant_of(coefficients.reshape(1, -1)), False, True)
    if rho.size:
        scores = ops.add(scores, constant_of(rho[:1]))
    if attributes.flag("one_class"):
        f32 = ElementType.f32
        return ops.select(ops.greater(scores, scalar(0, f32)), scalar(1, f32), scalar(-1, f32))
    return of_targets(scores, transform_of(node), 1)


@translates("SVMClassifier", 1, domain=ML)
def svm_classifier(node: OnnxNode) -> list[Value]:
    """Return the label with most votes of pairs of classes, and the decisions of the pairs or probabilities.

    Where both say different things, votes decide, as in onnxruntime.
    """
    labels, name = labels_of(node, "classlabels_ints"), transform_of(node)
    count = label_count(labels)
    sizes = node.attributes.ints("vectors_per_class", None) or []
    if not sizes:
        return _linear(node, labels, name)
    if len(sizes) != count or count < 2:
        raise OnnxReadError(f"vectors_per_class has {len(sizes)} elements; there are {count} classes, at least 2")
    vectors = _matrix(_floats(node, "support_vectors"), sum(sizes), "support_vectors")
    pairs = list(combinations(range(count), 2))
    decisions: Value = ops.matmul(_kernel(node, vectors), constant_of(_pair_weights(node, sizes, pairs)), False, True)
    decisions = ops.add(decisions, constant_of(_of_pairs(node, "rho", pairs)))
    label = labelled(labels, largest(_votes(decisions, pairs, count)))
    if "prob_a" in node.attributes:
        return [label, transformed(_probabilities(node, decisions, pairs, count), name)]
    is_pair = count == 2
    return [label, paired(decisions, name, name != "NONE") if is_pair else transformed(decisions, name)]


def _of_pairs(node: OnnxNode, attribute: str, pairs: list[tuple[int, int]]) -> Array:
    values = _floats(node, attribute)
    if values.size != len(pairs):
        raise OnnxReadError(f"the attribute {attribute!r} has {values.size} elements; there are {len(pairs)} pairs")
    return values


def _pair_weights(node: OnnxNode, sizes: list[int], pairs: list[tuple[int, int]]) -> Array:
    """Return the weights [pairs, support vectors], 0 for vectors of classes outside the pair."""
    coefficients = _matrix(_floats(node, "coefficients"), len(sizes) - 1, "coefficients")
    if coefficients.shape[1] != sum(sizes):
        raise OnnxReadError(f"there are {coefficients.shape[1]} coefficients a row for {sum(sizes)} support vectors")
    ends = np.cumsum(sizes)
    ranges = [slice(end - size, end) for size, end in zip(sizes, ends.tolist(), strict=True)]
    weights = np.zeros((len(pairs), sum(sizes)), np.float32)
    for row, (first, second) in zip(weights, pairs, strict=True):
        row[ranges[first]] = coefficients[second - 1, ranges[first]]
        row[ranges[second]] = coefficients[first, ranges[second]]
    return weights


def _votes(decisions: Value, pairs: list[tuple[int, int]], count: int) -> Value:
    """Return how many pairs each class wins."""
    first, second = np.zeros((2, len(pairs), count), np.float32)
    for row, (left, right) in enumerate(pairs):
        first[row, left], second[row, right] = 1, 1
    wins = ops.greater(decisions, scalar(0, ElementType.f32))
    won, lost = ops.convert(wins, "f32"), ops.convert(ops.logical_not(wins), "f32")
    votes = (ops.matmul(won, constant_of(first), False, False), ops.matmul(lost, constant_of(second), False, False))
    return ops.add(*votes)


def _probabilities(node: OnnxNode, decisions: Value, pairs: list[tuple[int, int]], count: int) -> Value:
    scale, shift = constant_of(_of_pairs(node, "prob_a", pairs)), constant_of(_of_pairs(node, "prob_b", pairs))
    chances = ops.sigmoid(ops.negative(ops.add(ops.multiply(decisions, scale), shift)))
    return extension("PairwiseProbabilities", [ops.clamp(chances, _CLAMPED, 1 - _CLAMPED)], classes=count)


def _linear(node: OnnxNode, labels: Node, name: str) -> list[Value]:
    """Return label and scores of coefficients without support vectors.

    Of two labels the second is taken wherever a score is above the threshold, as in onnxruntime.
    """
    count = label_count(labels)
    weights = _matrix(_floats(node, "coefficients"), count, "coefficients")
    rho = _floats(node, "rho")
    scores: Value = _kernel(node, weights)
    if rho.size:
        scores = ops.add(scores, constant_of(rho[:1]))
    if count == 1:
        return [labelled(labels, ops.multiply(largest(scores), i64(0))), of_targets(scores, name, 1)]
    index: Value = largest(scores)
    if count == 2:
        threshold = scalar(0.5 if (weights >= 0).all() else 0, ElementType.f32)
        best = ops.reduce_max(scores, i64([-1]), keep_dims=False)
        index = ops.select(ops.greater(best, threshold), i64(1), index)
    return [labelled(labels, index), transformed(scores, name)]
