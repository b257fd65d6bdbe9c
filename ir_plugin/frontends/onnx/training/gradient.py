"""Gradient: the derivative of a value of the graph by other values, node by node from the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir_plugin.frontends.onnx.common import Value, i64, output, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.training.optimizers import DOMAIN
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops

Rule = Callable[[Node, Output], "Sequence[Value | None]"]
"""Returns the gradients of a node's inputs from the gradient of its output."""


@translates("Gradient", 1, domain=DOMAIN)
def gradient(node: OnnxNode) -> list[Value | None]:
    """Return the derivative of the sum of `y` by each of `xs`, zeros for one that `y` does not depend on."""
    names = node.attributes.texts("xs")
    fixed = node.attributes.texts("zs", [])
    values = [_named(node, name) for name in [*names, *fixed]]
    if [*values] != node.present():
        raise OnnxUnsupportedError("its inputs are other values than those that xs and zs name")
    target = _named(node, node.attributes.text("y"))
    seed = output(ops.broadcast(scalar(1, target), shape_of(target)))
    gradients = _propagated(target, seed, values)
    zeros = (output(ops.multiply(value, scalar(0, value))) for value in values)
    return [gradients.get(value, zero) for value, zero in zip(values[: len(names)], zeros, strict=False)]


def _named(node: OnnxNode, name: str) -> Output:
    value = node.scope.value(name)
    if value is None:
        raise OnnxReadError(f"the value {name!r} is absent")
    return value


def _propagated(target: Output, seed: Output, ends: Sequence[Output]) -> dict[Output, Output]:
    """Return the gradients of all values between `ends` and the target."""
    gradients = {target: seed}
    for node in reversed(_between(target, ends)):
        for source in node.outputs:
            if source not in gradients or source in ends:
                continue
            rule = RULES.get(node.type)
            if rule is None:
                raise OnnxUnsupportedError(f"the derivative of {node.type} is not known")
            parts = rule(node, gradients[source])
            for value, part in zip(node.input_values(), parts, strict=False):
                if part is not None:
                    total = _summed_to(value, part)
                    earlier = gradients.get(value)
                    gradients[value] = total if earlier is None else output(ops.add(earlier, total))
    return gradients


def _between(target: Output, ends: Sequence[Output]) -> list[Node]:
    """Return the nodes that the target depends on, in topological order, not past the ends."""
    order: list[Node] = []
    seen: set[Node] = set()
    pending = [(target.node, False)] if target not in ends else []
    while pending:
        node, is_read = pending.pop()
        if is_read:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            pending.append((node, True))
            pending += [(value.node, False) for value in node.input_values() if value not in ends]
    return order


def _summed_to(value: Output, part: Value) -> Output:
    """Return a gradient summed over the axes along which the value was broadcast."""
    shape, wide = value.tensor_info.shape, output(part).tensor_info.shape
    if shape.ndim is None or wide.ndim is None or not (shape.is_static and wide.is_static):
        raise OnnxUnsupportedError("derivatives need known shapes")
    if shape == wide:
        return output(part)
    lead = wide.ndim - shape.ndim
    axes = [*range(lead), *(lead + axis for axis in range(shape.ndim) if shape[axis] != wide[lead + axis])]
    total = ops.reduce_sum(part, i64(axes), keep_dims=True)
    return output(ops.reshape(total, i64([dim.get_length() for dim in shape]), special_zero=False))


def _multiply(node: Node, grad: Output) -> list[Value | None]:
    left, right = node.input_values()
    return [ops.multiply(grad, right), ops.multiply(grad, left)]


def _divide(node: Node, grad: Output) -> list[Value | None]:
    _, right = node.input_values()
    return [ops.divide(grad, right), ops.negative(ops.divide(ops.multiply(grad, node.outputs[0]), right))]


def _power(node: Node, grad: Output) -> list[Value | None]:
    base, exponent = node.input_values()
    lower = ops.power(base, ops.subtract(exponent, scalar(1, exponent)))
    by_exponent = ops.multiply(node.outputs[0], ops.log(base))
    return [ops.multiply(grad, ops.multiply(exponent, lower)), ops.multiply(grad, by_exponent)]


def _matmul(node: Node, grad: Output) -> list[Value | None]:
    left, right = node.input_values()
    attributes = node.get_attributes()
    flips = bool(attributes.get("transpose_a")), bool(attributes.get("transpose_b"))
    if (left.tensor_info.shape.ndim or 0) < 2 or (right.tensor_info.shape.ndim or 0) < 2:
        raise OnnxUnsupportedError("the derivative of MatMul needs matrices")
    by_left = ops.matmul(right, grad, flips[1], True) if flips[0] else ops.matmul(grad, right, False, not flips[1])
    by_right = ops.matmul(grad, left, True, flips[0]) if flips[1] else ops.matmul(left, grad, not flips[0], False)
    return [by_left, by_right]


def _sigmoid(node: Node, grad: Output) -> list[Value | None]:
    result = node.outputs[0]
    return [ops.multiply(grad, ops.multiply(result, ops.subtract(scalar(1, result), result)))]


def _tanh(node: Node, grad: Output) -> list[Value | None]:
    result = node.outputs[0]
    return [ops.multiply(grad, ops.subtract(scalar(1, result), ops.multiply(result, result)))]


def _relu(node: Node, grad: Output) -> list[Value | None]:
    data = node.input_value(0)
    return [ops.select(ops.greater(data, scalar(0, data)), grad, scalar(0, data))]


def _sqrt(node: Node, grad: Output) -> list[Value | None]:
    return [ops.divide(grad, ops.multiply(node.outputs[0], scalar(2, grad)))]


def _reshaped(node: Node, grad: Output) -> list[Value | None]:
    return [ops.reshape(grad, shape_of(node.input_value(0)), special_zero=False)]


RULES: dict[str, Rule] = {
    "Add": lambda _, grad: [grad, grad],
    "Divide": _divide,
    "Exp": lambda node, grad: [ops.multiply(grad, node.outputs[0])],
    "Identity": lambda _, grad: [grad],
    "Log": lambda node, grad: [ops.divide(grad, node.input_value(0))],
    "MatMul": _matmul,
    "Multiply": _multiply,
    "Negative": lambda _, grad: [ops.negative(grad)],
    "Power": _power,
    "Relu": _relu,
    "Reshape": _reshaped,
    "Sigmoid": _sigmoid,
    "Sqrt": _sqrt,
    "Squeeze": _reshaped,
    "Subtract": lambda _, grad: [grad, ops.negative(grad)],
    "Tanh": _tanh,
    "Unsqueeze": _reshaped,
}
"""The derivatives that are known, by the type of node."""
