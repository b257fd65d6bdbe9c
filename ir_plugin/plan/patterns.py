"""Activations in the form that can be fused: those a graph spells out as one operation, HardSigmoid spelled out."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry
from ir_plugin.plan.identity import remove_unread
from ir_plugin.plan.program import Call, Program, Value


def name_activations(program: Program) -> None:
    """Replace x * sigmoid(x) by Swish, x * clip(x + 3, 0, 6) / 6 by HSwish, and clip(x + 3, 0, 6) / 6 by HSigmoid."""
    found = False
    for call in list(program.calls):
        if not call.outputs or call.outputs[0].element_type.name not in ("f32", "f64") or call.post:
            continue
        for type, match in _PATTERNS.items():
            source = match(call)
            if source is not None and source.shape == call.outputs[0].shape:
                _replace(program, call, type, source)
                found = True
                break
    for call in [call for call in program.calls if call.type == "HardSigmoid" and not call.post]:
        _spell_out(program, call)
    if found:
        remove_unread(program)


def _spell_out(program: Program, call: Call) -> None:
    """Write HardSigmoid with constants as product, sum and cut, which can follow a convolution in place."""
    output, (data, alpha, beta) = call.outputs[0], call.inputs
    fits = data is not None and data.element_type is output.element_type and output.element_type.name in ("f32", "f64")
    if not fits or alpha is None or alpha.constant is None or beta is None or beta.constant is None:
        return
    product, total = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
    calls = [
        Call(_operation("Multiply", auto_broadcast="numpy"), [data, alpha], [product], call.nodes),
        Call(_operation("Add", auto_broadcast="numpy"), [product, beta], [total], list(call.nodes)),
        Call(_operation("Clamp", min=0.0, max=1.0), [total], [output], list(call.nodes)),
    ]
    position = program.calls.index(call)
    program.remove([call])
    for offset, made in enumerate(calls):
        made.operation.input_types = (output.element_type,) * len(made.inputs)
        made.operation.output_types = (output.element_type,)
        program.add(made)
        program.calls.insert(position + offset, program.calls.pop())


def _replace(program: Program, call: Call, type: str, source: Value) -> None:
    position = program.calls.index(call)
    made = Call(_operation(type), [source], call.outputs, call.nodes)
    made.operation.input_types = made.operation.output_types = (call.outputs[0].element_type,)
    program.remove([call])
    source.users.append(made)
    call.outputs[0].producer = made
    program.calls.insert(position, made)


def _operation(type: str, **attributes: object) -> Operation:
    definition = Registry().resolve(type, "opset8")
    if definition is None:
        raise KeyError(type)
    return definition.cls(**attributes)


def _swish(call: Call) -> Value | None:
    for one, other in _factors(call):
        gate = _made_by(other, "Sigmoid")
        if gate is not None and gate.inputs[0] is one:
            return one
    return None


def _hsigmoid(call: Call) -> Value | None:
    sixth = _sixth(call)
    return None if sixth is None else _clipped(sixth)


def _hswish(call: Call) -> Value | None:
    """Match x * (clip / 6), (x * clip) / 6, and x / 6 * clip as it is seldom written not at all."""
    for one, other in _factors(call):
        gate = other.producer
        if gate is not None and (_hsigmoid(gate) is one or (gate.type == "HSigmoid" and gate.inputs[0] is one)):
            return one
    product = _sixth(call)
    if product is None or product.producer is None:
        return None
    for one, other in _factors(product.producer):
        if _clipped(other) is one:
            return one
    return None


def _sixth(call: Call) -> Value | None:
    """Return what a call divides by 6."""
    for one, other in _factors(call):
        if _is_scalar(other, 1 / 6):
            return one
    if call.type == "Divide" and _is_scalar(call.inputs[1], 6):
        return call.inputs[0]
    return None


def _clipped(value: Value) -> Value | None:
    """Return x of clip(x + 3, 0, 6)."""
    clamp = _made_by(value, "Clamp")
    if clamp is not None:
        fields = clamp.operation.__dict__
        inner = clamp.inputs[0] if (fields["min"], fields["max"]) == (0, 6) else None
    else:
        inner = _limited(_limited(value, "Minimum", 6), "Maximum", 0) or _limited(
            _limited(value, "Maximum", 0), "Minimum", 6
        )
    return _limited(inner, "Add", 3)


def _limited(value: Value | None, type: str, number: float) -> Value | None:
    """Return the other operand of the operation of this type that made a value with a scalar."""
    made = None if value is None else _made_by(value, type)
    if made is None or len(made.inputs) != 2 or made.post:
        return None
    for one, other in ((made.inputs[0], made.inputs[1]), (made.inputs[1], made.inputs[0])):
        if _is_scalar(other, number):
            return one
    return None


def _factors(call: Call) -> list[tuple[Value, Value]]:
    one, other = [*call.inputs, None, None][:2]
    if call.type != "Multiply" or one is None or other is None or call.post:
        return []
    return [(one, other), (other, one)]


def _made_by(value: Value, type: str) -> Call | None:
    producer = value.producer
    return producer if producer is not None and producer.type == type and not producer.post else None


def _is_scalar(value: Value | None, number: float) -> bool:
    if value is None or value.constant is None or value.constant.size != 1:
        return False
    return abs(float(value.constant.reshape(-1)[0]) - number) <= 1e-6 * max(abs(number), 1)


_PATTERNS: dict[str, Callable[[Call], Value | None]] = {"Swish": _swish, "HSwish": _hswish, "HSigmoid": _hsigmoid}
