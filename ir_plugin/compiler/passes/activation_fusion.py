"""Fuses the ops of decomposed activations into one op, and decomposes others into ops that can be fused."""

from __future__ import annotations

import math
from collections.abc import Callable

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.matching import (
    commuted_operands,
    is_near,
    number_beside,
    producer_of,
    product_of,
    scaled,
    with_number,
)
from ir_plugin.compiler.passes.dead_code import dead_code
from ir_plugin.compiler.rewriter import attributes, replace_ops, rewrites
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.hard_sigmoid import HardSigmoid
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import HSigmoid, HSwish, Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply, Power
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import Erf, Tanh
from ir_plugin.operations.base import Operation, OperationClass


@rewrites(Multiply, Divide, HardSigmoid, Swish)
def activation_fusion(graph: Graph) -> None:
    """Fuse subgraphs that compute Swish, HSwish, HSigmoid or Gelu into that op; decompose HardSigmoid and scaled Swish.

    The patterns are x * sigmoid(x), x * clip(x + 3, 0, 6) / 6, clip(x + 3, 0, 6) / 6, x * (1 + erf(x / √2)) / 2, and
    x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2. All parts read one x of f32 or f64, and no number raises its rank;
    parts that others read stay.
    """
    is_changed = False
    for op in list(graph.ops):
        if not op.outputs or op.outputs[0].element_type.name not in ("f32", "f64"):
            continue
        for operation, match in _PATTERNS:
            source = match(op)
            if source is not None and source.shape == op.outputs[0].shape:
                fused = Op(operation, [source], op.outputs, op.nodes)
                replace_ops(graph, [op], op, [fused])
                is_changed = True
                break
    for op in list(graph.ops):
        if op.is_a(HardSigmoid):
            _decompose_hard_sigmoid(graph, op)
        elif op.is_a(Swish) and len(op.inputs) == 2:
            _decompose_swish(graph, op)
    if is_changed:
        dead_code(graph)


def _decompose_hard_sigmoid(graph: Graph, op: Op) -> None:
    """Replace HardSigmoid with constant inputs by Multiply, Add and Clamp, which fuse into an epilogue."""
    output, (data, alpha, beta) = op.outputs[0], op.inputs
    if data is None or data.element_type is not output.element_type or output.element_type.name not in ("f32", "f64"):
        return
    if number_beside(data, alpha) is None or number_beside(data, beta) is None:
        return
    product, total = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
    ops = [
        Op(Multiply(auto_broadcast="numpy"), [data, alpha], [product], op.nodes),
        Op(Add(auto_broadcast="numpy"), [product, beta], [total], list(op.nodes)),
        Op(Clamp(min=0.0, max=1.0), [total], [output], list(op.nodes)),
    ]
    replace_ops(graph, [op], op, ops)


def _decompose_swish(graph: Graph, op: Op) -> None:
    """Replace Swish with a constant beta: 1 by Swish without beta, others by Multiply, Sigmoid and Multiply."""
    output, (data, beta) = op.outputs[0], op.inputs
    number = number_beside(data, beta)
    if data is None or number is None or output.element_type.name not in ("f32", "f64"):
        return
    if number == 1:
        replace_ops(graph, [op], op, [Op(Swish(), [data], [output], op.nodes)])
        return
    product, gate = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
    ops = [
        Op(Multiply(auto_broadcast="numpy"), [data, beta], [product], op.nodes),
        Op(Sigmoid(), [product], [gate], list(op.nodes)),
        Op(Multiply(auto_broadcast="numpy"), [data, gate], [output], list(op.nodes)),
    ]
    replace_ops(graph, [op], op, ops)


def _swish(op: Op) -> Value | None:
    for x, gate_value in _factors(op):
        gate = producer_of(gate_value, Sigmoid)
        if gate is not None and (gate.inputs[0] is x or _is_same(gate.inputs[0], x)):
            return x
    return None


def _is_same(value: Value | None, x: Value) -> bool:
    """Return whether a value is x times 1, as Paddle writes the gate of a swish with factor 1."""
    product = scaled(producer_of(value))
    return product is not None and product[0] is x and is_near(product[1], 1)


def _hsigmoid(op: Op) -> Value | None:
    clipped = _divided_by_6(op)
    return None if clipped is None else _clipped(clipped)


def _hswish(op: Op) -> Value | None:
    """Return x of x * (clip / 6) or (x * clip) / 6; x / 6 * clip is rare and not matched."""
    for x, factor in _factors(op):
        gate = factor.producer
        if gate is not None and (_hsigmoid(gate) is x or (gate.is_a(HSigmoid) and gate.inputs[0] is x)):
            return x
    product = _divided_by_6(op)
    if product is None or product.producer is None:
        return None
    for x, factor in _factors(product.producer):
        if _clipped(factor) is x:
            return x
    return None


def _divided_by_6(op: Op) -> Value | None:
    """Return the value that an op divides by 6, or multiplies by 1 / 6."""
    for dividend, factor in _factors(op):
        if is_near(number_beside(dividend, factor), 1 / 6):
            return dividend
    if op.is_a(Divide) and is_near(number_beside(*op.inputs), 6):
        return op.inputs[0]
    return None


def _clipped(value: Value) -> Value | None:
    """Return x of clip(x + 3, 0, 6)."""
    clamp = producer_of(value, Clamp)
    if clamp is not None:
        limits = attributes(clamp, Clamp)
        inner = clamp.inputs[0] if (limits.min, limits.max) == (0, 6) else None
    else:
        inner = _limited(_limited(value, Minimum, 6), Maximum, 0) or _limited(_limited(value, Maximum, 0), Minimum, 6)
    return _limited(inner, Add, 3)


def _limited(value: Value | None, definition: OperationClass, number: float) -> Value | None:
    """Return the operand that the producer of a value, this operation, combines with this number."""
    producer = producer_of(value, definition)
    for operand, limit in [] if producer is None else commuted_operands(producer):
        if is_near(number_beside(operand, limit), number):
            return operand
    return None


def _factors(op: Op) -> list[tuple[Value, Value]]:
    return commuted_operands(op) if op.is_a(Multiply) else []


def _gelu(op: Op) -> Value | None:
    """Return x of x * (1 + erf(x / √2)) / 2, in any order of the factors."""
    for x, erf in _gated(op, Erf):
        argument = scaled(producer_of(erf.inputs[0]))
        if argument is not None and argument[0] is x and is_near(argument[1], math.sqrt(0.5)):
            return x
    return None


def _gelu_by_tanh(op: Op) -> Value | None:
    """Return x of x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, in any order of the factors."""
    for x, tanh in _gated(op, Tanh):
        product = producer_of(tanh.inputs[0])
        factors, number = product_of(product) if product is not None else ([], 0)
        if is_near(number, math.sqrt(2 / math.pi)) and _is_cubic(factors, x):
            return x
    return None


def _gated(op: Op, definition: OperationClass) -> list[tuple[Value, Op]]:
    """Return each x with the op f where an op is x * (1 + f(…)) / 2 with this operation as f."""
    factors, number = product_of(op)
    if len(factors) != 2 or not is_near(number, 0.5):
        return []
    matches = []
    for x, gate in (factors, factors[::-1]):
        total = with_number(producer_of(gate), Add)
        function = None if total is None or not is_near(total[1], 1) else producer_of(total[0], definition)
        if function is not None:
            matches.append((x, function))
    return matches


def _is_cubic(factors: list[Value], x: Value) -> bool:
    """Return whether the product of factors is x + 0.044715 x³ or x * (1 + 0.044715 x²)."""
    outside = [value for value in factors if value is not x]
    total = producer_of(outside[0], Add) if len(outside) == 1 else None
    if total is None or len(factors) > 2:
        return False
    for addend, cubic in commuted_operands(total):
        linear = addend is x if len(factors) == 1 else is_near(number_beside(cubic, addend), 1)
        product = producer_of(cubic)
        inner, number = product_of(product) if linear and product is not None else ([], 0)
        if is_near(number, 0.044715) and _degree(inner, x) == (3 if len(factors) == 1 else 2):
            return True
    return False


def _degree(factors: list[Value], x: Value) -> float:
    """Return the power of x that the product of factors is, or NaN where it is none."""
    degree = 0.0
    for value in factors:
        power = producer_of(value, Power)
        if value is x:
            degree += 1
        elif power is not None and power.inputs[0] is x:
            degree += number_beside(x, power.inputs[1]) or math.nan
        elif (square := producer_of(value, Multiply)) is not None and square.inputs == [x, x]:
            degree += 2
        else:
            return math.nan
    return degree


_PATTERNS: tuple[tuple[Operation, Callable[[Op], Value | None]], ...] = (
    (Swish(), _swish),
    (HSwish(), _hswish),
    (HSigmoid(), _hsigmoid),
    (Gelu(approximation_mode="erf"), _gelu),
    (Gelu(approximation_mode="tanh"), _gelu_by_tanh),
)
