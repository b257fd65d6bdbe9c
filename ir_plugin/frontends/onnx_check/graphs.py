"""Names and order of the nodes of a graph: values that are defined twice or never, and nodes in the wrong order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.frontends.onnx.node_order import producers_of, sorted_nodes
from ir_plugin.frontends.onnx.walking import names_read
from ir_plugin.frontends.onnx_check.collector import Collector, Fix, Location, name_of
from ir_plugin.frontends.onnx_check.fixes import copies_of, remove, rename_nodes, sort_nodes

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
        graph = self._graph
        inputs = [value.name for value in graph.input]
        tensors = [tensor.name for tensor in graph.initializer]
        tensors += [sparse.values.name for sparse in graph.sparse_initializer]
        for kind, names, field in (("input", inputs, graph.input), ("initializer", tensors, graph.initializer)):
            for name in (name for name, count in Counter(names).items() if count > 1):
                copies = copies_of([item for item in field if item.name == name])
                self._collector.add(
                    "ON201", f'the {kind} "{name}" is there twice', self._location, help="rename or delete one of them",
                    fix=partial(remove, field, copies, f'the copy of the {kind} "{name}"'),
                )  # fmt: skip
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
        self._order = [nodes[index] for index in order]
        return self._order

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
                    fix=self._removal(name, node),
                )  # fmt: skip
            self._defined.update(filter(None, [name]))

    def _removal(self, name: str, node: Any) -> Fix | None:
        """Return the deletion of a node that equals, but for its name, the one that computes a value already."""
        first = self._graph.node[self._producers[name]]
        if first is node or not _computes_the_same(first, node):
            return None
        return partial(remove, self._graph.node, [node], f'the copy "{name_of(node)}" of "{name_of(first)}"')

    def _sort(self) -> str:
        return sort_nodes(self._graph)

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
                help="sort the nodes, so that each follows the nodes that it reads", fix=self._sort,
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
                                help="give every node a unique name",
                                fix=partial(rename_nodes, self._graph, name))  # fmt: skip
        self._check_use()

    def _check_use(self) -> None:
        """Report nodes that no output needs, unless a name is undefined, and initializers that nothing reads."""
        graph, ends = self._graph, {value.name for value in self._graph.output}
        unused = [] if any(finding.code == "ON204" for finding in self._collector.findings) else self._unused(ends)
        for node in unused:
            self._collector.add("ON207", "no output of the graph needs this node", self._location, node,
                                help="delete it; the results are the same without it",
                                fix=partial(remove, graph.node, [node], f'the node "{name_of(node)}"'))  # fmt: skip
        read = ends.union(*map(names_read, graph.node))
        inputs = {value.name for value in graph.input}
        for tensor in graph.initializer:
            if tensor.name not in read and tensor.name not in inputs:
                what = f'the initializer "{tensor.name}"'
                self._collector.add("ON207", f"nothing reads {what}", self._location,
                                    help="delete it; it only makes the file larger",
                                    fix=partial(remove, graph.initializer, [tensor], what))  # fmt: skip

    def _unused(self, ends: set[str]) -> list[Any]:
        """Return the nodes that have outputs of which no output of the graph needs any, in order."""
        read, unused = set(ends), []
        for node in reversed(self._order):
            if not read.isdisjoint(node.output):
                read.update(names_read(node))
            elif any(node.output):
                unused.append(node)
        return unused[::-1]


@dataclass(frozen=True)
class _FunctionGraph:
    """The nodes of a function, as a graph has them."""

    name: str
    node: Any


def check_function_names(collector: Collector, function: Any, location: Location) -> None:
    """Report names that a node of a function reads too early or that nothing defines, and those defined again."""
    graph = _FunctionGraph(function.name, function.node)
    names = GraphNames(collector, graph, location, [set(function.input)])
    names.check_order()
    for index, node in enumerate(function.node):
        names.check_node(node, index)


def _computes_the_same(first: Any, second: Any) -> bool:
    copies = [type(node).FromString(node.SerializeToString()) for node in (first, second)]
    for copy in copies:
        copy.ClearField("name")
        copy.ClearField("doc_string")
    return bool(copies[0] == copies[1])
