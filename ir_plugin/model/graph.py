"""Models: nodes in execution order, parameters, results, and bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from ir_plugin.errors import Error, UnsupportedError
from ir_plugin.model.node import Input, Node, Output
from ir_plugin.model.revision import REVISION


@dataclass(frozen=True)
class SubGraphInput:
    """The mapping of an input of a layer to a parameter of its body.

    `external` is the index of the layer's input (None without one), `parameter` the index of the body's parameter.
    With `axis` each iteration gets a slice.
    """

    external: int | None
    parameter: int
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1
    purpose: str = ""


@dataclass(frozen=True)
class SubGraphOutput:
    """The mapping of a result of a body to an output of its layer; with `axis` all iterations are concatenated."""

    external: int | None
    result: int
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1
    purpose: str = ""


@dataclass
class SubGraph:
    """A body with its port maps; `back_edges` lead from a result to the parameter of the next iteration."""

    body: Model
    inputs: list[SubGraphInput]
    outputs: list[SubGraphOutput]
    back_edges: list[tuple[int, int]]
    is_sound: bool = True
    """Whether body and port map were read without an error; otherwise the shapes they imply are unreliable."""


class Backing(Protocol):
    """The storage of constants, as a run sees it."""

    def require_unchanged(self) -> None:
        """Raise if a mapped file has changed since it was opened."""


class Model:
    """A graph: `nodes` in file order, with parameters, results and sinks among them."""

    def __init__(self, name: str = "", nodes: Iterable[Node] = (), version: int = 11) -> None:
        self.name = name
        self.version = version
        self._nodes = list(nodes)
        self._revision = REVISION.number
        self.rt_info: dict[str, Any] = {}
        self.weights: Backing | None = None
        """The weights that constants are views of; None for a body and for a model that was not read from a file."""

    @property
    def nodes(self) -> list[Node]:
        """The nodes as the file lists them, and behind them those that became part of the graph since."""
        if self._revision != REVISION.number:
            self._revision = REVISION.number
            known = set(self._nodes)
            self._nodes += [node for node in order_of(self)[0] if node not in known]
        return self._nodes

    @nodes.setter
    def nodes(self, nodes: Iterable[Node]) -> None:
        self._nodes = list(nodes)

    @property
    def parameters(self) -> list[Node]:
        """The Parameter layers, in the order of the file."""
        return [node for node in self.nodes if node.get_type_name() == "Parameter"]

    @property
    def results(self) -> list[Node]:
        """The Result layers, in the order of the file."""
        return [node for node in self.nodes if node.get_type_name() == "Result"]

    @property
    def sinks(self) -> list[Node]:
        """The Assign layers, in the order of the file."""
        return [node for node in self.nodes if node.get_type_name() == "Assign"]

    def ordered(self) -> list[Node]:
        """Return all parameters and the nodes that contribute to a result or a sink, producers first."""
        order, cycle = order_of(self)
        if cycle:
            raise Error(f"the layers {' -> '.join(node.name for node in cycle)} form a cycle")
        return order

    def __copy__(self) -> Model:
        from ir_plugin.model.clone import clone

        return clone(self)

    def __deepcopy__(self, memo: Any) -> Model:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise UnsupportedError("a model cannot be pickled; give its path, or the bytes that `serialize` writes")

    def bodies(self) -> Iterator[tuple[Node, str, SubGraph]]:
        """Yield the layer, body name and body for every body in this graph, nested bodies excluded."""
        for node in self.nodes:
            if node.operation is not None:
                for name, subgraph in node.operation.subgraphs.items():
                    yield node, name, subgraph


def order_of(model: Model) -> tuple[list[Node], list[Node]]:
    """Return the contributing nodes in order, and the first cycle (empty without one)."""
    done: set[Node] = set()
    order: list[Node] = []
    for root in (*model.parameters, *model.results, *model.sinks):
        cycle = _visit(root, done, order)
        if cycle:
            return order, cycle
    return order, []


def _visit(root: Node, done: set[Node], order: list[Node]) -> list[Node]:
    """Append `root` and its producers to `order`, producers first; return a cycle, or an empty list."""
    if root in done:
        return []
    path: dict[Node, Iterator[Input]] = {root: iter(root.inputs)}
    stack = [root]
    while stack:
        node = stack[-1]
        for port in path[node]:
            if port.source is None or port.source.node in done:
                continue
            producer = port.source.node
            if producer in path:
                return [*stack[stack.index(producer) :], producer]
            path[producer] = iter(producer.inputs)
            stack.append(producer)
            break
        else:
            stack.pop()
            del path[node]
            done.add(node)
            order.append(node)
    return []


def connect(source: Output, target: Input) -> None:
    """Connect `target` to read `source`."""
    target.source = source
    source.readers.append(target)
