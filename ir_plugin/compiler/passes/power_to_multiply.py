"""Squares as products, which are fused and computed in place; Power is neither."""

from __future__ import annotations

from ir_plugin.compiler.graph import Call, Program
from ir_plugin.compiler.rewriter import number_of, operation_of, replace


def square_powers(program: Program) -> None:
    """Replace Power with the constant exponent 2 by the product of its base with itself."""
    for call in [call for call in program.calls if call.type == "Power" and not call.post]:
        base, exponent = call.inputs
        output = call.outputs[0]
        if base is None or base.shape is None or base.shape != output.shape or base.constant is not None:
            continue
        if output.element_type.name in ("f32", "f64") and number_of(exponent) == 2:
            made = Call(operation_of("Multiply", auto_broadcast="numpy"), [base, base], call.outputs, call.nodes)
            replace(program, [call], call, [made])
