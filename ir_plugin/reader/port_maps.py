"""Findings for readable but incomplete port maps: parameters without a value, outputs without a Result."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from ir_plugin.model import Node, SubGraph
from ir_plugin.reader.reading import Reading

_MAX_SHOWN = 8
_SLICES = ("start", "end", "stride", "part_size")
_MAPS = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}


def check_port_map(reading: Reading, node: Node, layer: etree._Element, name: str, subgraph: SubGraph) -> None:
    """Report what is wrong with the port map and the back edges of a body."""
    port_map = layer.find(_MAPS[name])
    element = layer if port_map is None else port_map
    is_loop = name == "body"
    if port_map is None and (subgraph.body.parameters or node.outputs):
        reading.report("IR210", f"the layer has no <{_MAPS[name]}>", layer, layer=node.ref())
        return
    faults = [*_parameters(subgraph), *_outputs(node, subgraph)]
    if faults:
        (message, help), *more = faults
        because = "; ".join(text for text, _ in more[:_MAX_SHOWN])
        reading.report("IR210", f"in <{name}>: {message}", element, layer=node.ref(), because=because, help=help)
    if is_loop and node.operation.type == "Loop":
        _check_condition(reading, node, element, subgraph)
    if is_loop:
        _check_slices(reading, node, layer)


def _parameters(subgraph: SubGraph) -> list[tuple[str, str]]:
    """Return message and help for each parameter of a body without a value, or with several."""
    sources = Counter(entry.parameter for entry in subgraph.inputs)
    faults = []
    for position, parameter in enumerate(subgraph.body.parameters):
        if not sources[position]:
            message = f'nothing gives the Parameter "{parameter.name}" (id {parameter.id}) a value'
            help = f'write an <input> with internal_layer_id="{parameter.id}" in the port map'
            faults.append((message, help))
        elif sources[position] > 1:
            faults.append(
                (f'{sources[position]} inputs give the Parameter "{parameter.name}" a value', "keep one of them")
            )
    targets = Counter(target for _, target in subgraph.back_edges)
    for position, count in targets.items():
        if count > 1:
            name = subgraph.body.parameters[position].name
            faults.append((f'{count} back edges lead to the Parameter "{name}"', "keep one of them"))
    return faults


def _outputs(node: Node, subgraph: SubGraph) -> list[tuple[str, str]]:
    """Return message and help for each output of the layer without a Result of the body, or with several."""
    sources = Counter(entry.external for entry in subgraph.outputs)
    faults = []
    for port in node.outputs:
        if not sources[port.index]:
            message = f"no Result of the body gives output port {port.port_id} of the layer"
            help = f'write an <output> with external_port_id="{port.port_id}" in the port map'
            faults.append((message, help))
        elif sources[port.index] > 1:
            faults.append((f"{sources[port.index]} Results give output port {port.port_id}", "keep one of them"))
    return faults


def _check_condition(reading: Reading, node: Node, element: etree._Element, subgraph: SubGraph) -> None:
    conditions = sum(entry.purpose == "execution_condition" for entry in subgraph.outputs)
    if conditions != 1:
        number = "no output" if conditions == 0 else f"{conditions} outputs"
        message = f"the port map of the Loop has {number} of purpose execution_condition; it must have one"
        help = 'write <output external_port_id="-1" internal_layer_id="…" purpose="execution_condition"/>'
        reading.report("IR210", message, element, layer=node.ref(), help=help)


def _check_slices(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Report entries with slice attributes but no axis, for which OpenVINO takes the whole tensor."""
    for entry in layer.iterfind("port_map/*"):
        attribute = next((name for name in _SLICES if entry.get(name) is not None), "")
        if attribute and entry.get("axis") is None:
            message = f"the entry has {attribute}, but no axis; OpenVINO takes the whole tensor in every iteration"
            help = 'write axis="…", or leave start, end, stride and part_size out'
            reading.report("IR210", message, entry, layer=node.ref(), help=help)
