"""Tensor names of a whole model, of which OpenVINO renames those that are there already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from lxml import etree

from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.reader.layer_cache import split_names
from ir_plugin.reader.reading import ElementOrigin, Reading
from ir_plugin.reader.version10 import name_tensors_as_layers
from ir_plugin.schema.values import shown


def name_tensors(reading: Reading, model: Model) -> None:
    """Give the tensors of a model, whose ports have the names of the file, those that OpenVINO gives them."""
    results = model.results
    _share_result_names(results)
    _make_names_unique(reading, model)
    if model.version == 10:
        name_tensors_as_layers(reading, model)
    _name_results(results)


def _share_result_names(results: Iterable[Node]) -> None:
    """Give the tensors that Results read the names that the Results declare."""
    for result in results:
        source = result.inputs[0].source if result.inputs else None
        if source is not None and result.outputs and result.outputs[0].names:
            source.add_names(result.outputs[0].names)


def _name_results(results: Iterable[Node]) -> None:
    """Give unnamed Results the tensor names of the outputs that they read."""
    for result in results:
        producer = result.inputs[0].source if result.inputs else None
        if producer is not None and result.outputs and not result.outputs[0].names:
            result.outputs[0].copy_names(producer)


def _make_names_unique(reading: Reading, model: Model) -> None:
    """Rename tensors whose name another tensor has; report pairs of tensors in the same graph.

    Inputs have precedence, then results, then the order of the graph. Bodies share the names of the model around them,
    which OpenVINO's own converters repeat there.
    """
    names = [name for node in _nodes(model) for port in node.outputs for name in _own_names(port)]
    if len(names) == len(set(names)):
        return
    owners: dict[str, tuple[Output, Model]] = {}
    numbers: Counter[str] = Counter()
    for port, graph in _tensors(model):
        for name in sorted(port.names):
            (owner, graph_of_owner), new = owners.setdefault(name, (port, graph)), name
            while owners.setdefault(new, (port, graph))[0] is not port:
                numbers[name] += 1
                new = f"{name}_{numbers[name]}"
            if new != name:
                port.rename(name, new)
                if graph is graph_of_owner:
                    _report(reading, port, owner, name, new)


def _nodes(model: Model) -> Iterator[Node]:
    for node in model.nodes:
        yield node
        for subgraph in node.operation.subgraphs.values() if node.operation is not None else ():
            yield from _nodes(subgraph.body)


def _own_names(port: Output) -> set[str]:
    return set() if port.node.type == "Result" else port.names


def _tensors(model: Model) -> Iterator[tuple[Output, Model]]:
    """Yield the tensors of a model and its bodies with their graphs, in OpenVINO's order, some more than once."""
    for parameter in model.parameters:
        yield from ((port, model) for port in parameter.outputs)
    for result in model.results:
        source = result.inputs[0].source if result.inputs else None
        if source is not None:
            yield source, model
    for node in order_of(model)[0]:
        subgraphs = node.operation.subgraphs if node.operation is not None else {}
        for subgraph in subgraphs.values():
            yield from _tensors(subgraph.body)
        if not subgraphs and node.type != "Result":
            yield from ((port, model) for port in node.outputs)


def _report(reading: Reading, port: Output, owner: Output, name: str, new: str) -> None:
    if not reading.strict or not isinstance(port.node.origin, ElementOrigin):
        return
    element, attribute = _declaration(port, port.node.origin, name)
    where = f'output {owner.index} of "{owner.node.name}" (id {owner.node.id})'
    reading.report(
        "IR214", f"the tensor name {shown(name)} belongs to {where} too; OpenVINO renames this one to {shown(new)}",
        element, attribute=attribute, layer=port.node.ref(f"output port {port.port_id}"),
        help="give every tensor unique names",
    )  # fmt: skip


def _declaration(port: Output, origin: ElementOrigin, name: str) -> tuple[etree._Element, str]:
    """Return the element and the attribute that declare a name of an output: its port, or a Result that reads it."""
    ports = origin.element.findall("output/port")
    if port.index < len(ports) and name in split_names(str(ports[port.index].get("names", ""))):
        return ports[port.index], "names"
    for reader in port.readers:
        result = reader.node.origin
        if reader.node.type == "Result" and isinstance(result, ElementOrigin) and result.element.get("output_names"):
            return result.element, "output_names"
    return origin.element, ""
