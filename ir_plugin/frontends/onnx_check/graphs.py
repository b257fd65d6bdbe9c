"""Names and order of the nodes of a graph: values that are defined twice or never, and nodes in the wrong order."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.frontends.onnx.node_order import producers_of, sorted_nodes
from ir_plugin.frontends.onnx.walking import names_read
from ir_plugin.frontends.onnx_check.collector import Collector, Location, name_of

Visible = list[set[str]]
"""The names that a graph sees, of the outermost graph first."""


class GraphNames:
    """The names of one graph, checked node by node."""

    def __init__(self, collector: Collector, graph: Any, location: Location, outer: Visible) -> None:
        self._collector = collector
        self._graph = graph
        self._location = location
        self._defined: set[str] = set()
        self.visible: Visible = [*outer, self._defined]
        """What nodes may read so far."""
        self._producers = producers_of(graph.node)

    def check_ends(self) -> None:
        """Define inputs and initializers, each of which has one value."""
        inputs = [value.name for value in self._graph.input]
        tensors = [tensor.name for tensor in self._graph.initializer]
        tensors += [sparse.values.name for sparse in self._graph.sparse_initializer]
        for kind, names in (("input", inputs), ("initializer", tensors)):
            for name in (name for name, count in Counter(names).items() if count > 1):
                self._collector.add(
                    "ON201", f'the {kind} "{name}" is there twice', self._location, help="rename or delete one of them"
                )
        self._defined.update(inputs, tensors)

    def check_order(self) -> list[Any]:
        """Return the nodes in topological order; report a cycle, and leave out nodes that need one."""
        nodes = list(self._graph.node)
        order, cycle = sorted_nodes(nodes, self._producers)
        if cycle:
            names = " → ".join(f'"{name_of(nodes[index])}"' for index in [*cycle, cycle[0]][:9])
            self._collector.add(
                "ON205", f"these nodes need each other: {names}", self._location, nodes[cycle[0]],
                help="let one of them read a value that does not depend on it",
            )  # fmt: skip
        self._in_order = set(order)
        return [nodes[index] for index in order]

    def check_node(self, node: Any, index: int) -> None:
        """Report names that a node reads too early or that nothing defines, and those that it defines again."""
        for position, name in enumerate(node.input):
            if name and not any(name in names for names in self.visible):
                self._unseen(node, index, position, name)
        for position, name in enumerate(node.output):
            if name and name in self._defined:
                self._collector.add(
                    "ON201", f'the value "{name}" is defined twice', self._location, node, f"output {position}",
                    because="each value of a graph has a single definition", help="give this output another name",
                )  # fmt: skip
            self._defined.update(filter(None, [name]))

    def _unseen(self, node: Any, index: int, position: int, name: str) -> None:
        producer = self._producers.get(name)
        part = f"input {position}"
        if producer is None:
            visible = [name for names in reversed(self.visible) for name in sorted(names)] + list(self._producers)
            self._collector.add(
                "ON204", f'nothing defines "{name}"', self._location, node, part,
                help=did_you_mean(name, visible) or "add an initializer, an input or a node of this name",
            )  # fmt: skip
        elif index in self._in_order:
            later = name_of(self._graph.node[producer])
            self._collector.add(
                "ON203", f'it reads "{name}" before node "{later}" computes it', self._location, node, part,
                because=f'node "{later}" is number {producer} of the graph, this one is number {index}',
                help="sort the nodes, so that each follows the nodes that it reads",
            )  # fmt: skip

    def check_results(self) -> None:
        """Report results that nothing defines, repeated names of nodes, and initializers that nothing reads."""
        for value in self._graph.output:
            if not any(value.name in names for names in self.visible):
                visible = [name for names in reversed(self.visible) for name in sorted(names)]
                self._collector.add(
                    "ON204", f'nothing defines the output "{value.name}" of the graph', self._location,
                    help=did_you_mean(value.name, visible) or "delete the output, or add the node that computes it",
                )  # fmt: skip
        counts = Counter(node.name for node in self._graph.node if node.name)
        for name in (name for name, count in counts.items() if count > 1):
            node = next(node for node in self._graph.node if node.name == name)
            self._collector.add("ON202", f'{counts[name]} nodes are called "{name}"', self._location, node,
                                help="give every node a unique name")  # fmt: skip
        self._check_use()

    def _check_use(self) -> None:
        inputs = {value.name for value in self._graph.input}
        read = {value.name for value in self._graph.output}.union(*map(names_read, self._graph.node))
        for tensor in self._graph.initializer:
            if tensor.name not in read and tensor.name not in inputs:
                self._collector.add("ON207", f'nothing reads the initializer "{tensor.name}"', self._location,
                                    help="delete it; it only makes the file larger")  # fmt: skip
