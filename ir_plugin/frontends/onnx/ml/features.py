"""ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer, Normalizer and Scaler."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, scalar, shape_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.ml import ML
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import built, definition_of
from ir_plugin.tensors import ElementType


@translates("ArrayFeatureExtractor", 1, domain=ML)
def array_feature_extractor(node: OnnxNode) -> Node:
    """Return Gather-8 of columns, which refuses an index out of range; a vector is one row."""
    data = node.input(0)
    if node.rank(0) == 1:
        data = output(ops.unsqueeze(data, i64([0])))
    indices = ops.reshape(node.input(1), i64([-1]), special_zero=False)
    inputs = [data, output(indices), i64(-1)]
    return built(definition_of("Gather", "opset8"), inputs, {"batch_dims": 0, "out_of_range": "error"}, None)


@translates("Binarizer", 1, domain=ML)
def binarizer(node: OnnxNode) -> Value:
    """Return 1 where an element is greater than the threshold, else 0."""
    data = node.input(0)
    return ops.convert_like(ops.greater(data, scalar(node.attributes.float("threshold"), data)), data)


@translates("Scaler", 1, domain=ML)
def scaler(node: OnnxNode) -> Value:
    """Return the elements minus `offset`, times `scale`: of each column, or of all."""
    result: Value = cast(node.input(0), ElementType.f32)
    for name, change in (("offset", ops.subtract), ("scale", ops.multiply)):
        values = node.attributes.floats(name, None)
        if values:
            result = change(result, constant_of(np.array(values, np.float32)))
    return result


@translates("Normalizer", 1, domain=ML)
def normalizer(node: OnnxNode) -> Value:
    """Return rows divided by their largest element, their sum or their length; rows of zeros are unchanged."""
    data, norm = cast(node.input(0), ElementType.f32), node.attributes.text("norm")
    axes = i64([node.known_rank(0) - 1 if node.known_rank(0) < 2 else 1])
    norms = {"MAX": ops.reduce_max, "L1": ops.reduce_l1, "L2": ops.reduce_l2}
    if norm not in norms:
        raise OnnxReadError(f"the attribute 'norm' is {norm!r}; it must be MAX, L1 or L2")
    sizes = norms[norm](data, axes, keep_dims=True)
    return ops.divide(data, ops.select(ops.equal(sizes, scalar(0, data)), scalar(1, data), sizes))


@translates("Imputer", 1, domain=ML)
def imputer(node: OnnxNode) -> Value:
    """Replace each element equal to the replaced value by the imputed value of its column."""
    data, attributes = node.input(0), node.attributes
    word = "int64" if node.type_of(0).is_integer else "float"
    values = attributes.ints("imputed_value_int64s", None) if word == "int64" else None
    values = attributes.floats("imputed_value_floats", None) if word == "float" else values
    if not values:
        raise OnnxReadError(f"the attribute 'imputed_value_{word}s' is required for {node.type_of(0).name} and absent")
    replaced = attributes.int("replaced_value_int64") if word == "int64" else attributes.float("replaced_value_float")
    missing = ops.is_nan(data) if np.isnan(replaced) else ops.equal(data, scalar(replaced, data))
    return ops.select(missing, constant_of(np.array(values, node.type_of(0).dtype), node.type_of(0)), data)


@translates("FeatureVectorizer", 1, domain=ML)
def feature_vectorizer(node: OnnxNode) -> Value:
    """Return the columns of all inputs beside each other; of each input as many as `inputdimensions` says."""
    widths = node.attributes.ints("inputdimensions", None)
    parts = node.present()
    if widths is not None and len(widths) != len(parts):
        raise OnnxReadError(f"inputdimensions has {len(widths)} elements; there are {len(parts)} inputs")
    rows = [_matrix(node, index) for index in range(len(parts))]
    if widths is not None:
        rows = [_of_width(row, width) for row, width in zip(rows, widths, strict=True)]
    return ops.concat(rows, 1)


def _matrix(node: OnnxNode, index: int) -> Output:
    data, rank = cast(node.input(index), ElementType.f32), node.known_rank(index)
    if rank == 1:
        return output(ops.unsqueeze(data, i64([0])))
    return data if rank == 2 else output(ops.reshape(data, i64([0, -1]), special_zero=True))


def _of_width(data: Output, width: int) -> Output:
    """Return the first columns of a matrix, and zeros for those that it lacks."""
    shape = data.tensor_info.shape
    if shape.dims is not None and shape[1].is_static and int(shape[1]) == width:
        return data
    rows = ops.gather(shape_of(data), i64([0]), i64(0))
    zeros = ops.broadcast(scalar(0, data), ops.concat([rows, i64([width])], 0))
    return output(ops.slice(ops.concat([data, zeros], 1), i64([0]), i64([width]), i64([1]), i64([1])))
