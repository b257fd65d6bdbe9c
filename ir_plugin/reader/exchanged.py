"""Two layers that have each other's ids: every edge of both then names a port of the other one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from ir_plugin.model import Node

Ends = tuple[int, int, int, int]

_MOST, _ALL = 8, 5000


def exchanged_layers(
    nodes: dict[str, Node], edges: Iterable[Ends], refused: Sequence[Ends]
) -> tuple[Node, Node] | None:
    """Return the two layers of which all edges fit when their ids are exchanged; None where there are no such two.

    `refused` are the edges that name a port that is not there; more than a few such layers have another cause. Where
    the ports that are missed are those of one layer only, the other one is looked for among all layers.
    """
    suspects = _suspects(nodes, refused)
    if not suspects or len(suspects) > _MOST or len(refused) < 2:
        return None
    near: defaultdict[str, list[Ends]] = defaultdict(list)
    for ends in edges:
        for id in {ends[0], ends[2]}:
            near[str(id)].append(ends)
    pairs = list(combinations(suspects, 2))
    if len(suspects) == 1 and len(nodes) < _ALL:
        pairs = [(suspects[0], other) for other in nodes.values() if other is not suspects[0]]
    fitting = [pair for pair in pairs if _fits(nodes, {*near[pair[0].id], *near[pair[1].id]}, pair)]
    return fitting[0] if len(fitting) == 1 else None


def _suspects(nodes: dict[str, Node], refused: Sequence[Ends]) -> list[Node]:
    found: dict[Node, None] = {}
    for source_id, source_port, target_id, target_port in refused:
        source, target = nodes.get(str(source_id)), nodes.get(str(target_id))
        if source is not None and not any(port.port_id == source_port for port in source.outputs):
            found[source] = None
        if target is not None and not any(port.port_id == target_port for port in target.inputs):
            found[target] = None
        if len(found) > _MOST:
            break
    return list(found)


def _fits(nodes: dict[str, Node], edges: Iterable[Ends], pair: tuple[Node, Node]) -> bool:
    """Return whether every edge of two layers ends at ports that are there, and feeds each input of both once."""
    other = {pair[0].id: pair[1], pair[1].id: pair[0]}
    fed: Counter[tuple[Node, int]] = Counter()
    for source_id, source_port, target_id, target_port in edges:
        source = other.get(str(source_id)) or nodes.get(str(source_id))
        target = other.get(str(target_id)) or nodes.get(str(target_id))
        if source is None or target is None or all(port.port_id != source_port for port in source.outputs):
            return False
        fed[target, target_port] += 1
    wanted = {(node, port.port_id) for node in pair for port in node.inputs}
    is_there = all(any(port.port_id == id for port in node.inputs) for node, id in fed)
    return is_there and max(fed.values(), default=1) == 1 and wanted <= fed.keys()
