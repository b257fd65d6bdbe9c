"""The table of elementwise functions, from whose rows the loops of all kernels are made.

A row is all that a new function needs: NumPy's loops in place and stages of epilogues call its NumPy function, numba's
epilogues, chains, broadcasts and small operations compile its scalar expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any

import numpy as np

from ir_plugin.kernels import in_place
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.elu import Elu
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.prelu import PRelu
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Exp, HSigmoid, HSwish, Relu, Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import (
    Abs,
    Ceiling,
    Cos,
    Erf,
    Floor,
    Log,
    Negative,
    Sin,
    Sqrt,
    Square,
    Tanh,
)  # fmt: skip
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.operations.bitwise.binary import BitwiseAnd, BitwiseOr, BitwiseXor
from ir_plugin.operations.bitwise.unary import BitwiseNot
from ir_plugin.operations.comparison.binary import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from ir_plugin.operations.logical.binary import LogicalAnd, LogicalOr, LogicalXor
from ir_plugin.operations.logical.unary import LogicalNot
from ir_plugin.operations.quantization.levels import QuantizeDequantize, round_to_levels
from ir_plugin.operations.type.convert import Convert


class Domain(Flag):
    """The element types for which kernels have a loop of a function."""

    SINGLE = auto()
    """f32."""
    DOUBLE = auto()
    """f64, for which the function is accurate too."""
    FLOATS = SINGLE | DOUBLE
    WHOLE = auto()
    """i32 and i64, the same for operands and output."""
    FLAGS = auto()
    """Booleans."""
    COMPARED = auto()
    """Booleans, i32 and i64 as operands, and booleans as output."""
    CONVERTED = auto()
    """Booleans, i32 and i64, whatever the operand and the output have."""


@dataclass(frozen=True)
class ElementwiseFunction:
    """A function of the elements of one or two operands, x and y."""

    definition: OperationClass
    numpy: Callable[..., object] | None = None
    """A ufunc; or for one operand a function that changes an array in place, given the `numbers`; or for two a function
    that fills its argument `out`, which may be x. NumPy deprecates a third positional argument of `maximum`."""
    scalar: str | None = None
    """The expression of compiled loops, of x, y, names of `numbers`, and `kernels.numba.math_functions`; of floats it
    has the accuracy of f32. Equal expressions share a loop. None leaves the function to NumPy."""
    operands: int = 1
    domain: Domain = Domain.FLOATS
    numbers: Callable[[Any], Sequence[float]] = lambda _operation: ()
    """Returns the numbers that the function takes from the operation's attributes."""
    names: tuple[str, ...] = ()
    """What `scalar` calls the numbers."""
    commutes: bool = False
    """Whether loops may exchange the operands."""
    applies: Callable[[Any], bool] = lambda _operation: True
    """Returns whether the row applies to an operation, by its attributes."""


def _binary(
    definition: OperationClass, numpy: Callable[..., object] | None, scalar: str, domain: Domain = Domain.FLOATS,
    *, commutes: bool = False,
) -> ElementwiseFunction:  # fmt: skip
    return ElementwiseFunction(definition, numpy, scalar, 2, domain, commutes=commutes)


_Row = ElementwiseFunction
LIMITED = "limited(x, low, high)"
"""The scalar expression of functions that limit numbers, and do nothing else."""
_ANY_NUMBERS = Domain.FLOATS | Domain.WHOLE

FUNCTIONS: tuple[ElementwiseFunction, ...] = (
    _Row(Abs, np.abs, "abs(x)"),
    _Row(Negative, np.negative),
    _Row(Floor, np.floor, "np.floor(x)"),
    _Row(Ceiling, np.ceil, "np.ceil(x)"),
    _Row(Sqrt, np.sqrt, "np.sqrt(x)"),
    _Row(Square, np.square, "x * x"),
    _Row(Exp, np.exp, "whole_exp(x)"),
    _Row(Log, np.log),
    _Row(Sin, np.sin),
    _Row(Cos, np.cos),
    _Row(Tanh, np.tanh, "tanh(x)"),
    _Row(Erf, in_place.erf, "erf(x)", domain=Domain.SINGLE),
    _Row(Sigmoid, in_place.sigmoid, "sigmoid(x)"),
    _Row(Swish, in_place.swish, "x * sigmoid(x)"),
    _Row(HSigmoid, in_place.hsigmoid, "limited(x + f32(3), f32(0), f32(6)) * f32(1 / 6)"),
    _Row(HSwish, in_place.hswish, "x * (limited(x + f32(3), f32(0), f32(6)) * f32(1 / 6))"),
    _Row(Relu, in_place.relu, LIMITED, numbers=lambda _relu: (0.0, np.inf), names=("low", "high")),
    _Row(Clamp, in_place.clip, LIMITED, numbers=lambda clamp: (clamp.min, clamp.max), names=("low", "high")),
    _Row(Elu, in_place.elu, numbers=lambda elu: (elu.alpha,)),
    _Row(Gelu, in_place.gelu, "gelu(x)", domain=Domain.SINGLE, applies=lambda gelu: gelu.approximation_mode == "erf"),
    _Row(Gelu, in_place.gelu_by_tanh, "gelu_by_tanh(x)", domain=Domain.SINGLE,
         applies=lambda gelu: gelu.approximation_mode == "tanh"),
    _Row(QuantizeDequantize, round_to_levels, "round_to_levels(x, inverse, shift, low, high, scale, offset)",
         numbers=lambda rounding: rounding.numbers, names=("inverse", "shift", "low", "high", "scale", "offset")),
    _binary(Add, np.add, "x + y", _ANY_NUMBERS, commutes=True),
    _binary(Subtract, np.subtract, "x - y", _ANY_NUMBERS),
    _binary(Multiply, np.multiply, "x * y", _ANY_NUMBERS, commutes=True),
    _binary(Divide, np.divide, "x / y"),
    # Of two zeros NumPy returns the second one, and numba the first.
    _binary(Maximum, np.maximum, "np.maximum(y, x)", commutes=True),
    _binary(Minimum, np.minimum, "np.minimum(y, x)", commutes=True),
    _binary(PRelu, in_place.prelu, "x * (y if x < f32(0) else f32(1))"),
    _binary(LogicalAnd, None, "x & y", Domain.FLAGS),
    _binary(LogicalOr, None, "x | y", Domain.FLAGS),
    _binary(LogicalXor, None, "x ^ y", Domain.FLAGS),
    _binary(BitwiseAnd, None, "x & y", Domain.FLAGS),
    _binary(BitwiseOr, None, "x | y", Domain.FLAGS),
    _binary(BitwiseXor, None, "x ^ y", Domain.FLAGS),
    _Row(LogicalNot, None, "1 - x", domain=Domain.FLAGS),
    _Row(BitwiseNot, None, "1 - x", domain=Domain.FLAGS),
    _binary(Equal, None, "x == y", Domain.COMPARED),
    _binary(NotEqual, None, "x != y", Domain.COMPARED),
    _binary(Less, None, "x < y", Domain.COMPARED),
    _binary(LessEqual, None, "x <= y", Domain.COMPARED),
    _binary(Greater, None, "x > y", Domain.COMPARED),
    _binary(GreaterEqual, None, "x >= y", Domain.COMPARED),
    _Row(Convert, None, "x", domain=Domain.CONVERTED),
)  # fmt: skip


_BY_TYPE: dict[str, list[ElementwiseFunction]] = {}
for _function in FUNCTIONS:
    _BY_TYPE.setdefault(_function.definition.type, []).append(_function)


def function_of(operation: Operation) -> ElementwiseFunction | None:
    """Return the row of an operation; None for one without a row, and for an extension's."""
    rows = _BY_TYPE.get(operation.type, ()) if operation.is_built_in else ()
    return next((row for row in rows if row.applies(operation)), None)
