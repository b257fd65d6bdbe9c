"""Optional, OptionalHasElement and OptionalGetElement."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, extension
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.types import tensor_info
from ir_plugin.model import Node


@translates("Optional", 15)
def optional(node: OnnxNode) -> Node:
    """Return Optional of the extension."""
    if node.has(0):
        return extension("Optional", [node.input(0)])
    return extension("Optional", [], element_type=tensor_info(node.attributes.read("type", "type_proto")).element_type)


@translates("OptionalHasElement", 15)
def optional_has_element(node: OnnxNode) -> Node:
    """Return OptionalHasElement of the extension, or a constant for what is known: a tensor, an absent input."""
    if node.has(0) and node.input(0).node.type == "Optional":
        return constant_of(np.array(bool(node.input(0).node.inputs)))
    if node.has(0) and (node.type_of(0).kind == "optional" or node.type_of(0).is_dynamic):
        return extension("OptionalHasElement", [node.input(0)])
    return constant_of(np.array(node.has(0)))


@translates("OptionalGetElement", 15)
def optional_get_element(node: OnnxNode) -> Value:
    """Return OptionalGetElement of the extension; a tensor or a sequence is its own element."""
    data = node.input(0)
    if data.node.type == "Optional" and data.node.inputs:
        element = data.node.inputs[0].source
        return data if element is None else element
    if node.type_of(0).kind == "optional" or node.type_of(0).is_dynamic:
        return extension("OptionalGetElement", [data])
    return data
