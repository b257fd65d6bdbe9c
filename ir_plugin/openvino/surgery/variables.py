"""Variables of a part: a ReadValue and its Assign stay together, or the ReadValue becomes an input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from ir_plugin.errors import InputError
from ir_plugin.model import Model, Node, Output
from ir_plugin.openvino.surgery.extent import Extent, upstream
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue


class Variables:
    """The layers that read and assign the variables of a model."""

    def __init__(self, model: Model) -> None:
        self.assigns: dict[str, list[Node]] = {}
        for node in model.nodes:
            if node.is_a(Assign):
                self.assigns.setdefault(node.get_variable_id(), []).append(node)

    def complete(self, extent: Extent, cuts: Set[Output], foreign: Set[Node]) -> tuple[list[Node], dict[str, Node]]:
        """Add what computes the variables that a part reads.

        Returns the Assigns of the part, and by variable the layers whose variable is assigned from outside of it.
        """
        sinks: list[Node] = []
        halves: dict[str, Node] = {}
        done: set[str] = set()
        waiting = sorted(_reads(extent.nodes))
        while waiting:
            id, reader = waiting.pop()
            assigns = [] if id in done else self.assigns.get(id, [])
            done.add(id)
            if not assigns:
                continue
            needed = upstream([node.input(0).get_source_output() for node in assigns], cuts, foreign)
            if needed.parameters & foreign:
                halves[id] = reader
                continue
            waiting += _reads(needed.nodes - extent.nodes)
            extent.add(needed)
            sinks += assigns
        return sinks, halves


def _reads(nodes: Iterable[Node]) -> list[tuple[str, Node]]:
    """Return the variables that nodes read, also in their bodies, with the node of the graph itself."""
    return [(inner.get_variable_id(), node) for node in nodes for inner in _with_bodies(node) if _is_read(inner)]


def _is_read(node: Node) -> bool:
    return node.is_a(ReadValue)


def _with_bodies(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if current.operation is not None:
            for subgraph in current.operation.subgraphs.values():
                waiting += subgraph.body.nodes


def require_outside_of_bodies(id: str, reader: Node) -> None:
    """Raise if a variable whose Assign is not in the part is read in a body."""
    if not _is_read(reader):
        raise InputError(
            f'the variable {id!r} is read in a body of "{reader.name}" and assigned outside of the part; '
            "cut where both are inside, or after that layer"
        )
