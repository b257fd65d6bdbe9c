"""Translation of a whole model that goes on after faults, and declared types held against the inferred ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.bodies import graph_of
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.faults import OnnxLimitError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.metadata import result_name
from ir_plugin.frontends.onnx.node import Source
from ir_plugin.frontends.onnx.scope import Scope
from ir_plugin.frontends.onnx.types import element_type_of, number_of, tensor_info
from ir_plugin.frontends.onnx_check.collector import Collector, Location
from ir_plugin.frontends.onnx_check.fixes import correct_type, leave_out_negative_lengths
from ir_plugin.model import Model, Node, Output
from ir_plugin.opsets.basic import parameter, result
from ir_plugin.tensors import ElementType, PartialShape, TensorInfo

_ATTRIBUTE = re.compile(r"(?:the )?attribute '(\w+)'")
_PREFIX = re.compile(r'^ONNX (?:node|input|output) ".*?"[^:]*?(?: \([\w.-]+\))?: ', re.DOTALL)
_UNKNOWN = TensorInfo(ElementType.dynamic, None)


class CheckedTranslation:
    """Translates a model, and collects the faults of its nodes; their outputs are then as declared, or unknown."""

    def __init__(self, collector: Collector, opsets: dict[str, int], functions: Any, files: ExternalData) -> None:
        self._collector = collector
        self._opsets = opsets
        self._scope = Scope(Source(opsets, functions, files, observer=self))
        self._name = ""
        self._declared: dict[str, Any] = {}
        self._is_unknown: dict[Node, bool] = {}

    def run(self, graph: Any, nodes: Iterable[Any]) -> Model:
        """Return the model of a graph as far as it can be translated."""
        scope, self._name = self._scope, graph.name or "graph"
        self._declared = {value.name: value for value in (*graph.value_info, *graph.output)}
        scope.add_initializers(graph)
        self._hold_initializers(graph)
        parameters = [self._input(value) for value in graph.input if not scope.has_initializer(value.name)]
        scope.results = frozenset(value.name for value in graph.output)
        scope.translate(nodes)
        self.graph_done(scope, graph)
        results = []
        for value in graph.output:
            source = self._value(scope, value.name)
            if source is not None:
                results.append(result(source, result_name(value.name)))
        return graph_of(graph.name, parameters, results)

    def _hold_initializers(self, graph: Any) -> None:
        """Report inputs whose type or shape differs from their default, an initializer."""
        tensors = {tensor.name: tensor for tensor in graph.initializer}
        for value in graph.input:
            tensor = tensors.get(value.name)
            if tensor is None or value.type.WhichOneof("value") != "tensor_type":
                continue
            declared, shape = self._info(value, "input"), PartialShape(list(tensor.dims))
            label = f'the input "{value.name}"'
            if not declared.element_type.is_dynamic and number_of(declared.element_type) != tensor.data_type:
                name = element_type_of(tensor.data_type).name
                self._collector.add(
                    "ON302", f"{label} is declared as {declared.element_type.name}, and its initializer is {name}",
                    self._location(), declared=declared.element_type.name, inferred=name, help="correct the input",
                    fix=partial(correct_type, value, TensorInfo(element_type_of(tensor.data_type), shape)),
                )  # fmt: skip
            if not PartialShape(declared.shape).compatible(shape):
                self._collector.add(
                    "ON303", f"{label} is declared with the shape {declared.shape}, and its initializer has {shape}",
                    self._location(), declared=str(declared.shape), inferred=str(shape), help="correct the input",
                    fix=partial(correct_type, value, TensorInfo(element_type_of(tensor.data_type), shape)),
                )  # fmt: skip

    def _input(self, value: Any) -> Node:
        info = self._info(value, "input")
        if info.element_type.is_dynamic and info is not _UNKNOWN:
            self._collector.add("ON304", f'the input "{value.name}" has no element type', self._location(),
                                help="give it an element type and a shape")  # fmt: skip
        node = parameter(info.shape, info.element_type, value.name)
        node.outputs[0].set_names([value.name])
        self._is_unknown[node] = info is _UNKNOWN
        if self._scope.lacks(value.name):
            self._scope.define(value.name, node.outputs[0])
        return node

    def _info(self, value: Any, kind: str) -> TensorInfo:
        try:
            dims = value.type.tensor_type.shape.dim
            if any(dim.HasField("dim_value") and dim.dim_value < 0 for dim in dims):
                lengths = [dim.dim_value if dim.HasField("dim_value") else "?" for dim in dims]
                self._collector.add(
                    "ON304", f'the {kind} "{value.name}" has the shape {lengths}', self._location(), severity="warning",
                    help="leave the length out, or give it a name, where it is unknown",
                    fix=partial(leave_out_negative_lengths, value),
                )  # fmt: skip
            return tensor_info(value.type)
        except Error as fault:
            code = "ON504" if isinstance(fault, OnnxUnsupportedError) else "ON304"
            self._collector.add(code, f'the {kind} "{value.name}": {fault}', self._location(),
                                help="give it an element type and a shape")  # fmt: skip
            return _UNKNOWN

    def _location(self, path: str = "") -> Location:
        return Location(self._name, (path,) if path else (), self._opsets)

    def node_failed(self, scope: Any, proto: Any, error: Error) -> None:
        """Report a node that cannot be translated, and let its outputs be as declared, or unknown."""
        if isinstance(error, OnnxLimitError):
            raise error
        if not self._collector.has_fault(proto) and not any(self._is_after_fault(scope, name) for name in proto.input):
            self._report(scope, proto, error)
        for name in filter(None, proto.output):
            if not scope.lacks(name):
                continue
            declared = self._declared.get(name) if not scope.path else None
            info = _UNKNOWN if declared is None else _declared_info(declared)
            node = parameter(info.shape, info.element_type, name)
            self._is_unknown[node] = info.shape.dims is None or bool(info.element_type.is_dynamic)
            scope.define(name, node.outputs[0])

    def _report(self, scope: Any, proto: Any, error: Error) -> None:
        message = _PREFIX.sub("", str(error), count=1)
        attribute = _ATTRIBUTE.search(message)
        finding = error.findings[0] if error.findings else None
        if finding is not None and finding.code.startswith("ON"):
            code = finding.code
        elif isinstance(error, OnnxUnsupportedError):
            code = "ON504"
        else:
            code = "ON104" if attribute else "ON301"
        inputs = [self._value(scope, name) for name in proto.input]
        shown = ", ".join(
            "absent" if port is None else f"{port.tensor_info.element_type.name}{port.tensor_info.shape}"
            for port in inputs
        )
        self._collector.add(
            code, message, self._location(scope.path), proto,
            f'attribute "{attribute[1]}"' if attribute else "", because=f"its inputs are {shown}" if shown else "",
            help="correct the attribute" if attribute else (finding.help if finding is not None else ""),
        )  # fmt: skip

    def _value(self, scope: Any, name: str) -> Output | None:
        try:
            value: Output | None = scope.value(name)
        except Error:
            return None
        return value

    def _is_after_fault(self, scope: Any, name: str) -> bool:
        """Return whether a value is computed from one that is unknown because of a fault, or is not there."""
        try:
            value = scope.value(name)
        except Error:
            return True
        if value is None:
            return False
        waiting = [value.node]
        while waiting:
            node = waiting[-1]
            sources = [source.source.node for source in node.inputs if source.source is not None]
            open_sources = [source for source in sources if source not in self._is_unknown]
            if node in self._is_unknown or not open_sources:
                self._is_unknown.setdefault(node, any(self._is_unknown[source] for source in sources))
                waiting.pop()
            else:
                waiting += open_sources
        is_unknown: bool = self._is_unknown[value.node]
        return is_unknown

    def graph_done(self, scope: Any, graph: Any) -> None:
        """Hold the declared types and shapes of the values of a graph against the inferred ones."""
        nodes = {name: node for node in graph.node for name in node.output}
        outputs = {value.name for value in graph.output}
        location = self._location(scope.path)
        for value in (*graph.value_info, *graph.output):
            node = nodes.get(value.name)
            port = None if node is None or scope.lacks(value.name) else self._value(scope, value.name)
            if port is not None and not self._is_unknown.get(port.node, False):
                kind = "output of the graph" if value.name in outputs else "value"
                self._compare(value, port, node, location, kind)

    def _compare(self, value: Any, port: Output, node: Any, location: Location, kind: str) -> None:
        if kind != "value" and not location.path:
            self._require_type(value, port, node, location)
        is_tensor = value.type.WhichOneof("value") == "tensor_type"
        declared, inferred = self._info(value, kind) if is_tensor else _UNKNOWN, port.tensor_info
        part = f'{kind} "{value.name}"'
        types = declared.element_type, inferred.element_type
        if not any(type.is_dynamic for type in types) and types[0] is not types[1]:
            self._collector.add(
                "ON302", f'"{value.name}" is declared as {types[0].name}, and computed as {types[1].name}', location,
                node, part,
                declared=types[0].name, inferred=types[1].name, because=f"{node.op_type} gives {types[1].name} here",
                help="correct the declared type, or delete the value_info; shape inference of onnx writes it again",
                fix=partial(correct_type, value, inferred),
            )  # fmt: skip
        shapes = PartialShape(declared.shape), PartialShape(inferred.shape)
        if not shapes[0].compatible(shapes[1]):
            self._collector.add(
                "ON303", f'"{value.name}" is declared with the shape {shapes[0]}, and computed with {shapes[1]}',
                location, node, part, declared=str(shapes[0]), inferred=str(shapes[1]),
                help="correct the declared shape, or the attribute that leads to the other one",
                fix=partial(correct_type, value, inferred),
            )  # fmt: skip

    def _require_type(self, value: Any, port: Output, node: Any, location: Location) -> None:
        """Report an output of the model without element type or shape where these are known."""
        kind, tensor, info = value.type.WhichOneof("value"), value.type.tensor_type, port.tensor_info
        is_tensor = kind in (None, "tensor_type") and info.element_type.item is None
        lacks_shape = is_tensor and info.shape.dims is not None and not tensor.HasField("shape")
        lacks_type = kind is None or (is_tensor and not tensor.elem_type)
        if (lacks_type or lacks_shape) and info.element_type.is_static:
            self._collector.add(
                "ON304", f'the output "{value.name}" of the graph has no {"element type" if lacks_type else "shape"}',
                location, node, f'output of the graph "{value.name}"', severity="note",
                inferred=f"{info.element_type.name}{PartialShape(info.shape)}",
                help="write it; the checker of onnx demands it", fix=partial(correct_type, value, info),
            )  # fmt: skip


def _declared_info(value: Any) -> TensorInfo:
    try:
        return tensor_info(value.type)
    except Error:
        return _UNKNOWN
