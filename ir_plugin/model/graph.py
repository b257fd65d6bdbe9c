"""Models: nodes in execution order, parameters, results, and bodies."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from ir_plugin.errors import Error, UnsupportedError
from ir_plugin.model.edge_changes import EDGE_CHANGES
from ir_plugin.model.node import Input, Node, Output
from ir_plugin.model.rewiring import attach
from ir_plugin.model.type_info import RTMap
from ir_plugin.model.variables import Variable
from ir_plugin.tensors.scoped import scoped

MAX_BODIES = 32
"""The deepest nesting of bodies that is read, converted, inferred and run; protobuf lets ONNX files nest 31 deep."""


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
    iteration: int = -1
    """The iteration that a description asks for; all runs give the value of the last, as OpenVINO's CPU does."""


@dataclass
class SubGraph:
    """A body with its port maps; `back_edges` lead from a result to the parameter of the next iteration."""

    body: Model
    inputs: list[SubGraphInput]
    outputs: list[SubGraphOutput]
    back_edges: list[tuple[int, int]]
    is_sound: bool = True
    """Whether body and port map were read without an error; otherwise the shapes they imply are unreliable."""


_PARAMETER, _RESULT, _ASSIGN = _ENDS = "Parameter", "Result", "Assign"
"""The types of the layers at the ends of a graph."""


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
        self._edge_changes = EDGE_CHANGES.token
        self.rt_info: dict[str, Any] = RTMap()
        self.added_variables: list[Variable] = []
        """Variables that no layer needs to read or assign."""
        self.weights: Backing | None = None
        """The weights that constants are views of; None for a body and for a model that was not read from a file."""
        self.cut_off: list[Node] = []
        """The layers that faults of a file cut off from every result, which are checked all the same."""

    @property
    def nodes(self) -> list[Node]:
        """The nodes in the order of the file, followed by nodes that joined the graph since.

        Several threads may look for these at once: each replaces the list by the same one.
        """
        changes, nodes = EDGE_CHANGES.token, self._nodes
        if self._edge_changes is not changes:
            present = set(nodes)
            nodes = [*nodes, *(node for node in _order_of(nodes, self.cut_off)[0] if node not in present)]
            self._nodes = nodes
            self._edge_changes = changes
        return nodes

    @nodes.setter
    def nodes(self, nodes: Iterable[Node]) -> None:
        self._nodes = list(nodes)

    @property
    def parameters(self) -> list[Node]:
        """The Parameter layers, in the order of the file."""
        return _of_type(self.nodes, _PARAMETER)

    @property
    def results(self) -> list[Node]:
        """The Result layers, in the order of the file."""
        return _of_type(self.nodes, _RESULT)

    @property
    def sinks(self) -> list[Node]:
        """The Assign layers, in the order of the file."""
        return _of_type(self.nodes, _ASSIGN)

    def ordered(self) -> list[Node]:
        """Return all parameters and the nodes that contribute to a result or a sink, producers first."""
        order, cycle = order_of(self)
        if cycle:
            raise Error(f"the layers {' -> '.join(node.name for node in cycle)} form a cycle")
        return order

    def __copy__(self) -> Model:
        return clone(self)

    def __deepcopy__(self, memo: Any) -> Model:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        raise UnsupportedError("a model cannot be pickled; give its path, or the bytes that `serialize` writes")

    def bodies(self) -> Iterator[tuple[Node, str, SubGraph]]:
        """Yield the layer, body name and body for every body in this graph, nested bodies excluded."""
        for node in self.nodes:
            if node.operation is not None:
                for name, subgraph in node.operation.subgraphs.items():
                    yield node, name, subgraph


def all_nodes(model: Model) -> Iterator[Node]:
    """Yield the nodes of a model and of its bodies."""
    yield from model.nodes
    for _, _, subgraph in model.bodies():
        yield from all_nodes(subgraph.body)


_orders: ContextVar[dict[tuple[Model, int], list[Node]] | None] = ContextVar("orders", default=None)


def unchanging_graphs() -> AbstractContextManager[None]:
    """Compute the order of each graph without a cycle once, as nothing changes its edges within the `with`."""
    orders = _orders.get()
    return scoped(_orders, {} if orders is None else orders)


def order_of(model: Model) -> tuple[list[Node], list[Node]]:
    """Return the contributing nodes in order, and the first cycle (empty without one)."""
    orders = _orders.get()
    if orders is None:
        return _order_of(model.nodes, model.cut_off)
    key = model, len(model.cut_off)
    if key not in orders:
        order, cycle = _order_of(model.nodes, model.cut_off)
        if cycle:
            return order, cycle
        orders[key] = order
    return list(orders[key]), []


def _of_type(nodes: Iterable[Node], type: str) -> list[Node]:
    """Return the layers that have an operation of a type, or are read as such without one."""
    return [node for node in nodes if (node.type if (operation := node.operation) is None else operation.type) == type]


def _order_of(nodes: Sequence[Node], cut_off: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    done: set[Node] = set()
    order: list[Node] = []
    ends = (root for type in _ENDS for root in _of_type(nodes, type))
    for root in (*ends, *cut_off):
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
    if source.node.is_detached:
        attach(source.node)
    target.source = source
    source.readers.append(target)


def clone(model: Model) -> Model:
    """Return a copy of a graph, bodies included; constants are shared, as they never change."""
    twins = {node: _clone_node(node) for node in model.nodes}
    for node, twin in twins.items():
        for port, other in zip(node.inputs, twin.inputs, strict=True):
            if port.source is not None:
                connect(twins[port.source.node].outputs[port.source.index], other)
    clone = Model(model.name, twins.values(), model.version)
    clone.rt_info = _copied(model.rt_info)
    clone.weights = model.weights
    clone.added_variables = [Variable(variable.info) for variable in model.added_variables]
    return clone


def _clone_node(node: Node) -> Node:
    twin = node.unconnected(_clone_operation(node))
    twin.attributes = dict(node.attributes)
    twin.rt_info = _copied(node.rt_info)
    twin.origin, twin.path = node.origin, node.path
    for port in node.inputs:
        twin.inputs.append(Input(twin, port.index, port.port_id, port.declared))
    for output in node.outputs:
        other = Output(twin, output.index, output.port_id, output.declared)
        other.take_names(output)
        other.rt_info = _copied(output.rt_info)
        other.tensor_info = output.tensor_info
        twin.outputs.append(other)
    return twin


def _clone_operation(node: Node) -> object:
    operation = node.operation
    if operation is None or node.get_type_name() == "Constant":
        return operation
    twin = copy.copy(operation)
    twin.subgraphs = {
        name: SubGraph(clone(sub.body), list(sub.inputs), list(sub.outputs), list(sub.back_edges))
        for name, sub in operation.subgraphs.items()
    }
    return twin


def _copied(info: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(info) if info else type(info)()
