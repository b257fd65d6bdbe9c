"""Detection of two layers with exchanged ids and equally numbered ports, whose inputs suit the other layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ir_plugin.model import Input, Node, Output

_MAX_SUSPECTS = 16


def exchanged_by_types(ports: Sequence[Input]) -> tuple[Node, Node] | None:
    """Return the two layers whose edges all agree after an exchange of their ids, or None.

    `ports` are all inputs of a graph that contradict their producers; the exchange must resolve every one of them.
    """
    suspects: dict[Node, None] = {}
    for port in ports:
        suspects[port.node] = None
        if port.source is not None:
            suspects[port.source.node] = None
    if len(ports) < 2 or len(suspects) > _MAX_SUSPECTS:
        return None
    return next((pair for pair in combinations(suspects, 2) if _agree(pair, ports)), None)


def _agree(pair: tuple[Node, Node], ports: Sequence[Input]) -> bool:
    first, second = pair
    partner = {first: second, second: first}
    edges = list(_edges(pair))
    if not set(ports) <= {target for _, target in edges}:
        return False
    for source, target in edges:
        outputs = partner.get(source.node, source.node).outputs
        inputs = partner.get(target.node, target.node).inputs
        output = next((port for port in outputs if port.port_id == source.port_id), None)
        input = next((port for port in inputs if port.port_id == target.port_id), None)
        if output is None or input is None or not output.declared.fits(input.declared):
            return False
    return True


def _edges(nodes: Sequence[Node]) -> Iterator[tuple[Output, Input]]:
    for node in nodes:
        for port in node.inputs:
            if port.source is not None:
                yield port.source, port
        for output in node.outputs:
            yield from ((output, reader) for reader in output.readers)
