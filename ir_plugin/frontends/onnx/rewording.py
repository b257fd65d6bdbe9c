"""Nodes read as another operator: one that wraps an operator of ONNX lets that operator's translator do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.frontends.onnx.faults import OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import as_outputs, schema_of, translator
from ir_plugin.model import Node, Output

Values = Sequence["Node | Output | None"]


def as_operator(node: OnnxNode, type: str, version: int, inputs: Values, /, **attributes: Any) -> list[Output | None]:
    """Return the outputs of an operator of ONNX on these inputs, with the attributes of the node and others."""
    schema = schema_of("", type, version)
    entry = translator("", type, version if schema is None else schema.since_version)
    if entry is None:
        raise OnnxUnsupportedError(f"the operator {type} is not known in opset {version}")
    return as_outputs(
        entry.translate(OnnxNode(node.scope, _with(node.proto, attributes), version, schema, as_outputs(inputs)))
    )


def first_of(outputs: Sequence[Output | None]) -> Output:
    """Return the first output of an operator that has at least one."""
    first = outputs[0]
    if first is None:
        raise OnnxUnsupportedError("the first output is absent")
    return first


def _with(proto: Any, attributes: dict[str, Any]) -> Any:
    """Return a node with other attributes; without any, the node itself."""
    if not attributes:
        return proto
    from onnx import NodeProto, helper

    changed = NodeProto()
    changed.CopyFrom(proto)
    del changed.attribute[:]
    changed.attribute.extend(item for item in proto.attribute if item.name not in attributes)
    changed.attribute.extend(
        helper.make_attribute(name, value) for name, value in attributes.items() if value is not None
    )
    return changed
