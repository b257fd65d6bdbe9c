"""Edits that make a model smaller, each with the targets in a model to which it can be applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ir_plugin.compiler.folding import is_foldable
from ir_plugin.compiler.model_folding import fold_nodes
from ir_plugin.compiler.model_rewriter import constant, substitute
from ir_plugin.model import Model, Node, Output
from ir_plugin.openvino.surgery.assembly import assemble
from ir_plugin.openvino.surgery.extent import upstream
from ir_plugin.openvino.surgery.naming import Selection, label
from ir_plugin.operations.generation.multinomial import Multinomial
from ir_plugin.operations.generation.random_uniform import RandomUniform
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import PartialShape

Target: TypeAlias = "tuple[Node, int]"
"""A node, and the index of one of its axes or bodies where the edit concerns one."""

_ENDS = (Parameter, Result, Assign)
_STATE = (ReadValue, Assign)
_INDICES = ("i32", "i64", "u32", "u64", "boolean", "string")
"""Element types of constants that are no weights."""


@dataclass(frozen=True)
class Edit:
    """A kind of change; `apply` changes a graph at some of its targets and returns it, None where it cannot."""

    name: str
    targets: Callable[[Model], Sequence[Target]]
    apply: Callable[[Model, Sequence[Target]], Model | None]


def _results(graph: Model) -> list[Target]:
    return [(node, 0) for node in graph.results]


def _drop_results(graph: Model, chosen: Sequence[Target]) -> Model | None:
    """Keep what the other results need."""
    dropped = _nodes(chosen)
    ends = [_end(node) for node in graph.results if node not in dropped]
    return _part(graph, frozenset(), ends)


def _layers(graph: Model) -> list[Target]:
    """Return the layers that are computed from inputs, with one of each variable's layers, and unread inputs."""
    constants = _computed_from_constants(graph)
    variables: set[str] = set()
    targets: list[Target] = []
    for node in graph.ordered():
        if node.is_a(*_STATE):
            is_target = node.get_variable_id() not in variables
            variables.add(node.get_variable_id())
        elif node.is_a(Parameter):
            is_target = not node.outputs[0].readers
        else:
            is_target = node not in constants and not node.is_a(Result)
        targets += [(node, 0)] if is_target else []
    return targets


def _remove_layers(graph: Model, chosen: Sequence[Target]) -> Model | None:
    """Remove layers: inputs and known constants take the place of their outputs, and dead ends become outputs."""
    removed = _nodes(chosen)
    variables = {node.get_variable_id() for node in removed if node.is_a(*_STATE)}
    removed |= {node for node in graph.nodes if node.is_a(*_STATE) and node.get_variable_id() in variables}
    ends = [_end(node) for node in graph.results if node.input_value(0).node not in removed]
    ends += [Selection(label(port), (port,)) for port in _dead_ends(graph, removed)]
    return _part(graph, removed, ends)


def _dead_ends(graph: Model, removed: Set[Node]) -> Iterator[Output]:
    """Yield the outputs of layers that remain and lead to layers that go only."""
    order = graph.ordered()
    present, constants = set(order), _computed_from_constants(graph)
    for node in order:
        if node in removed or node in constants or node.is_a(*_ENDS):
            continue
        readers = {port: [reader.node for reader in port.readers if reader.node in present] for port in node.outputs}
        if all(reader in removed for group in readers.values() for reader in group):
            yield from (port for port, group in readers.items() if group)


def _part(graph: Model, removed: Set[Node], ends: Sequence[Selection]) -> Model | None:
    """Return what computes the ends without some nodes, or None without an end."""
    if not ends:
        return None
    assigns = [node for node in graph.sinks if node not in removed]
    roots = [port for end in ends for port in end.ports] + [node.input_value(0) for node in assigns]
    cuts = {port for node in removed for port in node.outputs if port.tensor_info.value is None}
    extent = upstream(roots, cuts, removed)
    unread = {node for node in graph.parameters if node not in removed and not node.outputs[0].readers}
    extent.nodes |= unread
    inputs = [port for node in graph.ordered() for port in node.outputs if port in extent.inputs]
    return assemble(graph, extent, inputs, ends, assigns)


def _end(result: Node) -> Selection:
    return Selection(result.name, (result.input_value(0),), result)


def _nodes(chosen: Iterable[Target]) -> set[Node]:
    return {node for node, _ in chosen}


def _computed_from_constants(graph: Model) -> set[Node]:
    """Return the Constants, and the nodes that are computed from nothing else."""
    constants: set[Node] = set()
    for node in graph.ordered():
        sources = [port.node for port in node.sources if port is not None]
        is_computed = bool(sources) and all(source in constants for source in sources) and _is_pure(node)
        if node.is_a(Const) or is_computed:
            constants.add(node)
    return constants


def _is_pure(node: Node) -> bool:
    return is_foldable(node.operation) and not node.is_a(*_ENDS, RandomUniform, Multinomial)


def _foldable(graph: Model) -> list[Target]:
    constants = _computed_from_constants(graph)
    return [(node, 0) for node in graph.ordered() if node in constants and not node.is_a(Const)]


def _fold(graph: Model, chosen: Sequence[Target]) -> Model | None:
    """Replace nodes that are computed from constants by constants."""
    nodes = _nodes(chosen)
    return graph if fold_nodes(graph.ordered(), lambda node: node in nodes) else None


def _bypassed_sources(node: Node) -> list[Output]:
    """Return the inputs of the type and shape of a node's only output."""
    if node.is_a(*_ENDS, Const) or len(node.outputs) != 1:
        return []
    fact = _type_and_shape(node.outputs[0])
    return [port for port in node.sources if port is not None and _type_and_shape(port) == fact]


def _bypassable(graph: Model) -> list[Target]:
    return [(node, 0) for node in graph.ordered() if _bypassed_sources(node)]


def _bypass_to(position: int) -> Callable[[Model, Sequence[Target]], Model | None]:
    """Return the change that lets the readers of nodes read the first of their inputs that fit, or with -1 the last."""

    def apply(graph: Model, chosen: Sequence[Target]) -> Model | None:
        for node, _ in chosen:
            substitute(node.outputs[0], _bypassed_sources(node)[position])
        return graph

    return apply


def _type_and_shape(port: Output) -> tuple[object, str]:
    return port.element_type, str(port.partial_shape)


def _mergeable(graph: Model) -> list[Target]:
    """Return the inputs for which an earlier one has the same type and shape."""
    first = {_type_and_shape(node.outputs[0]): node for node in reversed(graph.parameters)}
    return [(node, 0) for node in graph.parameters if first[_type_and_shape(node.outputs[0])] is not node]


def _merge(graph: Model, chosen: Sequence[Target]) -> Model | None:
    """Let the readers of inputs read the first input of the same type and shape."""
    first = {_type_and_shape(node.outputs[0]): node for node in reversed(graph.parameters)}
    for node, _ in chosen:
        substitute(node.outputs[0], first[_type_and_shape(node.outputs[0])].outputs[0])
    graph.nodes = [node for node in graph.nodes if (node, 0) not in chosen]
    return graph


def _bodies(graph: Model) -> list[Target]:
    nodes = [node for node in graph.ordered() if node.operation is not None]
    return [(node, index) for node in nodes for index in range(len(node.operation.subgraphs))]


def _take_body(graph: Model, chosen: Sequence[Target]) -> Model | None:
    """Return the body of a layer as the model."""
    if len(chosen) != 1:
        return None
    node, index = chosen[0]
    body: Model = list(node.operation.subgraphs.values())[index].body
    body.name, body.weights = graph.name, graph.weights
    return body


def _long_axes(graph: Model) -> list[Target]:
    """Return the axes of inputs whose lengths are known and above 1."""
    shapes = ((node, node.outputs[0].partial_shape) for node in graph.parameters)
    return [
        (node, axis)
        for node, shape in shapes
        for axis, length in enumerate(shape if shape.rank.is_static else ())
        if length.is_static and length.get_length() > 1
    ]


def _shorten(graph: Model, chosen: Sequence[Target]) -> Model | None:
    """Set lengths of inputs to 1."""
    for node, axis in chosen:
        lengths = list(node.operation.shape)
        lengths[axis] = 1
        node.set_partial_shape(PartialShape(lengths))
    return graph


def _weights(graph: Model) -> list[Target]:
    """Return the constants, but for indices, that have several values."""
    return [(node, 0) for node in graph.ordered() if node.is_a(Const) and _is_varied(node)]


def _is_varied(node: Node) -> bool:
    if node.operation.element_type.name in _INDICES:
        return False
    array = node.operation.evaluate()
    return array.size > 1 and bool((array != array.reshape(-1)[0]).any())


def _fill(number: int) -> Callable[[Model, Sequence[Target]], Model | None]:
    """Return the change that sets all values of constants to a number."""

    def apply(graph: Model, chosen: Sequence[Target]) -> Model | None:
        for node, _ in chosen:
            array = node.operation.evaluate()
            values = np.full(array.shape, number, array.dtype)
            substitute(node.outputs[0], constant(values, node.operation.element_type, node.name, rt_info=node.rt_info))
        return graph

    return apply


STRUCTURE = (
    Edit("results", _results, _drop_results),
    Edit("bodies", _bodies, _take_body),
    Edit("layers", _layers, _remove_layers),
    Edit("bypass to the first input", _bypassable, _bypass_to(0)),
    Edit("bypass to the last input", _bypassable, _bypass_to(-1)),
    Edit("folding", _foldable, _fold),
    Edit("inputs", _mergeable, _merge),
    Edit("shapes", _long_axes, _shorten),
)
"""Edits of the graph and of the shapes of its inputs."""

WEIGHTS = (Edit("zeros", _weights, _fill(0)), Edit("ones", _weights, _fill(1)))
"""Edits of the values of constants."""
