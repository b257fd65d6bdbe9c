"""Reading an ONNX model from a path, bytes, a file object or a `ModelProto`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

from ir_plugin.diagnostics import Span
from ir_plugin.diagnostics.limits import DEFAULT_LIMITS
from ir_plugin.errors import Error
from ir_plugin.frontends.ends import WHOLE, Ends, InputEnd
from ir_plugin.frontends.onnx.bodies import graph_of
from ir_plugin.frontends.onnx.cutting import Cut
from ir_plugin.frontends.onnx.expansion import functions_of, require_expandable, require_unique
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.faults import OnnxReadError, located, refused, require_onnx
from ir_plugin.frontends.onnx.metadata import restore_metadata, result_name
from ir_plugin.frontends.onnx.node import Source
from ir_plugin.frontends.onnx.node_order import in_order
from ir_plugin.frontends.onnx.scope import Scope
from ir_plugin.frontends.onnx.types import tensor_info
from ir_plugin.frontends.onnx.walking import all_tensors
from ir_plugin.frontends.onnx.wellformed import opsets_of_model
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import order_of
from ir_plugin.model.ports import NOTHING_DECLARED, Declared
from ir_plugin.opsets.basic import parameter, result
from ir_plugin.reader.document import open_model
from ir_plugin.reader.foreign import foreign
from ir_plugin.tensors import FrozenShape, PartialShape

NAME = "onnx_Frontend_IR"
"""The name that OpenVINO's front end gives every model."""


def read_onnx(source: Any, ends: Ends = WHOLE) -> Model:
    """Return the graph of an ONNX model, with a Parameter for each input, whether it is read or not.

    `ends` changes types and shapes of inputs, and cuts the model at inner tensors.
    """
    require_onnx()
    proto, files = load_onnx(source)
    model = _translated(proto, files, name_of_source(source), ends)
    model.weights = files
    return model


def name_of_source(source: Any) -> str:
    """Return the path of a source, or what it is."""
    if isinstance(source, (str, os.PathLike)):
        return str(Path(os.fspath(source)))
    return "<model>" if hasattr(source, "SerializeToString") else "<bytes>"


def _require_size(file: BinaryIO, name: str, limit: int) -> None:
    size = os.fstat(file.fileno()).st_size
    if size > limit:
        help = "raise --limit-bytes if the model is really so large"
        raise refused("ON005", f"{name} has {size} bytes; the limit is {limit}", help)


def load_onnx(source: Any, limit: int = DEFAULT_LIMITS.bytes) -> tuple[Any, ExternalData]:
    """Return the `ModelProto` of a source of at most `limit` bytes and the files of its external data."""
    import onnx

    if hasattr(source, "SerializeToString"):
        return source, ExternalData(None)
    name, files = name_of_source(source), ExternalData(None)
    try:
        if isinstance(source, (str, os.PathLike)):
            path = Path(name)
            with open_model(path) as file:
                _require_size(file, name, limit)
                data = file.read()
            files = ExternalData(path.parent)
        elif callable(getattr(source, "read", None)):
            data = source.read()
        else:
            data = bytes(source)
        proto = onnx.ModelProto.FromString(data)
    except Error:
        raise
    except OSError as fault:
        raise refused("IR001", f"{name} cannot be read: {fault.strerror or fault}") from None
    except Exception as fault:  # noqa: BLE001  # DecodeError is a different class in each implementation of protobuf
        raise _no_model(name, data, str(fault)) from None
    if not proto.HasField("graph"):
        raise _no_model(name, data, "it has no graph")
    return proto, files


def _no_model(name: str, data: bytes, reason: str) -> OnnxReadError:
    """Return the error for bytes that are no ONNX model, which says what they are instead, if that is plain."""
    if not data.strip():
        return refused("ON001", f"{name} is not an ONNX model: it is empty", "write or copy the model again")
    kind = foreign(data)
    if kind is None and data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<net")):
        return refused("ON001", f"{name} is not an ONNX model: it is XML", "rename the .xml of an IR to .xml")
    if kind is None or kind.may_be_onnx:
        return refused("ON001", f"{name} is not an ONNX model: {reason}", "check that the file is complete")
    return refused("ON001", f"{name} is not an ONNX model: it is {kind.name}", kind.help)


def external_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that hold tensors of a model beside it; raises for one that is absent or elsewhere."""
    require_onnx()
    proto, files = load_onnx(path)
    tensors = [tensor for tensor in all_tensors(proto) if tensor.data_location == 1]
    return list(dict.fromkeys(files.path_of(tensor) for tensor in tensors))


def _scope_of(proto: Any, files: ExternalData, at: Span) -> Scope:
    opsets = opsets_of_model(proto)
    functions = functions_of(proto)
    require_unique(proto)
    require_expandable(proto.graph, functions)
    scope = Scope(Source(opsets, functions, files, at))
    scope.add_initializers(proto.graph)
    return scope


def _translated(proto: Any, files: ExternalData, file: str, ends: Ends) -> Model:
    graph = proto.graph
    scope = _scope_of(proto, files, Span(file, path=graph.name or "graph"))
    inputs = [value for value in graph.input if not scope.has_initializer(value.name)]
    cut = Cut(graph, ends, [value.name for value in inputs])
    scope.cut = cut.inner_inputs
    parameters = [_parameter(scope, value, cut.inputs.get(value.name, InputEnd())) for value in inputs]
    parameters += _inner_parameters(scope, proto, cut)
    outputs = cut.outputs()
    scope.results = frozenset(value.name for value in outputs)
    scope.translate(in_order(cut.nodes()))
    results = [_result(scope, value) for value in outputs]
    if cut.is_inner:
        needed = set(order_of(Model(NAME, results))[0])
        parameters = [node for node in parameters if node in needed]
    model = graph_of(NAME, parameters, results)
    restore_metadata(model, proto)
    return model


def _inner_parameters(scope: Scope, proto: Any, cut: Cut) -> list[Node]:
    """Return Parameters for inner tensors that become inputs; what is not declared of them is inferred."""
    ends = [cut.inputs[name] for name in cut.inputs if name in cut.inner_inputs]
    values = [cut.value_info(end.name or "") for end in ends]
    if any(
        end.shape is None and not value.type.tensor_type.HasField("shape")
        for end, value in zip(ends, values, strict=True)
    ):
        uncut = _scope_of(proto, scope.source.files, scope.source.at)
        for value in proto.graph.input:
            if not uncut.has_initializer(value.name):
                _parameter(uncut, value, cut.inputs.get(value.name, InputEnd()))
        uncut.translate(in_order(proto.graph.node))
        for position, end in enumerate(ends):
            inferred = uncut.value(end.name or "")
            if inferred is not None:
                shape = PartialShape(inferred.tensor_info.shape) if end.shape is None else end.shape
                ends[position] = end._replace(
                    shape=shape, element_type=end.element_type or inferred.tensor_info.element_type
                )
    return [_parameter(scope, value, end) for value, end in zip(values, ends, strict=True)]


def _parameter(scope: Scope, value: Any, end: InputEnd) -> Node:
    try:
        info = tensor_info(value.type)
    except Error as fault:
        raise located(f'ONNX input "{value.name}"', fault) from None
    shape = info.shape if end.shape is None else end.shape
    with scope.source.building(f'ONNX input "{value.name}"', value.name):
        node = parameter(shape, end.element_type or info.element_type, value.name)
    node.outputs[0].set_names([value.name])
    scope.define(value.name, node.outputs[0])
    return node


def _result(scope: Scope, value: Any) -> Node:
    try:
        source = scope.value(value.name)
        if source is None:
            raise OnnxReadError("it is an absent value")
        with scope.source.building(f'ONNX output "{value.name}"', value.name):
            node = result(source, result_name(value.name))
        node.outputs[0].set_names([value.name])
        node.inputs[0].declared = _declared(value)
    except Error as fault:
        raise located(f'ONNX output "{value.name}"', fault) from None
    return node


def _declared(value: Any) -> Declared:
    """Return the shape that the file declares for an output that is a tensor."""
    if not value.type.tensor_type.HasField("shape"):
        return NOTHING_DECLARED
    return Declared(FrozenShape(tensor_info(value.type).shape), None)
