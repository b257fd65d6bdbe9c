"""Detection of two layers with exchanged ids, whose edges all name ports of the other layer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from ir_plugin.model import Node

Ends = tuple[int, int, int, int]

_MAX_SUSPECTS, _MAX_LAYERS = 8, 5000


def exchanged_by_ports(
    nodes: dict[str, Node], edges: Iterable[Ends], refused: Sequence[Ends]
) -> tuple[Node, Node] | None:
    """Return the two layers whose edges all fit after an exchange of their ids, or None.

    `refused` are the edges that name a port that does not exist; if more than a few layers are concerned, the cause is
    another. If only one layer lacks ports, all layers are candidates for the other.
    """
    suspects = _suspects(nodes, refused)
    if not suspects or len(suspects) > _MAX_SUSPECTS or len(refused) < 2:
        return None
    near: defaultdict[str, list[Ends]] = defaultdict(list)
    for ends in edges:
        for id in {ends[0], ends[2]}:
            near[str(id)].append(ends)
    pairs = list(combinations(suspects, 2))
    if len(suspects) == 1 and len(nodes) < _MAX_LAYERS:
        pairs = [(suspects[0], candidate) for candidate in nodes.values() if candidate is not suspects[0]]
    fitting = [pair for pair in pairs if _fits(nodes, {*near[pair[0].id], *near[pair[1].id]}, pair)]
    return fitting[0] if len(fitting) == 1 else None


def _suspects(nodes: dict[str, Node], refused: Sequence[Ends]) -> list[Node]:
    suspects: dict[Node, None] = {}
    for source_id, source_port, target_id, target_port in refused:
        source, target = nodes.get(str(source_id)), nodes.get(str(target_id))
        if source is not None and not any(port.port_id == source_port for port in source.outputs):
            suspects[source] = None
        if target is not None and not any(port.port_id == target_port for port in target.inputs):
            suspects[target] = None
        if len(suspects) > _MAX_SUSPECTS:
            break
    return list(suspects)


def _fits(nodes: dict[str, Node], edges: Iterable[Ends], pair: tuple[Node, Node]) -> bool:
    """Return whether, after the exchange, every edge of both layers has existing ports and feeds each input once."""
    exchanged = {pair[0].id: pair[1], pair[1].id: pair[0]}
    fed: Counter[tuple[Node, int]] = Counter()
    for source_id, source_port, target_id, target_port in edges:
        source = exchanged.get(str(source_id)) or nodes.get(str(source_id))
        target = exchanged.get(str(target_id)) or nodes.get(str(target_id))
        if source is None or target is None or all(port.port_id != source_port for port in source.outputs):
            return False
        fed[target, target_port] += 1
    required = {(node, port.port_id) for node in pair for port in node.inputs}
    exists = all(any(port.port_id == id for port in node.inputs) for node, id in fed)
    return exists and max(fed.values(), default=1) == 1 and required <= fed.keys()
