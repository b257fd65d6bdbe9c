"""Operators of two inputs that broadcast, and the variadic Max, Min, Sum and Mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from ir_plugin.frontends.onnx.common import Value, cast, legacy_broadcast, output, scalar, type_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_SAME = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
    "Equal": "equal", "Greater": "greater", "Less": "less",
}  # fmt: skip
"""Operators whose versions below 7 broadcast along an axis."""
_LATER = {
    "GreaterOrEqual": ("greater_equal", 12), "LessOrEqual": ("less_equal", 12), "BitwiseAnd": ("bitwise_and", 18),
    "BitwiseOr": ("bitwise_or", 18), "BitwiseXor": ("bitwise_xor", 18),
}  # fmt: skip


def _register(type: str, function: str, since: int) -> None:
    @translates(type, since)
    def translate(node: OnnxNode) -> Node:
        built: Node = getattr(ops, function)(node.input(0), node.input(1))
        return built


def _register_legacy(type: str, function: str) -> None:
    @translates(type, 1)
    def translate(node: OnnxNode) -> Node:
        built: Node = getattr(ops, function)(*legacy_broadcast(node))
        return built


for _type, _function in _SAME.items():
    _register_legacy(_type, _function)
    _register(_type, _function, 7)
for _type, (_function, _since) in _LATER.items():
    _register(_type, _function, _since)


@translates("Div", 7)
def div(node: OnnxNode) -> Node:
    """Return the quotient, of integers truncated toward zero."""
    return _divided(node.input(0), node.input(1))


@translates("Div", 1)
def div_1(node: OnnxNode) -> Node:
    """As the newest, but with broadcasting along an axis."""
    return _divided(*legacy_broadcast(node))


def _divided(left: Output, right: Output) -> Node:
    from ir_plugin.opsets.nodes import built, definition_of

    return built(definition_of("Divide", "opset1"), [left, right], {"m_pythondiv": False}, None)


@translates("Mod", 10)
def mod(node: OnnxNode) -> Node:
    """Return the remainder: with the sign of the divisor, or of the dividend where `fmod` is set."""
    if node.attributes.flag("fmod"):
        return ops.mod(node.input(0), node.input(1))
    if not type_of(node.input(0)).is_floating:
        return ops.floor_mod(node.input(0), node.input(1))
    rest = output(ops.mod(node.input(0), node.input(1)))
    zero = scalar(0, rest)
    differ = ops.logical_xor(ops.less(rest, zero), ops.less(node.input(1), zero))
    return ops.select(ops.logical_and(ops.not_equal(rest, zero), differ), ops.add(rest, node.input(1)), rest)


def _variadic(combine: Callable[[Output, Output], Node]) -> Callable[[OnnxNode], Output]:
    def translate(node: OnnxNode) -> Output:
        values = node.present()
        if not values:
            raise OnnxReadError("it has no inputs; it needs one or more")
        return reduce(lambda left, right: output(combine(left, right)), values)

    return translate


for _type, _combine in {"Max": ops.maximum, "Min": ops.minimum, "Sum": ops.add}.items():
    translates(_type, 1)(_variadic(_combine))


@translates("Mean", 1)
def mean(node: OnnxNode) -> Node:
    """Return the mean of the inputs."""
    return ops.divide(_variadic(ops.add)(node), scalar(len(node.inputs), node.input(0)))


@translates("BitShift", 11)
def bit_shift(node: OnnxNode) -> Node:
    """Return the bits moved to the left or to the right; a number of bits out of range moves all of them out."""
    direction = node.attributes.text("direction")
    functions = {"LEFT": ops.bitwise_left_shift, "RIGHT": ops.bitwise_right_shift}
    if direction not in functions:
        raise OnnxReadError(f"the attribute 'direction' is {direction!r}; it must be LEFT or RIGHT")
    data, count = node.input(0), node.input(1)
    bits = type_of(data).bits
    is_beyond = ops.greater_equal(count, scalar(bits, count))
    if type_of(count).has_sign:
        is_beyond = ops.logical_or(is_beyond, ops.less(count, scalar(0, count)))
    shifted = functions[direction](data, ops.select(is_beyond, scalar(bits - 1, count), count))
    if direction == "RIGHT" and type_of(data).has_sign:
        return shifted
    return ops.select(is_beyond, scalar(0, data), shifted)


@translates("Where", 9)
def where(node: OnnxNode) -> Node:
    """Return Select-1: the second input where the first is true, else the third."""
    if type_of(node.input(0)) not in (ElementType.boolean, ElementType.dynamic):
        raise OnnxReadError(f"the condition is of the type {type_of(node.input(0)).name}; it must be boolean")
    return ops.select(node.input(0), node.input(1), node.input(2))


@translates("Pow", 1)
def power_1(node: OnnxNode) -> Node:
    """As the newest, but with broadcasting along an axis, and both inputs of one type."""
    return ops.power(*legacy_broadcast(node))


@translates("Pow", 7)
def power(node: OnnxNode) -> Value:
    """Return the power in the type of the base; a whole base to the power of a float is computed in f64."""
    base, exponent = node.input(0), node.input(1)
    if type_of(base).is_floating or not type_of(exponent).is_floating:
        return ops.power(base, cast(exponent, type_of(base)))
    wide = ElementType.f64
    return cast(ops.power(cast(base, wide), cast(exponent, wide)), type_of(base))
