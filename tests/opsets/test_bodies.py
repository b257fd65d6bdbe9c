"""If, Loop and TensorIterator that are built step by step: shapes, numbers, files and refusals are OpenVINO's."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.errors import Error, ValidationError
from tests.opsets.scripts import Library, printed_by_both

X = np.arange(20, dtype=np.float32).reshape(5, 4)
ROW = np.ones((1, 4), np.float32)


def _branches(lib: Library, shape: Any) -> tuple[Any, ...]:
    ops = lib.ops
    x, y, z = (ops.parameter(shape, np.float32, name=name) for name in "xyz")
    then = ops.result(ops.multiply(x, y))
    other = ops.result(ops.relu(z))
    return x, y, z, then, other, lib.ov.Model([then], [x, y], "then"), lib.ov.Model([other], [z], "else")


def if_with_unknown_condition(lib: Library) -> None:
    ops = lib.ops
    x, y, z, then, other, then_body, else_body = _branches(lib, [5, 4])
    c, a, b = ops.parameter([], bool), ops.parameter([-1, 4], np.float32), ops.parameter([1, 4], np.float32)
    node = ops.if_op(c)
    lib.show(node, node.get_input_size(), node.get_output_size(), node.get_type_name())
    node.set_then_body(then_body)
    node.set_else_body(else_body)
    node.set_input(a.output(0), x, z)
    node.set_input(b.output(0), y, None)
    port = node.set_output(then, other)
    lib.show(port, port.get_index(), node, x.partial_shape, y.partial_shape)
    lib.show(
        [str(known) for known in node.get_input_descriptions(0)], [str(k) for k in node.get_output_descriptions(1)]
    )
    lib.show([(known.input_index, known.body_parameter_index) for known in node.get_input_descriptions(0)])
    lib.show(node.get_then_body().friendly_name, node.get_else_body().friendly_name, node.get_function(1).friendly_name)
    model = lib.ov.Model([node.output(0)], [c, a, b], "m")
    lib.show([type(known).__name__ for known in model.get_ordered_ops() if known.get_type_name() == "If"])
    lib.run(model, np.array(True), X, ROW * 2)
    lib.run(model, np.array(False), -X, ROW)
    model.reshape({1: [2, 4]})
    lib.run(model, np.array(True), X[:2], ROW * 3)


def if_with_constant_condition(lib: Library) -> None:
    for value in (True, False):
        x, y, z, then, other, then_body, else_body = _branches(lib, [-1, 4])
        node = lib.ops.if_op(lib.ops.constant(value, dtype=bool).output(0))
        node.set_function(0, then_body)
        node.set_function(1, else_body)
        a = lib.ops.parameter([5, 4], np.float32)
        node.set_input(a.output(0), x, z)
        node.set_input(lib.ops.constant(ROW).output(0), y, None)
        lib.run(lib.ov.Model([lib.ops.exp(node.set_output(then, other))], [a]), X / 9 - 1)


def if_refusals(lib: Library) -> None:
    ops = lib.ops
    x, _, z, then, other, then_body, else_body = _branches(lib, [5, 4])
    node = ops.if_op(ops.parameter([], bool))
    lib.refuses(node.get_then_body)
    node.set_then_body(then_body)
    node.set_else_body(else_body)
    lib.refuses(node.set_input, x.output(0), None, None)
    lib.refuses(node.set_input, x.output(0), z, x)
    lib.refuses(node.set_output, None, other)
    lib.refuses(node.set_output, other, then)
    lib.refuses(node.set_then_body, x)
    lib.refuses(node.set_input_descriptions, 0, [3])
    lib.refuses(ops.loop, ops.constant(3))
    lib.refuses(lib.util.BinaryElementwiseArithmetic)


def _loop(lib: Library, trip_count: Any, condition: Any, goes_on: Any = True, shape: Any = (1, 4)) -> tuple[Any, ...]:
    ops = lib.ops
    i, s, acc = ops.parameter([], np.int64), ops.parameter(shape, np.float32), ops.parameter([1, 4], np.float32)
    total = ops.add(ops.add(acc, s), ops.convert(i, "f32"))
    c = ops.constant(goes_on) if isinstance(goes_on, bool) else goes_on(ops, total)
    body = lib.ov.Model([c, total], [i, s, acc], "body")
    node = ops.loop(trip_count, condition)
    node.set_function(body)
    node.set_special_body_ports([0, 0])
    return node, i, s, acc, total, body


def loop_over_slices(lib: Library) -> None:
    ops = lib.ops
    x, start = ops.parameter([5, 4], np.float32), ops.parameter([1, 4], np.float32)
    node, _, s, acc, total, _ = _loop(lib, ops.constant(np.int64(5)), ops.constant(True))
    lib.show(node.get_special_body_ports())
    node.set_sliced_input(s, x.output(0), 0, 1, 1, -1, 0)
    node.set_merged_input(acc, start.output(0), total.output(0))
    last = node.get_iter_value(total.output(0))
    rows = node.get_concatenated_slices(total.output(0), 0, 1, 1, -1, 0)
    lib.show(last, rows, node.get_num_iterations(), node)
    lib.show([str(known) for known in node.get_input_descriptions()], [str(k) for k in node.get_output_descriptions()])
    lib.show([(k.output_index, k.body_value_index) for k in node.get_output_descriptions()])
    lib.run(lib.ov.Model([last, rows], [x, start]), X, ROW)


def loop_with_condition_in_body(lib: Library) -> None:
    ops = lib.ops
    start = ops.parameter([1, 4], np.float32)
    below = lambda ops, total: ops.less(ops.reduce_sum(total, [0, 1]), np.float32(30))  # noqa: E731
    node, _, s, acc, total, _ = _loop(lib, ops.constant(np.int64(50)), ops.constant(True), below)
    node.set_invariant_input(s, start.output(0))
    node.set_merged_input(acc, start.output(0), total.output(0))
    last = node.get_iter_value(total.output(0), -1)
    lib.show(node, node.get_num_iterations())
    lib.run(lib.ov.Model([last], [start]), ROW)


def loop_whose_outputs_are_asked_first(lib: Library) -> None:
    ops = lib.ops
    x = ops.parameter([5, 4], np.float32)
    s, acc = ops.parameter([2, 4], np.float32), ops.parameter([1, 4], np.float32)
    total, c = ops.add(acc, s), ops.constant(True)
    body = lib.ov.Model([total, c], [s, acc])
    node = ops.loop(ops.constant(2), ops.constant(True))
    node.set_function(body)
    lib.show(node.get_iter_value(total.output(0)))
    node.set_merged_input(acc, ops.constant(ROW).output(0), total.output(0))
    node.set_invariant_input(s, x.output(0))
    node.set_special_body_ports([-1, 1])
    node.validate_and_infer_types()
    lib.show(node, s.partial_shape, acc.partial_shape, total.get_output_partial_shape(0))
    lib.run(lib.ov.Model([node.output(0)], [x]), X)


def tensor_iterator(lib: Library) -> None:
    ops, util = lib.ops, lib.util
    x = ops.parameter([6, 4], np.float32)
    s, acc = ops.parameter([2, 4], np.float32), ops.parameter([1, 4], np.float32)
    total = ops.add(acc, ops.reduce_max(s, [0], True))
    node = ops.tensor_iterator()
    lib.show(node, node.get_num_iterations())
    node.set_body(lib.ov.Model([total], [s, acc], "rows"))
    node.set_sliced_input(s, x.output(0), 0, 2, 2, -1, 0)
    node.set_merged_input(acc, ops.constant(ROW).output(0), total.output(0))
    last, rows = (
        node.get_iter_value(total.output(0), -1),
        node.get_concatenated_slices(total.output(0), -1, -1, 1, 0, 0),
    )
    lib.show(last, rows, node.get_num_iterations(), node.get_body().friendly_name, node.get_function().friendly_name)
    lib.run(lib.ov.Model([last, rows], [x]), np.arange(24, dtype=np.float32).reshape(6, 4) % 7)
    first = node.get_input_descriptions()[0]
    lib.show(
        first.axis, first.start, first.stride, first.part_size, first.end, first.copy(), first.get_type_info().name
    )
    node.set_input_descriptions(
        [util.SliceInputDescription(0, 0, 0, 2, 2, -1, 0), util.MergedInputDescription(1, 1, 0)]
    )
    node.set_output_descriptions([util.BodyOutputDescription(0, 0), util.ConcatOutputDescription(0, 1, 0, 1, 1, -1, 0)])
    node.validate_and_infer_types()
    lib.run(lib.ov.Model([node.output(0), node.output(1)], [x]), np.arange(24, dtype=np.float32).reshape(6, 4))


def nested_bodies(lib: Library) -> None:
    ops = lib.ops
    x, start = ops.parameter([5, 4], np.float32), ops.parameter([1, 4], np.float32)
    a, b = ops.parameter([1, 4], np.float32), ops.parameter([1, 4], np.float32)
    then, other = ops.result(ops.exp(a)), ops.result(ops.negative(b))
    i, s, acc = ops.parameter([], np.int64), ops.parameter([1, 4], np.float32), ops.parameter([1, 4], np.float32)
    choice = ops.if_op(ops.less(i, np.int64(2)).output(0))
    choice.set_then_body(lib.ov.Model([then], [a]))
    choice.set_else_body(lib.ov.Model([other], [b]))
    choice.set_input(s.output(0), a, b)
    total = ops.add(acc, choice.set_output(then, other))
    node = ops.loop(ops.constant(np.int64(5)), ops.constant(True))
    c = ops.constant(True)
    node.set_function(lib.ov.Model([total, c], [i, s, acc]))
    node.set_special_body_ports([0, 1])
    node.set_sliced_input(s, x.output(0), 0, 1, 1, -1, 0)
    node.set_merged_input(acc, start.output(0), total.output(0))
    lib.run(lib.ov.Model([node.get_iter_value(total.output(0))], [x, start]), X / 20, ROW)


SCRIPTS: list[Callable[[Library], None]] = [
    if_with_unknown_condition, if_with_constant_condition, if_refusals, loop_over_slices, loop_with_condition_in_body,
    loop_whose_outputs_are_asked_first, tensor_iterator, nested_bodies,
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_prints_what_openvino_prints(script: Callable[[Library], None], tmp_path: Path) -> None:
    theirs, ours = printed_by_both(script, tmp_path)
    assert ours == theirs


def built_loop() -> tuple[Any, ...]:
    node: Any = ops.loop(ops.constant(np.int64(3)), ops.constant(True))
    s = ops.parameter([1, 4], np.float32)
    total, c = ops.add(s, np.float32(1)), ops.constant(True)
    node.set_function(ov.Model([total, c], [s]))
    node.set_special_body_ports([-1, 1])
    return node, s, total


def test_a_refused_step_changes_nothing() -> None:
    node, s, total = built_loop()
    x, flags = ops.parameter([1, 4], np.float32), ops.parameter([1, 4], bool)
    node.set_merged_input(s, x.output(0), total.output(0))
    node.get_iter_value(total.output(0))
    before = repr(node), len(node.inputs), len(node.get_input_descriptions()), s.partial_shape
    calls: list[Callable[[], Any]] = [
        lambda: node.set_invariant_input(s, 3),
        lambda: node.set_invariant_input(x, x.output(0)),
        lambda: node.set_invariant_input(s, flags.output(0)),
        lambda: node.set_merged_input(s, x.output(0), x.output(0)),
        lambda: node.get_iter_value(s.output(0)),
        lambda: node.get_concatenated_slices(total.output(0), 0, 0, 1, -1, 0),
        lambda: node.set_special_body_ports([0, 5]),
        lambda: node.set_function(s),
    ]
    for call in calls:
        with pytest.raises(Error):
            call()
    assert (repr(node), len(node.inputs), len(node.get_input_descriptions()), s.partial_shape) == before
    assert not flags.output(0).get_target_inputs()


def test_a_loop_without_enough_slices_is_refused_where_the_model_is_compiled() -> None:
    node, s, total = built_loop()
    x = ops.parameter([2, 4], np.float32)
    node.set_sliced_input(s, x.output(0), 0, 1, 1, -1, 0)
    model = ov.Model([node.get_iter_value(total.output(0))], [x])
    with pytest.raises(ValidationError, match="3 iterations need as many slices"):
        model.validate_nodes_and_infer_types()


def test_a_clone_has_bodies_of_its_own() -> None:
    node, s, total = built_loop()
    x = ops.parameter([1, 4], np.float32)
    node.set_merged_input(s, x.output(0), total.output(0))
    model = ov.Model([node.get_iter_value(total.output(0))], [x])
    twin = copy.deepcopy(model)
    loop: Any = next(known for known in twin.get_ops() if known.get_type_name() == "Loop")
    assert loop.get_function() is not node.get_function()
    assert loop.get_function() is loop.get_function()
    assert isinstance(loop.get_function(), ov.Model)
    loop.get_function().get_parameters()[0].set_friendly_name("twin")
    assert s.get_friendly_name() != "twin"
