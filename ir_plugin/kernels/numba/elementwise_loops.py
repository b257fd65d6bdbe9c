"""Compiled loops of elementwise functions, generated from the scalar expressions of the table, and their codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from textwrap import indent
from typing import Any

import numpy as np

from ir_plugin.kernels.elementwise_functions import FUNCTIONS, Domain, ElementwiseFunction, function_of
from ir_plugin.kernels.numba import math_functions
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.operations.quantization.levels import QuantizeDequantize


def functions(operands: int, domain: Domain) -> dict[str, ElementwiseFunction]:
    """Return the functions with `operands` operands in a domain, one for each scalar expression, by expression."""
    rows = [row for row in FUNCTIONS if row.operands == operands and row.domain & domain]
    return {row.scalar: row for row in rows if row.scalar is not None}


def generate(header: str, branches: Sequence[str]) -> Callable[..., Any]:
    """Return the function with a header `name(code, …)` that runs the branch which the code numbers."""
    lines = [f"def {header}:"]
    for code, branch in enumerate(branches):
        condition = "else" if 0 < code == len(branches) - 1 else f"{'elif' if code else 'if'} code == {code}"
        lines += [f"    {condition}:", indent(branch, " " * 8)]
    namespace = {**vars(math_functions), "np": np, "f32": np.float32, "__name__": __name__}
    exec("\n".join(lines), namespace)
    function: Callable[..., Any] = namespace[header.partition("(")[0]]
    return function


_UNARY_LOOP = """{numbers}
for c in range(flat.shape[0]):
    x = flat[c]
    flat[c] = {scalar}"""
_BINARY_LOOP = """for r in range(block.shape[0]):
    for c in range(block.shape[1]):
        {data} = block[r, c]
        {operand} = operand[c]
        block[r, c] = {scalar}"""

_UNARY = functions(1, Domain.SINGLE)
BINARY = functions(2, Domain.SINGLE)
"""The functions of two operands of f32; the code of one is its position."""
_EXCHANGED = [scalar for scalar, row in BINARY.items() if not row.commutes]
"""Those that have a loop too for the operand before the data."""
FIRST_BINARY = len(_UNARY)
"""The code of the first function of two operands, of which the second is a vector for all rows."""
OF_ROWS = len(BINARY) + len(_EXCHANGED)
"""What the code of such a function has more where the second operand has rows."""


def _numbers(row: ElementwiseFunction) -> str:
    return "\n".join(f"{name} = numbers[{position}]" for position, name in enumerate(row.names))


apply_unary: Any = compiled(f"void(i8, f4[::1], {read_only(1)})")(
    generate(
        "apply_unary(code, flat, numbers)",
        [_UNARY_LOOP.format(numbers=_numbers(row), scalar=scalar) for scalar, row in _UNARY.items()],
    )
)
"""Changes f32 in place by the function of a code and its numbers."""

apply_binary: Any = compiled(f"void(i8, f4[:,::1], {read_only(1)})")(
    generate(
        "apply_binary(code, block, operand)",
        [
            *[_BINARY_LOOP.format(data="x", operand="y", scalar=scalar) for scalar in BINARY],
            *[_BINARY_LOOP.format(data="y", operand="x", scalar=scalar) for scalar in _EXCHANGED],
        ],
    )
)
"""Changes rows of f32 in place by the function of a code, less `FIRST_BINARY`, and a vector."""


def unary_code(operation: Operation) -> int | None:
    """Return the code of a function of f32, or None where it has no compiled loop."""
    function = function_of(operation)
    return _position(function.scalar, _UNARY) if function is not None and function.operands == 1 else None


def binary_code(operation: Operation, operand_first: bool, has_rows: bool) -> int | None:
    """Return the code of a function of f32 and of an operand, a vector or rows; None where it has no compiled loop."""
    function, position = function_of(operation), broadcast_code(operation)
    if function is None or position is None:
        return None
    if operand_first and not function.commutes:
        position = len(BINARY) + _EXCHANGED.index(function.scalar or "")
    return FIRST_BINARY + position + OF_ROWS * has_rows


def broadcast_code(operation: Operation) -> int | None:
    """Return the position in `BINARY` of a function of two operands, or None where it has no compiled loop."""
    function = function_of(operation)
    return None if function is None or function.operands != 2 else _position(function.scalar, BINARY)


def _position(scalar: str | None, functions: Iterable[str | None]) -> int | None:
    return next((position for position, other in enumerate(functions) if other == scalar), None)


def code_of(definition: OperationClass) -> int:
    """Return the code of an operation's function, with a vector as its second operand."""
    row = next(row for row in FUNCTIONS if row.definition is definition)
    first, rows = (0, _UNARY) if row.operands == 1 else (FIRST_BINARY, BINARY)
    return first + list(rows).index(row.scalar or "")


ADD, MULTIPLY, LIMIT, ROUND = map(code_of, (Add, Multiply, Clamp, QuantizeDequantize))
