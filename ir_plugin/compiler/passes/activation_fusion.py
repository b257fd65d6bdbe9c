"""Activations in the form that can be fused: those a graph spells out as one operation, HardSigmoid spelled out."""

from __future__ import annotations

import math
from collections.abc import Callable

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.passes.dead_code import dead_code
from ir_plugin.compiler.rewriter import (
    attributes,
    commuted_operands,
    is_near,
    number_of,
    operation_of,
    producer_of,
    product_of,
    replace_ops,
    scaled,
    with_number,
)
from ir_plugin.operations.activation.clamp import Clamp


def activation_fusion(graph: Graph) -> None:
    """Replace what is spelled out by Swish, HSwish, HSigmoid and Gelu.

    x * sigmoid(x), x * clip(x + 3, 0, 6) / 6, clip(x + 3, 0, 6) / 6, x * (1 + erf(x / √2)) / 2, and
    x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.
    """
    found = False
    for op in list(graph.ops):
        if not op.outputs or op.outputs[0].element_type.name not in ("f32", "f64") or op.epilogue:
            continue
        for (type, fields), match in _PATTERNS:
            source = match(op)
            if source is not None and source.shape == op.outputs[0].shape:
                made = Op(operation_of(type, **fields), [source], op.outputs, op.nodes)
                replace_ops(graph, [op], op, [made])
                found = True
                break
    for op in [op for op in graph.ops if op.type == "HardSigmoid" and not op.epilogue]:
        _spell_out(graph, op)
    if found:
        dead_code(graph)


def _spell_out(graph: Graph, op: Op) -> None:
    """Write HardSigmoid with constants as product, sum and cut, which can follow a convolution in place."""
    output, (data, alpha, beta) = op.outputs[0], op.inputs
    fits = data is not None and data.element_type is output.element_type and output.element_type.name in ("f32", "f64")
    if not fits or alpha is None or alpha.constant is None or beta is None or beta.constant is None:
        return
    product, total = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
    ops = [
        Op(operation_of("Multiply", auto_broadcast="numpy"), [data, alpha], [product], op.nodes),
        Op(operation_of("Add", auto_broadcast="numpy"), [product, beta], [total], list(op.nodes)),
        Op(operation_of("Clamp", min=0.0, max=1.0), [total], [output], list(op.nodes)),
    ]
    replace_ops(graph, [op], op, ops)


def _swish(op: Op) -> Value | None:
    for one, other in _factors(op):
        gate = producer_of(other, "Sigmoid")
        if gate is not None and (gate.inputs[0] is one or _is_same(gate.inputs[0], one)):
            return one
    return None


def _is_same(value: Value | None, x: Value) -> bool:
    """Return whether a value is x times 1, as paddle's swish with a factor of 1 is written."""
    product = scaled(producer_of(value))
    return product is not None and product[0] is x and is_near(product[1], 1)


def _hsigmoid(op: Op) -> Value | None:
    sixth = _sixth(op)
    return None if sixth is None else _clipped(sixth)


def _hswish(op: Op) -> Value | None:
    """Match x * (clip / 6), (x * clip) / 6, and x / 6 * clip as it is seldom written not at all."""
    for one, other in _factors(op):
        gate = other.producer
        if gate is not None and (_hsigmoid(gate) is one or (gate.type == "HSigmoid" and gate.inputs[0] is one)):
            return one
    product = _sixth(op)
    if product is None or product.producer is None:
        return None
    for one, other in _factors(product.producer):
        if _clipped(other) is one:
            return one
    return None


def _sixth(op: Op) -> Value | None:
    """Return what a call divides by 6."""
    for one, other in _factors(op):
        if _is_scalar(other, 1 / 6):
            return one
    if op.type == "Divide" and _is_scalar(op.inputs[1], 6):
        return op.inputs[0]
    return None


def _clipped(value: Value) -> Value | None:
    """Return x of clip(x + 3, 0, 6)."""
    clamp = producer_of(value, "Clamp")
    if clamp is not None:
        limits = attributes(clamp, Clamp)
        inner = clamp.inputs[0] if (limits.min, limits.max) == (0, 6) else None
    else:
        inner = _limited(_limited(value, "Minimum", 6), "Maximum", 0) or _limited(
            _limited(value, "Maximum", 0), "Minimum", 6
        )
    return _limited(inner, "Add", 3)


def _limited(value: Value | None, type: str, number: float) -> Value | None:
    """Return the other operand of the operation of this type that made a value with a scalar."""
    made = None if value is None else producer_of(value, type)
    if made is None or len(made.inputs) != 2 or made.epilogue:
        return None
    for one, other in ((made.inputs[0], made.inputs[1]), (made.inputs[1], made.inputs[0])):
        if _is_scalar(other, number):
            return one
    return None


def _factors(op: Op) -> list[tuple[Value, Value]]:
    return commuted_operands(op) if op.type == "Multiply" else []


def _is_scalar(value: Value | None, number: float) -> bool:
    return is_near(number_of(value), number)


def _gelu(op: Op) -> Value | None:
    """Return x of x * (1 + erf(x / √2)) / 2, in any order of the factors."""
    for x, erf in _gated(op, "Erf"):
        argument = scaled(producer_of(erf.inputs[0]))
        if argument is not None and argument[0] is x and is_near(argument[1], math.sqrt(0.5)):
            return x
    return None


def _gelu_by_tanh(op: Op) -> Value | None:
    """Return x of x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, in any order of the factors."""
    for x, tanh in _gated(op, "Tanh"):
        product = producer_of(tanh.inputs[0])
        factors, number = product_of(product) if product is not None else ([], 0)
        if is_near(number, math.sqrt(2 / math.pi)) and _is_cubic(factors, x):
            return x
    return None


def _gated(op: Op, type: str) -> list[tuple[Value, Op]]:
    """Return x and f for products that are x * (1 + f(…)) / 2, f being of a type."""
    factors, number = product_of(op)
    if len(factors) != 2 or not is_near(number, 0.5):
        return []
    found = []
    for x, gate in (factors, factors[::-1]):
        total = with_number(producer_of(gate), "Add")
        function = None if total is None or not is_near(total[1], 1) else producer_of(total[0], type)
        if function is not None:
            found.append((x, function))
    return found


def _is_cubic(factors: list[Value], x: Value) -> bool:
    """Return whether factors make x + 0.044715 x³, which may be written as x * (1 + 0.044715 x²)."""
    outside = [value for value in factors if value is not x]
    total = producer_of(outside[0], "Add") if len(outside) == 1 else None
    if total is None or len(factors) > 2:
        return False
    for one, other in commuted_operands(total):
        linear = one is x if len(factors) == 1 else _is_scalar(one, 1)
        product = producer_of(other)
        inner, number = product_of(product) if linear and product is not None else ([], 0)
        if is_near(number, 0.044715) and _degree(inner, x) == (3 if len(factors) == 1 else 2):
            return True
    return False


def _degree(factors: list[Value], x: Value) -> float:
    """Return the power of x that factors make, or NaN where they are made of other things."""
    degree = 0.0
    for value in factors:
        power = producer_of(value, "Power")
        if value is x:
            degree += 1
        elif power is not None and power.inputs[0] is x:
            degree += number_of(power.inputs[1]) or math.nan
        elif (square := producer_of(value, "Multiply")) is not None and square.inputs == [x, x]:
            degree += 2
        else:
            return math.nan
    return degree


_PATTERNS: tuple[tuple[tuple[str, dict[str, str]], Callable[[Op], Value | None]], ...] = (
    (("Swish", {}), _swish),
    (("HSwish", {}), _hswish),
    (("HSigmoid", {}), _hsigmoid),
    (("Gelu", {"approximation_mode": "erf"}), _gelu),
    (("Gelu", {"approximation_mode": "tanh"}), _gelu_by_tanh),
)
