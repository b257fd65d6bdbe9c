"""Models as ONNX graphs: names, inputs, outputs, and each layer by its writer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import UnsupportedError
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.graph import Document, GraphBuilder, set_type
from ir_plugin.frontends.onnx_writer.joining import join_nodes
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.metadata import end_metadata, names_metadata
from ir_plugin.frontends.onnx_writer.registry import Writer, writers
from ir_plugin.frontends.onnx_writer.values import held
from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import Dimension, ElementType, TensorInfo

MOST_KNOWN = 64
"""Values of the largest tensor that is written as an initializer because inference knows what a layer computes."""


class GraphWriter:
    """Writes the layers of one graph; the graph of a body reads values of the graphs around it."""

    def __init__(self, document: Document, faults: list[str], path: str = "") -> None:
        self.graph = GraphBuilder(document)
        self.faults = faults
        self.path = path
        self.values: dict[Output, str] = {}
        """The names of the values of our outputs."""
        self._reserved: dict[Output, str] = {}

    def reserve_names(self, nodes: Sequence[Node]) -> None:
        """Reserve the names of all outputs of these nodes, before values in between take any."""
        outputs = [output for node in nodes for output in node.outputs if not _is_result(node)]
        self._reserved = {output: self.graph.document.unique(name_of(output)) for output in outputs}

    def name(self, output: Output) -> str:
        """Return the name for the value of an output."""
        return self._reserved.get(output) or self.graph.document.unique(name_of(output))

    def inner(self, path: str) -> GraphWriter:
        """Return the writer of a body's graph."""
        return GraphWriter(self.graph.document, self.faults, f"{self.path}{path}")

    def state_input(self, variable: str, info: TensorInfo, description: str) -> str:
        """Return the name of the model's input in place of a variable, which a description says the start of."""
        self._require_root()
        document = self.graph.document
        name = document.unique(f"past.{variable}")
        document.types[name] = held(info.element_type, document.opset)
        document.state_inputs.append((name, info, description))
        return name

    def state_output(self, variable: str, value: str, info: TensorInfo) -> None:
        """Add an output of the model with the new value of a variable."""
        self._require_root()
        name = self.graph.document.unique(f"present.{variable}")
        self.graph.add("Identity", [value], [name], {})
        self.graph.document.types[name] = self.graph.document.types[value]
        self.graph.document.state_outputs.append((name, info))

    def _require_root(self) -> None:
        if self.path:
            raise NotExpressibleError("a variable inside a body is no input of the model")

    def value_of(self, output: Output) -> str:
        """Return the name of a value; a Const becomes an initializer when it is first read."""
        if output not in self.values and isinstance(output.node.operation, Const):
            self.values[output] = self._initializer(output, output.node.operation)
        return self.values[output]

    def _initializer(self, output: Output, const: Const) -> str:
        document = self.graph.document
        element_type = held(const.element_type, document.opset)
        name = self.name(output)
        document.add_initializer(name, element_type, const.shape, const)
        return name

    def write(self, nodes: Sequence[Node]) -> None:
        """Write layers in order, and note those that cannot be written."""
        for node in nodes:
            operation = node.operation
            if operation is not None and operation.is_a(Const, Parameter, Result):
                continue
            try:
                self._write(node)
            except NotExpressibleError as fault:
                self.faults.append(f'layer "{self.path}{node.name}" ({node.get_type_name()}): {fault}')
                self._stand_in(node)

    def _stand_in(self, node: Node) -> None:
        """Give the outputs of a layer that cannot be written names, so that the layers that read them are tried."""
        for output in node.outputs:
            self.values[output] = name = self.name(output)
            self.graph.document.types[name] = output.element_type

    def _holds_values(self, node: Node) -> bool:
        """Make the outputs of a layer initializers if they are few whole numbers that are known before the run."""
        infos = [output.tensor_info for output in node.outputs]
        if not infos or not all(_is_known_list(info) for info in infos):
            return False
        document = self.graph.document
        for output, info in zip(node.outputs, infos, strict=True):
            name, values = self.name(output), np.asarray(info.value)
            document.add_initializer(name, held(info.element_type, document.opset), values.shape, values)
            self.values[output] = name
        return True

    def _write(self, node: Node) -> None:
        if self._holds_values(node):
            return
        writer = None if node.operation is None else writers().get(node.operation)
        if writer is None:
            raise NotExpressibleError("ONNX has no operator for it, and it is not composed of others")
        graph, since = self.graph, len(self.graph.nodes)
        graph.prefix = f"{self.path}{node.name}"
        inputs = ["" if source is None else self.value_of(source) for source in node.sources]
        layer = Layer(graph, node, inputs)
        layer.scope = self
        names = self._written(layer, writer)
        for output, name in zip(node.outputs, names, strict=False):
            if name:
                self.values[output] = self._named(output, name, since)

    def _written(self, layer: Layer, writer: Writer) -> list[str]:
        """Return the outputs of a layer in their types, written as floats where the operation computes in floats."""
        operation, graph = layer.operation, layer.graph
        as_floats = [
            position
            for position in operation.specialize(*types_of(layer.node)).computed_as_floats
            if layer.has(position) and not graph.document.types[layer.inputs[position]].is_floating
        ]
        for position in as_floats:
            layer.inputs[position] = graph.cast(layer.inputs[position], ElementType.f32)
        if writer.widens:
            layer.inputs = [widened(graph, name) for name in layer.inputs]
        written = writer.write(layer)
        names = [written] if isinstance(written, str) else list(written)
        infos = [output.tensor_info for output in layer.node.outputs]
        return [typed(layer, name, info) for name, info in zip(names, infos, strict=False)]

    def _named(self, output: Output, value: str, since: int) -> str:
        """Return the name of an output: the model's, which the node that computes it is given."""
        graph = self.graph
        name = self.name(output)
        if any(value in node.output for node in graph.nodes[since:]):
            graph.rename(value, name, since, output.node.name if output.index == 0 else "")
            return name
        graph.add("Identity", [value], [name], {})
        graph.document.types[name] = graph.document.types[value]
        return name


def _is_known_list(info: TensorInfo) -> bool:
    """Return whether a tensor is what lengths, axes and pads are given as: few whole numbers that are known."""
    is_whole = info.element_type in (ElementType.i32, ElementType.i64)
    return is_whole and info.value is not None and info.value.size <= MOST_KNOWN


def _is_result(node: Node) -> bool:
    return node.operation is not None and node.operation.is_a(Result)


def widened(graph: GraphBuilder, value: str) -> str:
    """Return a value of floats of 16 bits and fewer in f32, any other unchanged."""
    element_type = graph.document.types.get(value)
    if element_type is None or not element_type.is_floating or element_type.bits > 16:
        return value
    return graph.cast(value, ElementType.f32)


def typed(layer: Layer, value: str, info: TensorInfo) -> str:
    """Return an output in the type that is inferred for it; floats become integers as the operation rounds them."""
    if not value:
        return value
    element_type = held(info.element_type, layer.opset)
    present = layer.type_of(value)
    if present is element_type or not element_type.is_static or element_type.item is not None:
        return value
    if present.is_floating and not element_type.is_floating:
        return layer.saturated(value, element_type)
    return layer.cast(value, element_type)


def _with_declared_rank(port: Input) -> TensorInfo:
    """Return the type and shape of a result, of the rank that its file declares where none is inferred."""
    info, declared = port.tensor_info, port.declared.shape
    if info.shape.dims is not None or declared is None or declared.dims is None:
        return info
    return info.with_shape([Dimension()] * len(declared))


def types_of(node: Node) -> tuple[tuple[ElementType | None, ...], tuple[ElementType, ...]]:
    """Return the element types of a node's inputs and outputs."""
    inputs = tuple(None if port.source is None else port.element_type for port in node.inputs)
    return inputs, tuple(port.element_type for port in node.outputs)


def name_of(output: Output) -> str:
    """Return the name that an output has in ONNX: a tensor name, of a result first, or its node's."""
    if output.names:
        results = [reader.node for reader in output.readers if _is_result(reader.node) and reader.node.outputs]
        of_results = {name for node in results for name in node.outputs[0].names} & output.names
        return sorted(of_results or output.names)[0]
    return output.node.name if len(output.node.outputs) == 1 else f"{output.node.name}:{output.index}"


class ModelWriter:
    """Writes a model: inputs, layers and outputs."""

    def __init__(self, model: Model, opset: int) -> None:
        self.model = model
        self.document = Document(opset)
        self.faults: list[str] = []
        self.root = GraphWriter(self.document, self.faults)
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._symbols: dict[Any, str] = {}

    def write(self) -> None:
        """Write the model; raises with all layers that cannot be written."""
        nodes = self.model.ordered()
        self.root.reserve_names(nodes)
        for node in self.model.parameters:
            self._parameter(node.outputs[0])
        self.root.write(nodes)
        for node in self._results():
            self._result(node)
        for name, info, description in self.document.state_inputs:
            self.inputs.append(self.value_info(name, info, named=True))
            self.inputs[-1].doc_string = description
        self.outputs += [self.value_info(name, info) for name, info in self.document.state_outputs]
        if self.faults:
            listed = "\n".join(f"  {fault}" for fault in dict.fromkeys(self.faults))
            raise UnsupportedError(f"the model cannot be written as ONNX of opset {self.document.opset}:\n{listed}")
        ranks = {name: output.partial_shape.ndim for output, name in self.root.values.items()}
        join_nodes(self.root.graph, [value.name for value in self.outputs], ranks)

    def metadata(self) -> Iterator[tuple[str, str]]:
        """Yield what ONNX has no field for: layouts and names of inputs and outputs, and further names of tensors."""
        parameters, results = self.model.parameters, self._results()
        values = [*self.inputs[: len(parameters)], *self.outputs[: len(results)]]
        for node, value in zip((*parameters, *results), values, strict=True):
            yield from end_metadata(node, value.name)
        written = {name for node in self.root.graph.nodes for name in node.output}
        written.update(value.name for value in values)
        written.update(entry[0] for entry in self.document.initializers)
        named = {output: name for output, name in self.root.values.items() if name in written}
        yield from names_metadata(named, written)

    def _results(self) -> list[Node]:
        return [node for node in self.model.results if node.inputs and node.inputs[0].source is not None]

    def inner_values(self) -> list[Any]:
        """Return types and shapes of the values between the layers, as far as they are known."""
        ends = {value.name for value in (*self.inputs, *self.outputs)}
        computed = {name for node in self.root.graph.nodes for name in node.output}
        return [
            self.value_info(name, output.tensor_info)
            for output, name in self.root.values.items()
            if name in computed and name not in ends and output.element_type is self.document.types[name]
        ]

    def _require_sayable(self, what: str, info: TensorInfo) -> None:
        """Note an input or output whose type ONNX lacks, or whose rank is not known."""
        try:
            if held(info.element_type, self.document.opset) is not info.element_type:
                raise NotExpressibleError(
                    f"ONNX of opset {self.document.opset} lacks the element type {info.element_type.name}"
                )
        except NotExpressibleError as fault:
            self.faults.append(f"{what}: {fault}")
        if info.shape.dims is None and info.element_type.item is None:
            self.faults.append(f"{what}: its rank is not known, which an ONNX file has to say")

    def _parameter(self, output: Output) -> None:
        self._require_sayable(f'input "{output.node.name}"', output.tensor_info)
        name = self.root.name(output)
        self.root.values[output] = name
        self.document.types[name] = output.element_type
        self.inputs.append(self.value_info(name, output.tensor_info, named=True))

    def _result(self, node: Node) -> None:
        source = node.inputs[0].source
        if source is None:
            return
        name = self.root.value_of(source)
        graph = self.root.graph
        taken = {value.name for value in (*self.inputs, *self.outputs)}
        own = node.outputs[0].names if node.outputs else set()
        names = sorted({*own} - taken)
        is_of_another = bool(names) and name not in own
        if name in taken or is_of_another or not any(name in written.output for written in graph.nodes):
            copy = self.document.unique(names[0] if names else node.name)
            graph.add("Identity", [name], [copy], {})
            self.document.types[copy] = self.document.types[name]
            name = copy
        info = _with_declared_rank(node.inputs[0])
        self._require_sayable(f'output "{name}"', info)
        self.outputs.append(self.value_info(name, info))

    def value_info(self, name: str, info: TensorInfo, named: bool = False) -> Any:
        """Return the type and shape of a value; equal symbols have equal names, `named` names other open lengths."""
        from onnx import ValueInfoProto

        proto = ValueInfoProto(name=name)
        set_type(proto.type, info.element_type)
        if proto.type.WhichOneof("value") != "tensor_type" or info.shape.dims is None:
            return proto
        proto.type.tensor_type.shape.SetInParent()
        for axis, dim in enumerate(info.shape):
            entry = proto.type.tensor_type.shape.dim.add()
            symbol = dim.get_symbol()
            if dim.is_static:
                entry.dim_value = dim.get_length()
            elif symbol is not None and (named or symbol in self._symbols):
                entry.dim_param = self._symbols.setdefault(symbol, f"{name}_{axis}")
            elif named:
                entry.dim_param = f"{name}_{axis}"
        return proto
