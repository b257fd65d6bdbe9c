"""Assembly of a part: its nodes with new Parameters, constants and Results, wired among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from ir_plugin.model import Model, Node, Output
from ir_plugin.openvino.api.building import result_of
from ir_plugin.openvino.surgery.extent import Extent, through_assigns
from ir_plugin.openvino.surgery.naming import Selection, label
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.tensors import Array, FrozenShape, TensorInfo


def assemble(
    graph: Model, extent: Extent, inputs: Sequence[Output], ends: Sequence[Selection], assigns: Sequence[Node]
) -> Model:
    """Return a part of a graph, which is taken apart; `inputs` become Parameters, and `ends` Results."""
    ids = _ids(graph)
    tensor_names = {name for node in graph.nodes for port in node.outputs for name in port.names}
    sources = {port: _parameter(port, ids) for port in inputs}
    constants = {port: _constant(port, value, next(ids)) for port, value in extent.constants.items()}
    sources |= constants
    ports = [port for selection in ends for port in selection.ports]
    parameters = [node for node in graph.parameters if node in extent.nodes]
    for port in (*inputs, *(node.outputs[0] for node in parameters), *ports):
        _name(sources.get(port, port), label(port), tensor_names)
    results = list(_results(ends, sources, ids))
    inner = [node for node in graph.nodes if node in extent.nodes]
    own = [port.node for port in sources.values() if port not in constants.values()]
    rest = [node for node in inner if node not in set(own)]
    others = [node for node in rest if not node.is_a(Parameter)]
    folded = [port.node for port in constants.values()]
    nodes = [*own, *(node for node in parameters if node not in own), *folded, *others, *results, *assigns]
    _wire(nodes, sources)
    part = Model(graph.name, nodes, graph.version)
    part.rt_info, part.weights = graph.rt_info, graph.weights
    return part


def _ids(graph: Model) -> Iterator[str]:
    """Yield ids that no node of a graph has."""
    largest = max((int(node.id) for node in graph.nodes if node.id.isdecimal()), default=-1)
    return map(str, count(largest + 1))


def _parameter(port: Output, ids: Iterator[str]) -> Output:
    """Return the Parameter's output in the place of an output: a new one, unless it is one already."""
    if port.node.is_a(Parameter):
        return port
    tensor = port.tensor_info
    operation = Parameter(shape=FrozenShape(tensor.shape), element_type=tensor.element_type)
    return _stand_in(port, Node(next(ids), label(port), operation.type, operation.version, operation))


def _constant(port: Output, value: Array, id: str) -> Output:
    """Return the output of a Constant with a known value, in the place of an output."""
    const = Const.of(value.copy(), port.tensor_info.element_type)
    return _stand_in(port, Node(id, label(port), const.type, const.version, const))


def _stand_in(port: Output, node: Node) -> Output:
    """Return the output of a new node that stands for another one, with its names and the place it comes from."""
    node.origin = port.node.origin
    output = Output(node, 0, 0)
    output.take_names(port)
    output.tensor_info = TensorInfo(port.tensor_info.element_type, port.tensor_info.shape)
    node.outputs.append(output)
    return output


def _name(port: Output, name: str, tensor_names: set[str]) -> None:
    """Name a tensor that has no name, unless another one has that name."""
    if not port.names and name not in tensor_names:
        tensor_names.add(name)
        port.set_names([name])


def _results(ends: Sequence[Selection], sources: dict[Output, Output], ids: Iterator[str]) -> Iterator[Node]:
    """Yield the model's Results that are selected, and a new Result for each other selected port."""
    for selection in ends:
        if selection.result is not None:
            yield selection.result
            continue
        for port in selection.ports:
            source = through_assigns(port)
            node = result_of(sources.get(source, source), next(ids))
            node.name = f"{label(port)}/sink_port_0"
            node.outputs[0].take_names(node.input(0).get_source_output())
            yield node


def _wire(nodes: Sequence[Node], sources: dict[Output, Output]) -> None:
    """Make nodes read the stand-ins of their sources, and outputs know no readers but these nodes."""
    outputs = {port for node in nodes for port in node.outputs}
    for port in outputs:
        port.readers = []
    for node in nodes:
        for reader in node.inputs:
            if reader.source is not None:
                source = through_assigns(reader.source)
                reader.source = sources.get(source, source)
                reader.source.readers.append(reader)
