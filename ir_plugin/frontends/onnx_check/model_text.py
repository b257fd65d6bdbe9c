"""An ONNX model as lines of text, one a declaration or node, for the difference that a fix makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ir_plugin.diagnostics.escape import escaped
from ir_plugin.frontends.onnx.attributes import KINDS
from ir_plugin.frontends.onnx.walking import graphs_of
from ir_plugin.frontends.onnx_check.fixes import type_text

_LONGEST = 60


def text_of(proto: Any) -> Iterator[str]:
    """Yield the lines of a model, with their ends; values of tensors are left out."""
    for line in _model(proto):
        yield f"{escaped(line)}\n"


def _model(proto: Any) -> Iterator[str]:
    yield f"ir_version: {proto.ir_version}"
    for entry in proto.opset_import:
        yield f'opset_import: "{entry.domain}" {entry.version}'
    yield from _graph(proto.graph, "")
    for function in proto.functions:
        yield f"function {function.domain}.{function.name} ({_names(function.input)}) => ({_names(function.output)})"
        for node in function.node:
            yield from _node(node, "  ")


def _graph(graph: Any, indent: str) -> Iterator[str]:
    yield f"{indent}graph {graph.name}"
    inner = f"{indent}  "
    for kind in ("input", "output", "value_info"):
        for value in getattr(graph, kind):
            yield f"{inner}{kind} {value.name}: {type_text(value.type)}"
    for tensor in graph.initializer:
        yield f"{inner}initializer {_tensor(tensor)}"
    for sparse in graph.sparse_initializer:
        yield f"{inner}sparse_initializer {_tensor(sparse.values)}"
    for node in graph.node:
        yield from _node(node, inner)


def _node(node: Any, indent: str) -> Iterator[str]:
    name = f"[{node.name}] " if node.name else ""
    attributes = ", ".join(f"{attribute.name}: {_value(attribute)}" for attribute in node.attribute)
    operator = ".".join(map(str, filter(None, (node.domain, node.op_type)))) + (f"<{attributes}>" if attributes else "")
    yield f"{indent}{name}{_names(node.output)} = {operator}({_names(node.input)})"
    for attribute in node.attribute:
        for graph in graphs_of(attribute):
            yield from _graph(graph, f"{indent}  ")
        for tensor in [attribute.t] if attribute.HasField("t") else [*attribute.tensors]:
            if tensor.external_data:
                yield f"{indent}  {attribute.name} {_tensor(tensor)}"


def _names(names: Any) -> str:
    return ", ".join(map(str, names))


def _value(attribute: Any) -> str:
    field = {1: "f", 2: "i", 3: "s", 6: "floats", 7: "ints", 8: "strings"}.get(attribute.type)
    if field is None:
        return KINDS[attribute.type] if attribute.type < len(KINDS) else str(attribute.type)
    text = str(getattr(attribute, field))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _tensor(tensor: Any) -> str:
    from onnx import TypeProto

    proto = TypeProto()
    proto.tensor_type.elem_type = tensor.data_type
    proto.tensor_type.shape.SetInParent()
    for length in tensor.dims:
        proto.tensor_type.shape.dim.add().dim_value = length
    external = ", ".join(f"{entry.key} {entry.value}" for entry in tensor.external_data)
    return f"{tensor.name}: {type_text(proto)}{f' ({external})' if external else ''}"
