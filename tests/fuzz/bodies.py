"""Layers with bodies, which a random graph may grow by: If, Loop and TensorIterator."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fuzz.graph import Graph
from tests.fuzz.layers import LAYERS, REAL, Grow
from tests.fuzz.moves import MOVES

WHOLE = 'start="0" end="-1" stride="1" part_size="1"'
BACKWARDS = 'start="-1" end="0" stride="-1" part_size="1"'


def _grown(graph: Graph, shapes: Sequence[tuple[int, ...]]) -> Graph:
    """Return a body with parameters of these shapes and a few layers behind them."""
    inner = Graph(graph.chance, graph)
    for shape in shapes:
        inner.parameter("f32", shape, free=False)
    for _ in range(graph.number(1, 4)):
        graph.chance.choice(LAYERS + MOVES)(inner)
    return inner


def _inputs(tags: Sequence[tuple[int, int]]) -> str:
    return "".join(f'<input external_port_id="{outer}" internal_layer_id="{inner}"/>' for outer, inner in tags)


def choice(graph: Graph) -> object:
    """Add an If with a condition that is a parameter, and two branches that may give other shapes."""
    data = graph.pick(types=REAL)
    if data is None:
        return False
    known = set(graph.values)
    condition = graph.parameter("boolean", (), free=False)
    graph.values = [value for value in graph.values if value in known]
    taken = bool(graph.inputs[-1])
    text, made = "", None
    for name, counts in (("then", taken), ("else", not taken)):
        inner = _grown(graph, [data.shape])
        value = inner.pick(types=[data.type], ranks=[data.rank]) or inner.values[0]
        ports = _inputs([(1, 0)]) + f'<output external_port_id="2" internal_layer_id="{inner.result(value)}"/>'
        text += f"<{name}_port_map>{ports}</{name}_port_map><{name}_body>{inner.content}</{name}_body>"
        made = value.shape if counts else made
    return graph.add("If", 8, [condition, data], [(data.type, made or data.shape)], bodies=text)


def repeat(graph: Graph) -> object:
    """Add a Loop or a TensorIterator that goes through slices of a value, and carries a state on.

    The state begins with the type and shape that it keeps: OpenVINO infers the body for these only.
    """
    data = graph.pick(types=REAL, ranks=(1, 2, 3))
    if data is None or max(data.shape) > 8:
        return False
    axis, is_loop = graph.number(0, data.rank - 1), graph.flag()
    part = tuple(1 if index == axis else length for index, length in enumerate(data.shape))
    inner = _grown(graph, [part, part])
    row, state = inner.values[:2]
    other = next((value for value in inner.values[::-1] if value.type == "f32" and value.shape[:1] == (1,)), None)
    carried = inner.add("Add", 1, [state, row], [("f32", part)])[0]
    following = inner.add("Tanh", 1, [carried], [("f32", part)])[0]
    last, every = inner.result(following), inner.result(following)
    outputs = [(last, "", part), (every, f'axis="{axis}" {WHOLE}', data.shape)]
    if other is not None:
        outputs.append((inner.result(other), f'axis="0" {WHOLE}', (data.shape[axis], *other.shape[1:])))
    first = 2 if is_loop else 0
    sliced = f'axis="{axis}" {graph.chance.choice([WHOLE, BACKWARDS])}'
    entries = f'<input external_port_id="{first}" internal_layer_id="{row.layer}" {sliced}/>'
    entries += _inputs([(first + 1, state.layer)])
    for number, (result, how, _) in enumerate(outputs):
        entries += f'<output external_port_id="{first + 2 + number}" internal_layer_id="{result}" {how}/>'
    if is_loop:
        go = inner.result(inner.constant(True, "boolean"))
        entries += f'<output external_port_id="-1" internal_layer_id="{go}" purpose="execution_condition"/>'
    edges = f'<edge from-layer="{last}" to-layer="{state.layer}"/>'
    text = f"<port_map>{entries}</port_map><back_edges>{edges}</back_edges><body>{inner.content}</body>"
    before = [graph.constant(data.shape[axis]), graph.constant(True, "boolean")] if is_loop else []
    start = graph.add("ReduceMean", 1, [data, graph.constant([axis])], [("f32", part)], keep_dims=True)[0]
    type, version = ("Loop", 5) if is_loop else ("TensorIterator", 1)
    return graph.add(type, version, [*before, data, start], [("f32", shape) for _, _, shape in outputs], bodies=text)


BODIES: tuple[Grow, ...] = (choice, repeat)
