"""Port maps that can be read, but cannot be meant: parameters that get no value, outputs that nothing gives."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from ir_plugin.model import Node, SubGraph
from ir_plugin.reader.reading import Reading

_MOST = 8
_SLICES = ("start", "end", "stride", "part_size")
_MAPS = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}


def check_port_map(reading: Reading, node: Node, layer: etree._Element, name: str, subgraph: SubGraph) -> None:
    """Add what is wrong with the port map and the back edges of one body."""
    found = layer.find(_MAPS[name])
    at = layer if found is None else found
    is_loop = name == "body"
    if found is None and (subgraph.body.parameters or node.outputs):
        reading.report("IR210", f"the layer has no <{_MAPS[name]}>", layer, layer=node.ref())
        return
    faults = [*_parameters(subgraph), *_outputs(node, subgraph)]
    if faults:
        (message, help), *more = faults
        because = "; ".join(text for text, _ in more[:_MOST])
        reading.report("IR210", f"in <{name}>: {message}", at, layer=node.ref(), because=because, help=help)
    if is_loop and node.operation.type == "Loop":
        _check_condition(reading, node, at, subgraph)
    if is_loop:
        _check_slices(reading, node, layer)


def _parameters(subgraph: SubGraph) -> list[tuple[str, str]]:
    """Return the parameters of a body that get no value, or two."""
    given = Counter(entry.parameter for entry in subgraph.inputs)
    found = []
    for position, parameter in enumerate(subgraph.body.parameters):
        if not given[position]:
            message = f'nothing gives the Parameter "{parameter.name}" (id {parameter.id}) a value'
            help = f'write an <input> with internal_layer_id="{parameter.id}" in the port map'
            found.append((message, help))
        elif given[position] > 1:
            found.append(
                (f'{given[position]} inputs give the Parameter "{parameter.name}" a value', "keep one of them")
            )
    targets = Counter(target for _, target in subgraph.back_edges)
    for position, count in targets.items():
        if count > 1:
            name = subgraph.body.parameters[position].name
            found.append((f'{count} back edges lead to the Parameter "{name}"', "keep one of them"))
    return found


def _outputs(node: Node, subgraph: SubGraph) -> list[tuple[str, str]]:
    """Return the outputs of the layer that no result of the body gives, or two."""
    given = Counter(entry.external for entry in subgraph.outputs)
    found = []
    for port in node.outputs:
        if not given[port.index]:
            message = f"no Result of the body gives output port {port.port_id} of the layer"
            help = f'write an <output> with external_port_id="{port.port_id}" in the port map'
            found.append((message, help))
        elif given[port.index] > 1:
            found.append((f"{given[port.index]} Results give output port {port.port_id}", "keep one of them"))
    return found


def _check_condition(reading: Reading, node: Node, at: etree._Element, subgraph: SubGraph) -> None:
    conditions = sum(entry.purpose == "execution_condition" for entry in subgraph.outputs)
    if conditions != 1:
        number = "no output" if conditions == 0 else f"{conditions} outputs"
        message = f"the port map of the Loop has {number} of purpose execution_condition; it must have one"
        help = 'write <output external_port_id="-1" internal_layer_id="…" purpose="execution_condition"/>'
        reading.report("IR210", message, at, layer=node.ref(), help=help)


def _check_slices(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Report entries that say how to slice, but not along which axis: OpenVINO takes the whole tensor then."""
    for entry in layer.iterfind("port_map/*"):
        said = next((name for name in _SLICES if entry.get(name) is not None), "")
        if said and entry.get("axis") is None:
            message = f"the entry has {said}, but no axis; OpenVINO takes the whole tensor in every iteration"
            help = 'write axis="…", or leave start, end, stride and part_size out'
            reading.report("IR210", message, entry, layer=node.ref(), help=help)
