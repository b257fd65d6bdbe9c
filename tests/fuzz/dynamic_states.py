"""Random graphs of open lengths around the operations without samples: those with bodies, and those of variables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.bodies import WHOLE
from tests.fuzz.dynamic_graphs import BEHIND, KEEPING, RUNS, DynamicGraph
from tests.fuzz.graph import Value

LENGTHS = (1, 2, 3, 5, 8)

Around = Callable[[DynamicGraph], list[Value]]


def _data(graph: DynamicGraph) -> Value:
    """Add a parameter of rank 2 or 3, with the same last length in all runs."""
    rest = (graph.number(2, 4),) * graph.number(1, 2)
    rng = np.random.default_rng(graph.number(0, 99))
    arrays = [rng.standard_normal((graph.chance.choice(LENGTHS), *rest)).astype(np.float32) for _ in range(RUNS)]
    return graph.open_parameter(arrays, "f32")


def _entry(outer: int, inner: Value, more: str = "") -> str:
    return f'<input external_port_id="{outer}" internal_layer_id="{inner.layer}" {more}/>'


def _exit(outer: int, result: int, more: str = "") -> str:
    return f'<output external_port_id="{outer}" internal_layer_id="{result}" {more}/>'


def _if(graph: DynamicGraph) -> list[Value]:
    data = _data(graph)
    flags = [np.array(graph.flag()) for _ in range(RUNS)]
    condition = graph.open_parameter(flags, "boolean")
    text, ranks = "", set()
    for name in ("then", "else"):
        inner = DynamicGraph(graph.chance, graph)
        start = value = inner.body_parameter("f32", data.rank)
        for _ in range(graph.number(1, 3)):
            value = graph.chance.choice(BEHIND)(inner, value)
        ranks.add(value.rank)
        ports = _entry(1, start) + _exit(2, inner.result(value))
        text += f"<{name}_port_map>{ports}</{name}_port_map><{name}_body>{inner.content}</{name}_body>"
    rank = ranks.pop() if len(ranks) == 1 else 0
    return graph.add("If", 8, [condition, data], [("f32", (1,) * rank)], bodies=text)


def _repeat(graph: DynamicGraph, type: str, version: int) -> list[Value]:
    """Add a Loop or TensorIterator through the rows of a value, with a state that begins as their mean."""
    data, is_loop = _data(graph), type == "Loop"
    inner = DynamicGraph(graph.chance, graph)
    row, state = (inner.body_parameter("f32", data.rank) for _ in range(2))
    value = inner.layer("Add", 1, [row, state], data.rank)
    for _ in range(graph.number(0, 3)):
        value = graph.chance.choice(KEEPING)(inner, value)
    following = inner.layer("Tanh", 1, [value], data.rank)
    last, every = inner.result(following), inner.result(following)
    first = 2 if is_loop else 0
    sliced = f'axis="0" {WHOLE}'
    entries = _entry(first, row, sliced) + _entry(first + 1, state)
    entries += _exit(first + 2, last) + _exit(first + 3, every, sliced)
    if is_loop:
        going = inner.result(inner.constant(True, "boolean"))
        entries += f'<output external_port_id="-1" internal_layer_id="{going}" purpose="execution_condition"/>'
    edges = f'<edge from-layer="{last}" to-layer="{state.layer}"/>'
    text = f"<port_map>{entries}</port_map><back_edges>{edges}</back_edges><body>{inner.content}</body>"
    start = graph.layer("ReduceMean", 1, [data, graph.constant([0])], data.rank, keep_dims=True)
    inputs = [data, start]
    if is_loop:
        trips = graph.layer("Squeeze", 1, [graph.length(data, 0), graph.constant([0])], 0)
        inputs = [trips, graph.constant(True, "boolean"), *inputs]
    return graph.add(type, version, inputs, [("f32", (1,) * data.rank)] * 2, bodies=text)


def _variable(graph: DynamicGraph, version: int) -> list[Value]:
    """Add a variable that begins as the mean of the rows, and either adds their sum or appends the rows."""
    data = _data(graph)
    shape = {"variable_shape": ",".join("?" * data.rank), "variable_type": "f32"} if version == 6 else {}
    begin = graph.layer("ReduceMean", 1, [data, graph.constant([0])], data.rank, keep_dims=True)
    before = graph.layer("ReadValue", version, [begin], data.rank, variable_id="state", **shape)
    if graph.flag():
        added = graph.layer("ReduceSum", 1, [data, graph.constant([0])], data.rank, keep_dims=True)
        after = graph.layer("Add", 1, [before, added], data.rank)
    else:
        after = graph.layer("Concat", 1, [before, data], data.rank, axis=0)
    graph.add("Assign", version, [after], [], variable_id="state")
    return [graph.chance.choice(KEEPING)(graph, after)]


AROUND: dict[str, Around] = {
    "If-8": _if,
    "Loop-5": lambda graph: _repeat(graph, "Loop", 5),
    "TensorIterator-1": lambda graph: _repeat(graph, "TensorIterator", 1),
    **dict.fromkeys(("ReadValue-3", "Assign-3"), lambda graph: _variable(graph, 3)),
    **dict.fromkeys(("ReadValue-6", "Assign-6"), lambda graph: _variable(graph, 6)),
}
"""What adds such an operation to a graph, by its definition."""
