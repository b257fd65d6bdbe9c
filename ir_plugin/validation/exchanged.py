"""Two layers with the ids of each other whose ports are numbered alike: edges bring what the other one wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ir_plugin.model import Declared, Input, Node, Output

_MOST = 16


def exchanged_layers(wrong: Sequence[Input]) -> tuple[Node, Node] | None:
    """Return the two layers of which all edges agree when their ids are exchanged; None where there are no such two.

    `wrong` are the inputs of a graph that declare something else than their producers; all of them must agree then.
    """
    suspects: dict[Node, None] = {}
    for port in wrong:
        suspects[port.node] = None
        if port.source is not None:
            suspects[port.source.node] = None
    if len(wrong) < 2 or len(suspects) > _MOST:
        return None
    return next((pair for pair in combinations(suspects, 2) if _agree(pair, wrong)), None)


def _agree(pair: tuple[Node, Node], wrong: Sequence[Input]) -> bool:
    one, other = pair
    partner = {one: other, other: one}
    edges = list(_edges(pair))
    if not set(wrong) <= {target for _, target in edges}:
        return False
    for source, target in edges:
        outputs = partner.get(source.node, source.node).outputs
        inputs = partner.get(target.node, target.node).inputs
        output = next((port for port in outputs if port.port_id == source.port_id), None)
        input = next((port for port in inputs if port.port_id == target.port_id), None)
        if output is None or input is None or not _fit(output.declared, input.declared):
            return False
    return True


def _edges(nodes: Sequence[Node]) -> Iterator[tuple[Output, Input]]:
    for node in nodes:
        for port in node.inputs:
            if port.source is not None:
                yield port.source, port
        for made in node.outputs:
            yield from ((made, reader) for reader in made.readers)


def _fit(one: Declared, other: Declared) -> bool:
    shapes = one.shape is None or other.shape is None or one.shape.compatible(other.shape)
    types = one.element_type is None or other.element_type is None or one.element_type is other.element_type
    return shapes and types
