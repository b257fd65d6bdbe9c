"""LabelEncoder, CategoryMapper, OneHotEncoder, and operators on maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, extension, i64, scalar
from ir_plugin.frontends.onnx.constants import array_of, constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.ml import ML
from ir_plugin.frontends.onnx.ml.scores import labels_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.strings import string_array


def _constant(values: Any, kind: str) -> Node:
    """Return a vector of integers, floats or texts."""
    if kind == "strings":
        return constant_of(string_array(values, (len(values),)))
    return constant_of(np.array(values, np.float32 if kind == "floats" else np.int64))


def _listed(node: OnnxNode, prefix: str) -> Node | None:
    """Return the values of `prefix_strings`, `prefix_floats`, `prefix_int64s` or `prefix_tensor`."""
    attributes = node.attributes
    readers = {"strings": attributes.texts, "floats": attributes.floats, "int64s": attributes.ints}
    for kind, read in readers.items():
        values = read(f"{prefix}_{kind}", None)
        if values:
            return _constant(values, kind)
    tensor = attributes.tensor(f"{prefix}_tensor", None)
    if tensor is None:
        return None
    array = array_of(tensor, node.scope.source.files)
    return constant_of(array.reshape(-1), element_type_of(tensor.data_type))


def _default(node: OnnxNode, values: Node) -> Node:
    """Return the value for elements that are no key: zero-like by default, -1, -0.0 or `_Unused`."""
    tensor = node.attributes.tensor("default_tensor", None)
    kind = values.outputs[0].tensor_info.element_type
    if tensor is not None:
        return constant_of(array_of(tensor, node.scope.source.files).reshape(-1)[:1].reshape(()), kind)
    if kind is ElementType.string:
        return constant_of(string_array([node.attributes.text("default_string")], ()))
    word = "default_int64" if kind.is_integer else "default_float"
    value = node.attributes.int(word) if kind.is_integer else node.attributes.float(word)
    return constant_of(np.array(value, kind.dtype), kind)


@translates("LabelEncoder", 2, domain=ML)
def label_encoder(node: OnnxNode) -> Node:
    """Return LabelEncoder of the extension."""
    keys, values = _listed(node, "keys"), _listed(node, "values")
    if keys is None or values is None:
        raise OnnxReadError("it needs keys and values: as strings, floats, int64s or a tensor")
    return extension("LabelEncoder", [node.input(0), keys, values, _default(node, values)])


@translates("LabelEncoder", 1, domain=ML)
def label_encoder_1(node: OnnxNode) -> Node:
    """Return LabelEncoder of the extension, between texts and their positions."""
    texts = node.attributes.texts("classes_strings")
    return _mapped(node, _constant(texts, "strings"), _constant(list(range(len(texts))), "int64s"))


@translates("CategoryMapper", 1, domain=ML)
def category_mapper(node: OnnxNode) -> Node:
    """Return LabelEncoder of the extension, between texts and integers."""
    texts, numbers = node.attributes.texts("cats_strings"), node.attributes.ints("cats_int64s")
    return _mapped(node, _constant(texts, "strings"), _constant(numbers, "int64s"))


def _mapped(node: OnnxNode, texts: Node, numbers: Node) -> Node:
    pair = [texts, numbers] if node.type_of(0) is ElementType.string else [numbers, texts]
    return extension("LabelEncoder", [node.input(0), *pair, _default(node, pair[1])])


@translates("OneHotEncoder", 1, domain=ML)
def one_hot_encoder(node: OnnxNode) -> Value:
    """Return OneHot-16 of the position of each category; without `zeros`, one that is no category is an error."""
    is_text = node.type_of(0) is ElementType.string
    categories = _listed(node, "cats")
    if categories is None:
        raise OnnxReadError("it has neither cats_strings nor cats_int64s")
    count = int(categories.outputs[0].tensor_info.shape[0])
    data = node.input(0) if is_text else cast(node.input(0), ElementType.i64)
    default = [i64(-1)] if node.attributes.flag("zeros") else []
    positions = extension("LabelEncoder", [data, categories, i64(list(range(count))), *default])
    f32 = ElementType.f32
    return ops.one_hot(positions, i64(count), scalar(1, f32), scalar(0, f32), -1)


@translates("ZipMap", 1, domain=ML)
def zip_map(node: OnnxNode) -> Node:
    """Return ZipMap of the extension."""
    labels = labels_of(node, "classlabels_int64s")
    return extension("ZipMap", [node.input(0), labels])


@translates("CastMap", 1, domain=ML)
def cast_map(node: OnnxNode) -> Node:
    """Return CastMap of the extension."""
    types = {"TO_FLOAT": "f32", "TO_INT64": "i64", "TO_STRING": "string"}
    target, form = node.attributes.text("cast_to"), node.attributes.text("map_form")
    if target not in types or form not in ("DENSE", "SPARSE"):
        raise OnnxReadError(f"cast_to is {target!r} and map_form {form!r}; one of them is not known")
    number = node.attributes.int("max_map")
    return extension("CastMap", [node.input(0)], cast_to=types[target], map_form=form.lower(), max_map=number)


@translates("DictVectorizer", 1, domain=ML)
def dict_vectorizer(node: OnnxNode) -> Node:
    """Return DictVectorizer of the extension."""
    texts, numbers = node.attributes.texts("string_vocabulary", None), node.attributes.ints("int64_vocabulary", None)
    if not texts and not numbers:
        raise OnnxReadError("it has neither string_vocabulary nor int64_vocabulary")
    vocabulary = _constant(texts, "strings") if texts else _constant(numbers, "int64s")
    return extension("DictVectorizer", [node.input(0), vocabulary])
