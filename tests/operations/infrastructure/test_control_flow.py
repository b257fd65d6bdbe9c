"""Loop, TensorIterator and If: shapes and values against OpenVINO, and against plain Python where that departs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op
import pytest

from ir_plugin import Core
from ir_plugin.tensors import Array
from tests.operations.infrastructure._models import Built, Graph, check, equal, failure, iota, refusals, texts

# TensorIterator


def running_sum(
    data: Array, shape: str | None = None, axis: int = 0, out_axis: int = 0, stride: int = 1, out_stride: int = 1,
    start: int | None = None, end: int | None = None, part: int = 1,
) -> Built:  # fmt: skip
    """Build a running sum of slices; outputs the sum and all intermediate ones."""
    graph = Graph()
    source = graph.parameter(data, shape)
    piece = list(data.shape)
    piece[axis] = part
    x, state = op.parameter([-1] * data.ndim, np.float32), op.parameter(piece, np.float32)
    added = op.result(op.add(x, state))
    node = op.tensor_iterator()
    node.set_body(ov.Model([added], [x, state]))
    backwards, out_backwards = stride < 0, out_stride < 0
    start = (-1 if backwards else 0) if start is None else start
    end = (0 if backwards else -1) if end is None else end
    node.set_sliced_input(x, source.output(0), start, stride, part, end, axis)
    node.set_merged_input(state, op.constant(np.zeros(piece, np.float32)).output(0), added.output(0))
    last = node.get_iter_value(added.output(0), -1)
    ends = (-1, 0) if out_backwards else (0, -1)
    joined = node.get_concatenated_slices(added.output(0), ends[0], out_stride, part, ends[1], out_axis)
    return graph.model(last, joined)


ITERATED: dict[str, dict[str, Any]] = {
    "forward": {},
    "dynamic": {"shape": "?,3"},
    "backward": {"stride": -1},
    "backward, joined backward": {"stride": -1, "out_stride": -1},
    "joined backward": {"out_stride": -1},
    "second axis": {"axis": 1, "out_axis": 1},
    "all dynamic": {"shape": "?,?", "axis": 1, "out_axis": 1},
}


@pytest.mark.parametrize("name", ITERATED)
def test_iterates_over_slices(name: str, tmp_path: Path) -> None:
    check(running_sum(iota(4, 3), **ITERATED[name]), tmp_path)


@pytest.mark.parametrize(("part", "stride"), [(2, 2), (3, 3), (2, -2)])
def test_slices_of_several_positions(part: int, stride: int, tmp_path: Path) -> None:
    built = running_sum(iota(6), "?", part=part, stride=stride, out_stride=stride)
    check(built, tmp_path)


def test_a_slice_begins_and_ends_where_the_entry_says(tmp_path: Path) -> None:
    cases = [(1, -1, 1, [1, 3, 6]), (0, 2, 1, [0, 1, 3]), (-1, 1, -1, [3, 5, 6]), (1, -2, 1, [1, 3]), (0, 3, 2, [0, 2])]
    for start, end, stride, sums in cases:
        built = running_sum(iota(4), "?", start=start, end=end, stride=stride)
        equal(check(built, tmp_path, values=False), sums[-1:], sums)


def test_without_a_slice_the_state_stays_and_joined_outputs_are_empty(tmp_path: Path) -> None:
    for shape in (None, "?,3"):
        results = check(running_sum(np.zeros((0, 3), np.float32), shape), tmp_path, shapes=False, values=False)
        equal(results, np.zeros((1, 3)), np.zeros((0, 3)))


def test_slices_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"part": 4, "stride": 4}, "6 positions cannot be cut into parts of 4"),
        ({"start": 0, "end": 6}, "end 6 is outside"),
        ({"start": 4, "end": 2}, "a stride of 1 does not lead"),
    ]
    for arguments, says in cases:
        (message,) = refusals(running_sum(iota(6), **arguments), tmp_path)
        assert says in message


def test_different_numbers_of_slices_are_refused(tmp_path: Path) -> None:
    graph = Graph()
    sources = [graph.parameter(iota(length)) for length in (3, 4)]
    inner = [op.parameter([1], np.float32) for _ in sources]
    added = op.result(op.add(*inner))
    node = op.tensor_iterator()
    node.set_body(ov.Model([added], inner))
    for parameter, source in zip(inner, sources, strict=True):
        node.set_sliced_input(parameter, source.output(0), 0, 1, 1, -1, 0)
    output = node.get_concatenated_slices(added.output(0), 0, 1, 1, -1, 0)
    (message,) = refusals(graph.model(output), tmp_path)
    assert "different numbers of slices: 3, 4" in message


def indices_of_nonzero(data: Array) -> Built:
    """Build a body whose result has one row for each nonzero number of its slice."""
    graph = Graph()
    source = graph.parameter(data)
    inner = op.parameter([data.shape[0], 1], np.float32)
    indices = op.result(op.transpose(op.non_zero(inner, "i64"), op.constant(np.array([1, 0]))))
    node = op.tensor_iterator()
    node.set_body(ov.Model([indices], [inner]))
    node.set_sliced_input(inner, source.output(0), 0, 1, 1, -1, 1)
    return graph.model(node.get_concatenated_slices(indices.output(0), 0, 1, 1, -1, 0))


def test_a_part_of_unknown_length_is_as_long_as_the_port_map_says(tmp_path: Path) -> None:
    check(indices_of_nonzero(np.eye(3, 5, dtype=np.float32)[:, :3]), tmp_path)
    for optimize in (True, False):
        said = failure(indices_of_nonzero(np.ones((3, 5), np.float32)), tmp_path, OPTIMIZE=optimize)
        assert "has the shape [3,2]; the port map says part_size 1" in said


def test_an_lstm_in_a_body(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    graph = Graph()
    source = graph.parameter(random.standard_normal((2, 5, 3)).astype(np.float32))
    weights = [random.standard_normal(shape).astype(np.float32) for shape in [(16, 3), (16, 4), (16,)]]
    x, h, c = (op.parameter(shape, np.float32) for shape in [(2, 1, 3), (2, 4), (2, 4)])
    squeezed = op.squeeze(x, op.constant(np.int64(1)))
    cell = op.lstm_cell(squeezed, h, c, *(op.constant(weight) for weight in weights), 4)
    hidden, state = op.result(cell.output(0)), op.result(cell.output(1))
    outputs = op.result(op.unsqueeze(cell.output(0), op.constant(np.int64(1))))
    node = op.tensor_iterator()
    node.set_body(ov.Model([hidden, state, outputs], [x, h, c]))
    node.set_sliced_input(x, source.output(0), 0, 1, 1, -1, 1)
    for parameter, result in ((h, hidden), (c, state)):
        node.set_merged_input(parameter, op.constant(np.zeros((2, 4), np.float32)).output(0), result.output(0))
    last = node.get_iter_value(state.output(0), -1)
    check(graph.model(last, node.get_concatenated_slices(outputs.output(0), 0, 1, 1, -1, 1)), tmp_path)


# Loop


@dataclass
class Repeat:
    """A Loop with one state; `trip` and `begin` are constants, or parameters where they are in a list."""

    trip: Any = 3
    begin: Any = True
    step: str = "add"
    condition: str = "true"
    initial: Any = ((0.0, 0.0),)
    data: Any = ((1.0, 2.0),)
    data_shape: str | None = None
    initial_shape: str | None = None
    sliced: bool = False
    counter: Any = None
    axis: int = 0
    joined: bool = True

    def build(self) -> Built:
        graph = Graph()
        trip = self._scalar(graph, self.trip, np.int64)
        begin = self._scalar(graph, self.begin, np.bool_)
        data = graph.parameter(np.array(self.data, np.float32), self.data_shape)
        initial = graph.parameter(np.array(self.initial, np.float32), self.initial_shape)
        rank = np.ndim(self.initial)
        x, state = (op.parameter([-1] * np.ndim(value), np.float32) for value in (self.data, self.initial))
        parameters = [x, state]
        if self.counter is not None:
            parameters.append(op.parameter(self.counter[1], np.dtype(self.counter[0])))
        new = self._step(x, state, parameters)
        results = [op.result(self._condition(new, rank, parameters)), op.result(new)]
        node = op.loop(trip, begin)
        node.set_function(ov.Model(results, parameters))
        node.set_special_body_ports([2 if self.counter is not None else -1, 0])
        if self.sliced:
            node.set_sliced_input(x, data.output(0), 0, 1, 1, -1, 0)
        else:
            node.set_invariant_input(x, data.output(0))
        node.set_merged_input(state, initial.output(0), results[1].output(0))
        if self.condition == "handed on":
            node.set_merged_input(parameters[-1], begin.output(0), results[0].output(0))
        outputs = [node.get_iter_value(results[1].output(0), -1)]
        if self.joined:
            outputs.append(node.get_concatenated_slices(results[1].output(0), 0, 1, 1, -1, self.axis))
        return graph.model(*outputs)

    def _scalar(self, graph: Graph, value: Any, dtype: Any) -> Any:
        if isinstance(value, list):
            return graph.parameter(np.array(value[0], dtype))
        return op.constant(np.array(value, dtype))

    def _step(self, x: Any, state: Any, parameters: list[Any]) -> Any:
        if self.step == "concat":
            return op.concat([state, x], 0)
        if self.step == "unsqueeze":
            return op.unsqueeze(state, op.constant(np.int64(0)))
        if self.step == "count":
            return op.add(state, op.convert(parameters[2], "f32"))
        return op.add(state, x)

    def _condition(self, new: Any, rank: int, parameters: list[Any]) -> Any:
        if self.condition == "handed on":
            parameters.append(op.parameter([], np.bool_))
            return parameters[-1]
        if self.condition in ("true", "false"):
            return op.constant(np.array(self.condition == "true"))
        total = op.reduce_sum(new, op.constant(np.arange(rank)), keep_dims=False)
        return op.less(total, op.constant(np.float32(self.condition)))


LOOPS: dict[str, Repeat] = {
    "for": Repeat(),
    "for, one-element inputs": Repeat(trip=(3,), begin=(True,)),
    "for, unknown trip count": Repeat(trip=[3]),
    "while": Repeat(trip=-1, condition="10"),
    "while, unknown trip count": Repeat(trip=[-1], condition="10"),
    "for while": Repeat(trip=4, condition="5"),
    "one iteration": Repeat(condition="false"),
    "condition handed on": Repeat(condition="handed on"),
    "sliced": Repeat(data=iota(3, 2), sliced=True),
    "sliced, fewer iterations": Repeat(2, data=iota(3, 2), sliced=True),
    "sliced, dynamic": Repeat(data=iota(3, 2), sliced=True, data_shape="?,2"),
    "i64 counter": Repeat(step="count", counter=("int64", [])),
    "i32 counter": Repeat(step="count", counter=("int32", [])),
    "i64 counter of one element": Repeat(step="count", counter=("int64", [1])),
    "i32 counter of one element": Repeat(step="count", counter=("int32", [1])),
    "growing": Repeat(step="concat", joined=False),
    "growing, unknown trip count": Repeat([4], step="concat", joined=False),
    "dynamic state": Repeat(initial_shape="?,2"),
    "growing, interval": Repeat(step="concat", joined=False, data_shape="1..4,2", initial_shape="1..4,2"),
    "second axis": Repeat(initial=((0.0,), (1.0,)), data=((1.0,), (2.0,)), axis=1),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_as_openvino(name: str, tmp_path: Path) -> None:
    check(LOOPS[name].build(), tmp_path)


def test_the_axis_may_count_from_the_end(tmp_path: Path) -> None:
    loop = Repeat(initial=((0.0,), (1.0,)), data=((1.0,), (2.0,)), axis=-1)
    equal(check(loop.build(), tmp_path, values=False), [[3], [7]], [[1, 2, 3], [3, 5, 7]])


def test_results_of_any_length_are_joined(tmp_path: Path) -> None:
    results = check(Repeat(initial=((0.0,), (1.0,)), data=((1.0,), (2.0,))).build(), tmp_path, values=False)
    equal(results, [[3], [7]], [[1], [3], [2], [5], [3], [7]])
    results = check(Repeat(step="concat").build(), tmp_path, values=False)
    assert [array.shape for array in results] == [(4, 2), (9, 2)]


@pytest.mark.parametrize(
    ("trip", "begin"), [(0, True), (3, False), ([0], True), (3, [False]), ([0], [False]), (-1, [False])]
)
def test_without_an_iteration_the_state_stays(trip: Any, begin: Any, tmp_path: Path) -> None:
    loop = Repeat(trip, begin, initial=((5.0, 6.0),), condition="10")
    equal(check(loop.build(), tmp_path, shapes=False, values=False), [[5, 6]], np.zeros((0, 2)))
    loop = Repeat(trip, begin, initial=((5.0, 6.0),), condition="10", initial_shape="?,?", data_shape="?,?")
    equal(check(loop.build(), tmp_path, shapes=False, values=False), [[5, 6]], np.zeros((0, 2)))


@pytest.mark.parametrize(("trip", "shape"), [(3, None), (-1, None), ([3], None), (3, "?,2"), (0, None)])
def test_a_condition_that_is_constantly_false_leaves_a_readable_file(
    trip: Any, shape: str | None, tmp_path: Path
) -> None:
    model, feeds = Repeat(trip, False, initial=((5.0, 6.0),), initial_shape=shape).build()
    behind = [op.relu(result.input_value(0)) for result in model.get_results()]
    model.add_results([op.result(node) for node in behind])
    ov.serialize(model, tmp_path / "model.xml")
    findings = Core().validate(tmp_path / "model.xml").findings
    assert {(finding.code, finding.severity) for finding in findings} == {("IR307", "warning")}
    ours = Core().read_model(tmp_path / "model.xml")
    equal(list(Core().compile_model(ours)(feeds).to_tuple()), *[[[5, 6]], np.zeros((0, 2))] * 2)


def test_a_shape_that_no_loop_has_is_still_an_error(tmp_path: Path) -> None:
    ov.serialize(Repeat(3, False).build()[0], tmp_path / "model.xml")
    text = (tmp_path / "model.xml").read_text("utf-8")
    changed = text.replace("<dim>0</dim>", "<dim>7</dim>", 1)
    assert changed != text
    findings = Core().validate(changed.encode(), (tmp_path / "model.bin").read_bytes()).findings
    assert findings.errors[0].code == "IR302"


def test_a_condition_that_is_not_known_may_deny_the_first_iteration(tmp_path: Path) -> None:
    built = Repeat(begin=[True], data=((1.0, 2.0), (3.0, 4.0))).build()
    file = tmp_path / "model.xml"
    ov.serialize(built[0], file)
    assert texts(Core().read_model(file)) == ["f32[1..2,2]", "f32[?,2]"]


def test_loops_that_do_not_end_in_time_are_errors(tmp_path: Path) -> None:
    assert f"{2**62} iterations" in failure(Repeat([2**62], joined=False).build(), tmp_path)
    assert f"{2**62} iterations" in failure(Repeat(2**62, joined=False).build(), tmp_path)
    assert "never ends" in failure(Repeat(-1, joined=False).build(), tmp_path)
    assert "never ends" in failure(Repeat(-1, [True], condition="handed on", joined=False).build(), tmp_path)
    endless = Repeat(-1, condition="10", data=((0.0, 0.0),), joined=False)
    assert "within 50 iterations" in failure(endless.build(), tmp_path, TRIP_LIMIT=50)
    collecting = Repeat(-1, condition="10", data=((0.0, 0.0),))
    assert "the memory limit is 1000" in failure(collecting.build(), tmp_path, MEMORY_LIMIT=1000)
    assert "trip_count is -2" in failure(Repeat([-2]).build(), tmp_path)


def test_slices_that_are_missing_are_errors(tmp_path: Path) -> None:
    (message,) = refusals(Repeat(5, data=iota(3, 2), sliced=True).build(), tmp_path)
    assert "5 iterations need as many slices" in message
    assert "5 iterations need" in failure(Repeat([5], data=iota(3, 2), sliced=True).build(), tmp_path)
    for loop in (Repeat([-1]), Repeat(-1), Repeat([5], condition="90"), Repeat(5, condition="90")):
        loop.data, loop.sliced = iota(3, 2), True
        assert "there are 3" in failure(loop.build(), tmp_path)


def test_a_loop_in_a_loop(tmp_path: Path) -> None:
    graph = Graph()
    outer_data = graph.parameter(iota(3, 2))
    piece, total = (op.parameter([1, 2], np.float32) for _ in range(2))
    x, state = (op.parameter([1, 2], np.float32) for _ in range(2))
    always = [op.result(op.constant(np.array(True))) for _ in range(2)]
    added = op.result(op.multiply(op.add(x, state), op.constant(np.float32(0.5))))
    inner = op.loop(op.constant(np.int64(2)), op.constant(np.array(True)))
    inner.set_function(ov.Model([always[0], added], [x, state]))
    inner.set_special_body_ports([-1, 0])
    inner.set_invariant_input(x, piece.output(0))
    inner.set_merged_input(state, total.output(0), added.output(0))
    result = op.result(inner.get_iter_value(added.output(0), -1))
    outer = op.loop(op.constant(np.int64(3)), op.constant(np.array(True)))
    outer.set_function(ov.Model([always[1], result], [piece, total]))
    outer.set_special_body_ports([-1, 0])
    outer.set_sliced_input(piece, outer_data.output(0), 0, 1, 1, -1, 0)
    outer.set_merged_input(total, op.constant(np.zeros((1, 2), np.float32)).output(0), result.output(0))
    last = outer.get_iter_value(result.output(0), -1)
    check(graph.model(last, outer.get_concatenated_slices(result.output(0), 0, 1, 1, -1, 0)), tmp_path)


# If


def choice(
    cond: Any, then: Array, otherwise: Array, then_shape: str | None = None, else_shape: str | None = None
) -> Built:
    graph = Graph()
    condition = graph.parameter(np.array(cond[0])) if isinstance(cond, list) else op.constant(np.array(cond))
    sources = graph.parameter(then, then_shape), graph.parameter(otherwise, else_shape)
    parameters = [op.parameter(ov.PartialShape("..."), array.dtype) for array in (then, otherwise)]
    functions: list[Callable[[Any], Any]] = [op.relu, op.negative]
    results = [op.result(function(p)) for function, p in zip(functions, parameters, strict=True)]
    node = op.if_op(condition)
    node.set_then_body(ov.Model([results[0]], [parameters[0]]))
    node.set_else_body(ov.Model([results[1]], [parameters[1]]))
    node.set_input(sources[0].output(0), parameters[0], None)
    node.set_input(sources[1].output(0), None, parameters[1])
    return graph.model(node.set_output(*results))


SHAPES = [
    (None, None), ("?,3", None), ("1..4,3", "2..6,3"), ("...", None), (None, "..."), ("?,?", "..."),
]  # fmt: skip


@pytest.mark.parametrize("cond", [True, False, [True], [False], (True,), [(False,)]])
def test_chooses_a_body(cond: Any, tmp_path: Path) -> None:
    for then_shape, else_shape in SHAPES:
        values = "..." not in (then_shape, else_shape)  # the CPU wants a known rank
        check(choice(cond, iota(2, 3), iota(2, 3), then_shape, else_shape), tmp_path, values=values)
        check(choice(cond, iota(2, 3), iota(4, 3), then_shape, else_shape), tmp_path, values=values)


def test_a_scalar_or_a_vector_has_no_known_rank(tmp_path: Path) -> None:
    for vector in (iota(1), iota(2)):
        equal(check(choice([True], iota(1)[0], vector), tmp_path, shapes=False, values=False), 0)
        equal(check(choice([False], iota(1)[0], vector), tmp_path, shapes=False, values=False), -vector)
