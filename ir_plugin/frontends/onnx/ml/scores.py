"""Scores of classifiers and regressors: post transforms, two columns for two classes, labels."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, i64, output, scalar
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import built, definition_of
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.strings import string_array

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""The post transforms, in the order of TreeEnsemble-5."""
_ZERO = 1e-7
"""The largest magnitude of scores that SOFTMAX_ZERO takes to be zero, as in onnxruntime."""


def transform_of(node: OnnxNode) -> str:
    """Return the attribute `post_transform`."""
    name: str = node.attributes.text("post_transform")
    if name not in TRANSFORMS:
        raise OnnxReadError(f"the attribute 'post_transform' is {name!r}; it must be one of {', '.join(TRANSFORMS)}")
    return name


def transformed(scores: Value, name: str) -> Value:
    """Return scores after a post transform, which works on each row."""
    if name == "LOGISTIC":
        return ops.sigmoid(scores)
    if name == "SOFTMAX":
        return ops.softmax(scores, -1)
    if name == "PROBIT":
        doubled = ops.subtract(ops.multiply(scores, scalar(2, scores)), scalar(1, scores))
        inverse = built(definition_of("ErfInv", "opset17"), [output(doubled)], {}, None)
        return ops.multiply(inverse, scalar(np.sqrt(2), scores))
    if name == "SOFTMAX_ZERO":
        largest = ops.reduce_max(scores, i64([-1]), keep_dims=True)
        powers = ops.exp(ops.subtract(scores, largest))
        small = ops.multiply(scores, ops.exp(ops.negative(largest)))
        parts = ops.select(ops.greater(ops.abs(scores), scalar(_ZERO, scores)), powers, small)
        return ops.divide(parts, ops.reduce_sum(parts, i64([-1]), keep_dims=True))
    return scores


def of_targets(scores: Value, name: str, number: int) -> Value:
    """Return scores after a post transform; of a single target only PROBIT is one, as in onnxruntime."""
    return scores if number == 1 and name != "PROBIT" else transformed(scores, name)


def paired(score: Value, name: str, is_probability: bool) -> Value:
    """Return two columns for the scores of the second of two classes: 1 - p and p of probabilities, else -s and s."""
    if name == "PROBIT":
        return transformed(score, name)
    if is_probability and name != "LOGISTIC":
        return ops.concat([ops.subtract(scalar(1, score), score), score], -1)
    both = ops.concat([ops.negative(score), score], -1)
    return transformed(both, name) if name == "LOGISTIC" else both


def labels_of(node: OnnxNode, integers: str) -> Node:
    """Return the labels of the classes, strings or the integers of an attribute; raises where there are none."""
    texts = node.attributes.texts("classlabels_strings", None)
    if texts:
        return constant_of(string_array(texts, (len(texts),)))
    numbers = node.attributes.ints(integers, None)
    if not numbers:
        raise OnnxReadError(f"it has neither classlabels_strings nor {integers}")
    return constant_of(np.array(numbers, np.int64))


def label_count(labels: Node) -> int:
    """Return the number of labels."""
    return int(labels.outputs[0].tensor_info.shape[0])


def labelled(labels: Node, index: Value) -> Value:
    """Return the labels of the classes of these indices."""
    return ops.gather(labels, index, i64(0))


def largest(scores: Value) -> Output:
    """Return the index of the first largest score of each row."""
    indices = ops.topk(scores, i64(1), -1, "max", "value", index_element_type="i64", stable=True).outputs[1]
    return output(ops.squeeze(indices, i64([-1])))


def chosen(condition: Value) -> Output:
    """Return 1 where a column of conditions is true, else 0, as a vector."""
    return output(ops.squeeze(ops.convert(condition, "i64"), i64([-1])))


def as_matrix(node: OnnxNode) -> Output:
    """Return the first input in f32 with a row for each item; a vector is one row."""
    data = node.input(0)
    if node.type_of(0) is not ElementType.f32:
        data = output(ops.convert(data, "f32"))
    return output(ops.unsqueeze(data, i64([0]))) if node.known_rank(0) == 1 else data
