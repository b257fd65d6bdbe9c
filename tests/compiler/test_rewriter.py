"""The rewriter visits roots in order, inserted ops next, and keeps the order and the uses of a changed graph."""

from __future__ import annotations

from collections.abc import Callable

from openvino import opset13 as ops

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.passes import pass_observer
from ir_plugin.compiler.rewriter import Pattern, Rewriter
from ir_plugin.operations.activation.unary import Relu, Sigmoid
from ir_plugin.operations.arithmetic.unary import Cos, Sin, Tanh
from ir_plugin.operations.base import Operation, OperationClass
from tests.support.passes import compiled, data, model_of

Rewrite = Callable[[Op, Rewriter], None]


def chain() -> Graph:
    """Return the graph of Relu, Sin and Tanh after each other, as passes get it."""
    x = data(2, 3)
    graphs: list[Graph] = []
    with pass_observer(lambda name, graph: None if name else graphs.append(graph)):
        compiled(model_of(ops.tanh(ops.sin(ops.relu(x))), [x]), PROVIDER="numpy", DISABLED_PASSES=["epilogue_fusion"])
    return graphs[0]


def rewritten(rewrite: Rewrite, *definitions: OperationClass) -> tuple[list[str], list[str]]:
    """Return the types of the ops that a pattern visits, and of those that it leaves, in order."""
    graph, visited = chain(), list[str]()

    class Tried(Pattern):
        roots = definitions

        def rewrite(self, op: Op, rewriter: Rewriter) -> None:
            visited.append(op.type)
            rewrite(op, rewriter)

    Rewriter(graph).run(Tried(graph))
    graph.verify()
    return visited, [op.type for op in graph.ops]


def like(op: Op, operation: Operation, source: Value | None, output: Value | None = None) -> Op:
    """Return an op that reads a value and produces an output like another's, or one that is given."""
    first = op.outputs[0]
    return Op(operation, [source], [output or Value(first.element_type, first.shape)], op.nodes)


def leave(op: Op, rewriter: Rewriter) -> None:
    assert op in rewriter.ops()


def test_roots_are_visited_in_order_and_others_not() -> None:
    assert rewritten(leave, Tanh, Relu) == (["Relu", "Tanh"], ["Relu", "Sin", "Tanh"])


def test_inserted_ops_are_visited_next() -> None:
    def to_two(op: Op, rewriter: Rewriter) -> None:
        if op.is_a(Sin):
            first = like(op, Relu(), op.inputs[0])
            rewriter.replace(op, [first, like(op, Cos(), first.outputs[0], op.outputs[0])])

    visited, left = rewritten(to_two, Sin, Relu, Cos)
    assert visited == ["Relu", "Sin", "Relu", "Cos"]
    assert left == ["Relu", "Relu", "Cos", "Tanh"]


def test_ops_are_inserted_around_one_that_is_replaced_then() -> None:
    def surround(op: Op, rewriter: Rewriter) -> None:
        before, after = like(op, Cos(), op.inputs[0]), like(op, Sigmoid(), op.outputs[0])
        rewriter.insert_before(op, [before])
        rewriter.insert_after(op, [after])
        rewriter.set_input(op, 0, before.outputs[0])
        (tanh,) = [user for user in op.outputs[0].users if user.is_a(Tanh)]
        rewriter.set_input(tanh, 0, after.outputs[0])
        rewriter.replace(op, [like(op, Relu(), before.outputs[0], op.outputs[0])])

    assert rewritten(surround, Sin)[1] == ["Relu", "Cos", "Relu", "Sigmoid", "Tanh"]


def test_removed_ops_are_not_visited_and_unread_ones_removed() -> None:
    def skip_relu(op: Op, rewriter: Rewriter) -> None:
        if op.is_a(Relu) and op.inputs[0] is not None:
            (sin,) = op.outputs[0].users
            rewriter.bypass(sin, op.outputs[0])
            rewriter.set_input(op.outputs[0].users[0], 0, op.inputs[0])

    assert rewritten(skip_relu, Relu, Sin) == (["Relu"], ["Tanh"])


def test_a_replaced_op_may_be_inserted_again_later_and_change_there() -> None:
    def move(op: Op, rewriter: Rewriter) -> None:
        (relu,) = [value.producer for value in op.inputs if value is not None]
        assert relu is not None
        if relu.is_a(Relu):
            rewriter.replace(op, [relu, op], [relu])
            rewriter.insert_before(relu, [like(relu, Cos(), relu.inputs[0])])
            rewriter.replace(relu, [like(relu, Sigmoid(), relu.inputs[0], relu.outputs[0])])

    assert rewritten(move, Sin) == (["Sin", "Sin"], ["Sigmoid", "Sin", "Tanh"])
