"""Adagrad, Adam and Momentum: one step of training for each of several tensors."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.frontends.onnx.common import Value, as_scalar, cast_like, i64, scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops

DOMAIN = "ai.onnx.preview.training"

Step = Callable[[OnnxNode, list[Output]], list[Value]]


def _steps(node: OnnxNode, per_tensor: int, step: Step) -> list[Value]:
    """Return the results of a step for each tensor, ordered by result; inputs are ordered likewise."""
    inputs = node.present()[2:]
    count, rest = divmod(len(inputs), per_tensor)
    if rest or not count:
        raise OnnxReadError(f"it has {len(inputs)} inputs after R and T; it must have {per_tensor} for each tensor")
    results = [step(node, inputs[index::count]) for index in range(count)]
    return [value for values in zip(*results, strict=True) for value in values]


def _rate(node: OnnxNode, like: Value) -> Value:
    return cast_like(as_scalar(node.input(0)), like)


def _count(node: OnnxNode, like: Value) -> Value:
    return cast_like(as_scalar(node.input(1)), like)


def _of_first_step(node: OnnxNode, first: Value, later: Value) -> Value:
    """Return one value while T is 0, another one later."""
    return ops.select(ops.greater(as_scalar(node.input(1)), i64(0)), later, first)


def _scaled(value: Value, number: float, like: Value) -> Value:
    return ops.multiply(value, scalar(number, like))


def _regularized(node: OnnxNode, tensor: Output, gradient: Output) -> Value:
    return ops.add(_scaled(tensor, node.attributes.float("norm_coefficient"), tensor), gradient)


@translates("Adagrad", 1, domain=DOMAIN)
def adagrad(node: OnnxNode) -> list[Value]:
    """Return new tensors and sums of squared gradients."""
    return _steps(node, 3, _adagrad)


def _adagrad(node: OnnxNode, values: list[Output]) -> list[Value]:
    tensor, gradient, squares = values
    decay = _scaled(_count(node, tensor), node.attributes.float("decay_factor"), tensor)
    rate = ops.divide(_rate(node, tensor), ops.add(decay, scalar(1, tensor)))
    change = _regularized(node, tensor, gradient)
    total = ops.add(squares, ops.multiply(change, change))
    root = ops.add(ops.sqrt(total), scalar(node.attributes.float("epsilon"), tensor))
    return [ops.subtract(tensor, ops.divide(ops.multiply(rate, change), root)), total]


@translates("Adam", 1, domain=DOMAIN)
def adam(node: OnnxNode) -> list[Value]:
    """Return new tensors and averages of gradients and of their squares."""
    return _steps(node, 4, _adam)


def _adam(node: OnnxNode, values: list[Output]) -> list[Value]:
    tensor, gradient, first, second = values
    attributes = node.attributes
    alpha, beta = attributes.float("alpha"), attributes.float("beta")
    change = _regularized(node, tensor, gradient)
    mean = ops.add(_scaled(first, alpha, tensor), _scaled(change, 1 - alpha, tensor))
    square = ops.add(_scaled(second, beta, tensor), _scaled(ops.multiply(change, change), 1 - beta, tensor))
    root = ops.add(ops.sqrt(square), scalar(attributes.float("epsilon"), tensor))
    step = ops.multiply(_corrected_rate(node, tensor, alpha, beta), ops.divide(mean, root))
    factor = 1 - attributes.float("norm_coefficient_post")
    return [_scaled(ops.subtract(tensor, step), factor, tensor), mean, square]


def _corrected_rate(node: OnnxNode, tensor: Output, alpha: float, beta: float) -> Value:
    """Return the rate without the bias of averages that began with zeros."""
    one, count, rate = scalar(1, tensor), _count(node, tensor), _rate(node, tensor)
    parts = [ops.subtract(one, ops.power(scalar(base, tensor), count)) for base in (beta, alpha)]
    return _of_first_step(node, rate, ops.divide(ops.multiply(rate, ops.sqrt(parts[0])), parts[1]))


@translates("Momentum", 1, domain=DOMAIN)
def momentum(node: OnnxNode) -> list[Value]:
    """Return new tensors and momenta."""
    return _steps(node, 3, _momentum)


def _momentum(node: OnnxNode, values: list[Output]) -> list[Value]:
    tensor, gradient, velocity = values
    mode = node.attributes.text("mode")
    if mode not in ("standard", "nesterov"):
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be standard or nesterov")
    change = _regularized(node, tensor, gradient)
    beta = _of_first_step(node, scalar(1, tensor), scalar(node.attributes.float("beta"), tensor))
    alpha = node.attributes.float("alpha")
    moved = ops.add(_scaled(velocity, alpha, tensor), ops.multiply(beta, change))
    step: Value = moved if mode == "standard" else ops.add(change, _scaled(moved, alpha, tensor))
    return [ops.subtract(tensor, ops.multiply(_rate(node, tensor), step)), moved]
