"""Reading an ONNX model from a path, bytes, a file object or a `ModelProto`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.bodies import graph_of
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.faults import OnnxReadError, located, require_onnx
from ir_plugin.frontends.onnx.node import Source
from ir_plugin.frontends.onnx.scope import Scope
from ir_plugin.frontends.onnx.types import tensor_info
from ir_plugin.frontends.onnx.wellformed import opsets_of
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import order_of
from ir_plugin.opsets.basic import parameter, result

NAME = "onnx_Frontend_IR"
"""The name that OpenVINO's front end gives every model."""


def read_onnx(source: Any) -> Model:
    """Return the graph of an ONNX model, with a Parameter for each input that a result needs."""
    require_onnx()
    proto, files = load_onnx(source)
    model = _translated(proto, files)
    model.weights = files
    return model


def load_onnx(source: Any) -> tuple[Any, ExternalData]:
    """Return the `ModelProto` of a source and the files of its external data."""
    import onnx

    if hasattr(source, "SerializeToString"):
        return source, ExternalData(None)
    name, files = "<bytes>", ExternalData(None)
    try:
        if isinstance(source, (str, os.PathLike)):
            path = Path(os.fspath(source))
            name = str(path)
            data = path.read_bytes()
            files = ExternalData(path.parent, path.resolve().parent)
        elif callable(getattr(source, "read", None)):
            data = source.read()
        else:
            data = bytes(source)
        proto = onnx.ModelProto.FromString(data)
    except OSError as fault:
        raise OnnxReadError(f"{name} cannot be read: {fault.strerror or fault}") from None
    except Exception as fault:  # noqa: BLE001  # protobuf's DecodeError has a class of its own in every implementation
        raise OnnxReadError(f"{name} is no ONNX model: {fault}") from None
    if not proto.HasField("graph"):
        raise OnnxReadError(f"{name} is no ONNX model: it has no graph")
    return proto, files


def _translated(proto: Any, files: ExternalData) -> Model:
    opsets = opsets_of(proto.opset_import)
    functions = {(entry.domain, entry.name, entry.overload): entry for entry in proto.functions}
    scope = Scope(Source(opsets or {"": 1}, functions, files))
    graph = proto.graph
    scope.add_initializers(graph)
    parameters = [_parameter(scope, value) for value in graph.input if not scope.has_initializer(value.name)]
    scope.results = frozenset(value.name for value in graph.output)
    scope.translate(graph.node)
    results = [_result(scope, value) for value in graph.output]
    return graph_of(NAME, _kept(graph, parameters, results), results)


def _kept(graph: Any, parameters: list[Node], results: list[Node]) -> list[Node]:
    """Return the Parameters that results need or no node reads; OpenVINO drops those whose readers vanish."""
    read_by_nodes = {name for node in graph.node for name in node.input}
    needed = set(order_of(Model(NAME, results))[0])
    return [node for node in parameters if node in needed or node.name not in read_by_nodes]


def _parameter(scope: Scope, value: Any) -> Node:
    try:
        info = tensor_info(value.type)
    except Error as fault:
        raise located(f'ONNX input "{value.name}"', fault) from None
    node = parameter(info.shape, info.element_type, value.name)
    node.outputs[0].set_names([value.name])
    scope.define(value.name, node.outputs[0])
    return node


def _result(scope: Scope, value: Any) -> Node:
    try:
        source = scope.value(value.name)
        if source is None:
            raise OnnxReadError("it is an absent value")
        node = result(source, f"{value.name}/sink_port_0")
        node.outputs[0].set_names([value.name])
    except Error as fault:
        raise located(f'ONNX output "{value.name}"', fault) from None
    return node
