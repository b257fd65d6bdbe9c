"""Writer of layers, ports, bodies and edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.model import Input, Model, Node, Output, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.operations.opsets import WRITTEN
from ir_plugin.tensors import TensorInfo
from ir_plugin.writer.rt_info import write_layer_info
from ir_plugin.writer.text import Xml, attribute_texts, names_text
from ir_plugin.writer.weights import WeightsWriter

_SAVED_AS = {("LogicalXor", "opset1"): "opset2"}
"""The opset that OpenVINO writes instead of the one that introduced the type."""


class GraphWriter:
    """Writes graphs and their bodies, with positions as layer ids."""

    def __init__(self, xml: Xml, weights: WeightsWriter, version: int) -> None:
        self._xml = xml
        self._weights = weights
        self._version = version

    def write(self, model: Model) -> None:
        """Write `<layers>` and `<edges>`, with parameters first and results last."""
        order = written_order(model)
        ids = {node: number for number, node in enumerate(order)}
        self._xml.open("layers")
        for node, number in ids.items():
            self._layer(node, number)
        self._xml.close()
        edges = [_edge(port, ids) for node in order for output in node.outputs for port in _readers(output, ids)]
        if not edges:
            self._xml.leaf("edges")
            return
        self._xml.open("edges")
        for edge in edges:
            self._xml.leaf("edge", edge)
        self._xml.close()

    def _layer(self, node: Node, number: int) -> None:
        operation = node.operation
        type = node.type if operation is None else WRITTEN.get(operation.type, operation.type)
        version = node.version if operation is None else _SAVED_AS.get((type, operation.version), operation.version)
        head = {"id": number, "name": node.name, "type": type, "version": version}
        self._xml.open("layer", head | _output_names(node))
        data = self._data(node)
        if data:
            self._xml.leaf("data", data)
        subgraphs = {} if operation is None else operation.subgraphs
        for name in sorted(subgraphs):
            self._port_map(node, name, subgraphs[name])
        write_layer_info(self._xml, node.rt_info)
        self._ports("input", node.inputs)
        self._ports("output", [] if node.get_type_name() == "Result" else node.outputs)
        for name in sorted(subgraphs, reverse=True):
            self._xml.open(name)
            self.write(subgraphs[name].body)
            self._xml.leaf("rt_info")
            self._xml.close()
        self._xml.close()

    def _data(self, node: Node) -> dict[str, str]:
        texts = attribute_texts(node)
        if node.operation is not None and node.operation.type == "Const":
            offset, size = self._weights.add(node)
            texts |= {"offset": str(offset), "size": str(size)}
        if self._version == 10:
            return {name: text.replace("?", "-1") if name == "shape" else text for name, text in texts.items()}
        return texts

    def _ports(self, tag: str, ports: Sequence[Input] | Sequence[Output]) -> None:
        if not ports:
            return
        self._xml.open(tag)
        for port in ports:
            self._port(port)
        self._xml.close()

    def _port(self, port: Input | Output) -> None:
        tensor = _written_tensor(port)
        head: dict[str, object] = {"id": port_id(port), "precision": tensor.element_type.precision}
        names = port.names if isinstance(port, Output) else ()
        info = port.rt_info if isinstance(port, Output) else {}
        if names:
            head["names"] = names_text(names)
        dims = tensor.shape.dims or ()
        if not dims and not info:
            self._xml.leaf("port", head)
            return
        self._xml.open("port", head)
        for dim in dims:
            self._xml.text("dim", dim.lower if dim.is_static else -1)
        write_layer_info(self._xml, info)
        self._xml.close()

    def _port_map(self, node: Node, name: str, subgraph: SubGraph) -> None:
        ids = {inner: number for number, inner in enumerate(written_order(subgraph.body))}
        parameters = [ids[parameter] for parameter in subgraph.body.parameters]
        results = [ids[result] for result in subgraph.body.results]
        self._xml.open(name.replace("body", "port_map"))
        for has_purpose in (False, True):
            for entry in subgraph.inputs:
                if bool(entry.purpose) is has_purpose:
                    self._xml.leaf("input", _mapped(entry, entry.external, parameters[entry.parameter]))
            for output in subgraph.outputs:
                if bool(output.purpose) is has_purpose:
                    external = None if output.external is None else len(node.inputs) + output.external
                    self._xml.leaf("output", _mapped(output, external, results[output.result]))
        self._xml.close()
        if subgraph.back_edges:
            self._xml.open("back_edges")
            for result, parameter in subgraph.back_edges:
                self._xml.leaf("edge", {"from-layer": results[result], "to-layer": parameters[parameter]})
            self._xml.close()


def written_order(model: Model) -> list[Node]:
    """Return the layers in the order of writing: parameters, inner layers in topological order, sinks, results."""
    ends = {*model.parameters, *model.sinks, *model.results}
    inner = [node for node in model.ordered() if node not in ends]
    return [*model.parameters, *inner, *model.sinks, *model.results]


def port_id(port: Input | Output) -> int:
    """Return the id of a port: inputs from 0, then outputs."""
    return port.index if isinstance(port, Input) else len(port.node.inputs) + port.index


def _written_tensor(port: Input | Output) -> TensorInfo:
    """Return the inferred tensor of a port, or the declared one if it is not inferred, as in a branch not taken."""
    source = port.source if isinstance(port, Input) else port
    inferred = port.tensor_info
    declared = port.declared if source is None or source.declared.element_type is None else source.declared
    if inferred.element_type.is_static or declared.element_type is None:
        return inferred
    shape = declared.shape
    return TensorInfo(declared.element_type, () if shape is None else shape)


def _readers(output: Output, ids: Mapping[Node, int]) -> list[Input]:
    written = [port for port in output.readers if port.node in ids]
    return sorted(written, key=lambda port: (ids[port.node], port.index))


def _edge(port: Input, ids: Mapping[Node, int]) -> dict[str, object]:
    source = port.get_source_output()
    return {
        "from-layer": ids[source.node],
        "from-port": port_id(source),
        "to-layer": ids[port.node],
        "to-port": port_id(port),
    }


def _output_names(node: Node) -> dict[str, str]:
    """Return a Result's own names, without those that it shares with its producer."""
    if node.get_type_name() != "Result" or not node.outputs or not node.outputs[0].names:
        return {}
    source = node.inputs[0].source if node.inputs else None
    is_shared = source is not None and node.outputs[0].shows_names_of(source)
    return {} if is_shared else {"output_names": names_text(node.outputs[0].names)}


def _mapped(entry: SubGraphInput | SubGraphOutput, external: int | None, internal: int) -> dict[str, Any]:
    head = {} if entry.axis is None else {"axis": entry.axis}
    attributes: dict[str, Any] = head | {
        "external_port_id": -1 if external is None else external,
        "internal_layer_id": internal,
    }
    if entry.axis is not None:
        attributes |= {"start": entry.start, "end": entry.end, "stride": entry.stride, "part_size": entry.part_size}
    return attributes | ({"purpose": entry.purpose} if entry.purpose else {})
