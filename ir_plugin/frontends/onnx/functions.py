"""Inlining of functions: a model's own, and functions that define operators without a translator."""

from __future__ import annotations

from typing import Any

from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.node_order import in_order
from ir_plugin.frontends.onnx.types import type_proto
from ir_plugin.frontends.onnx.wellformed import opsets_of, require_texts
from ir_plugin.model import Output


def expanded_local(node: OnnxNode, key: tuple[str, str, str]) -> list[Output | None]:
    """Return the outputs of a call of a function of the model."""
    return _expanded(node, node.scope.source.functions[key], key)


def expanded_schema(node: OnnxNode) -> list[Output | None] | None:
    """Return the outputs of an operator that its schema defines by a function, None for any other."""
    function = _function_of(node)
    if function is None:
        return None
    return _expanded(node, function, (node.domain, node.type, f"schema {node.since}"))


def _function_of(node: OnnxNode) -> Any:
    from onnx import FunctionProto

    schema = node.schema
    if schema is None:
        return None
    if schema.has_function:
        versions = [version for version in schema.function_opset_versions if version <= node.version]
        if versions:
            return FunctionProto.FromString(schema.get_function_with_opset_version(max(versions)))
    if schema.has_context_dependent_function:
        versions = [version for version in schema.context_dependent_function_opset_versions if version <= node.version]
        if versions:
            return _require_nodes(FunctionProto.FromString(_from_context(node, max(versions))))
    return None


def _from_context(node: OnnxNode, version: int) -> bytes:
    """Return the function that an operator's attributes and input types define."""
    from onnx import NodeProto

    proto = NodeProto()
    proto.CopyFrom(node.proto)
    del proto.attribute[:]
    for name in node.attributes.names():
        attribute = proto.attribute.add()
        attribute.CopyFrom(node.attributes.proto(name))
        attribute.name = name
    types = [type_proto(None if port is None else port.tensor_info).SerializeToString() for port in node.inputs]
    body: bytes = node.schema.get_context_dependent_function_with_opset_version(
        version, proto.SerializeToString(), types
    )
    return body


def _require_nodes(function: Any) -> Any:
    """Return a function; raises for one without nodes, which schemas give where they do not know the inputs enough."""
    if not function.node:
        raise OnnxUnsupportedError("the ranks and types of the inputs must be known")
    return function


def _expanded(node: OnnxNode, function: Any, key: tuple[str, str, str]) -> list[Output | None]:
    outer = node.scope
    if key in outer.running:
        raise OnnxReadError(f"the function {node.type} calls itself")
    opsets = outer.opsets | opsets_of(function.opset_import)
    scope = outer.function_of(node, opsets, _arguments(node, function))
    scope.running = outer.running | {key}
    require_texts(f"a name of the function {node.type}", [*function.input, *function.output, *function.attribute])
    for index, name in enumerate(function.input):
        scope.define(name, node.optional(index))
    if len(node.inputs) > len(function.input):
        raise OnnxReadError(f"the function has {len(function.input)} inputs; the node gives {len(node.inputs)}")
    scope.translate(in_order(function.node))
    return [scope.value(name) if node.wants(index) else None for index, name in enumerate(function.output)]


def _arguments(node: OnnxNode, function: Any) -> dict[str, Any]:
    """Return the attributes of a call: the node's, and the defaults of the function and of its schema."""
    defaults = {attribute.name: attribute for attribute in function.attribute_proto}
    names = {*function.attribute, *node.attributes.names()}
    arguments = {name: proto for name in names if (proto := node.attributes.proto(name)) is not None}
    return defaults | arguments
