"""LinearClassifier and LinearRegressor."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, scalar
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.ml import ML
from ir_plugin.frontends.onnx.ml.scores import (
    as_matrix,
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
from ir_plugin.opsets import opset16 as ops


def _scores(node: OnnxNode, rows: int) -> Value:
    """Return the products with the rows of coefficients, and the intercepts added."""
    coefficients = np.array(node.attributes.floats("coefficients"), np.float32)
    if rows < 1 or coefficients.size % rows:
        raise OnnxReadError(f"{coefficients.size} coefficients cannot be divided into {rows} rows")
    scores = ops.matmul(as_matrix(node), constant_of(coefficients.reshape(rows, -1)), False, True)
    intercepts = np.array(node.attributes.floats("intercepts", None) or [], np.float32)
    if intercepts.size not in (0, rows):
        raise OnnxReadError(f"there are {intercepts.size} intercepts for {rows} rows of coefficients")
    return ops.add(scores, constant_of(intercepts)) if intercepts.size else scores


@translates("LinearClassifier", 1, domain=ML)
def linear_classifier(node: OnnxNode) -> list[Value]:
    """Return the label with the largest score, and the scores; one row of coefficients decides between two labels."""
    labels, name = labels_of(node, "classlabels_ints"), transform_of(node)
    intercepts = node.attributes.floats("intercepts", None) or []
    count = label_count(labels)
    scores = _scores(node, len(intercepts) or count)
    if count == 2 and len(intercepts) == 1:
        label = labelled(labels, chosen(ops.greater(scores, scalar(0, scores))))
        return [label, paired(scores, name, is_probability=True)]
    return [labelled(labels, largest(scores)), transformed(scores, name)]


@translates("LinearRegressor", 1, domain=ML)
def linear_regressor(node: OnnxNode) -> Value:
    """Return the products with the coefficients, and the intercepts added."""
    targets = node.attributes.int("targets")
    return of_targets(_scores(node, targets), transform_of(node), targets)
