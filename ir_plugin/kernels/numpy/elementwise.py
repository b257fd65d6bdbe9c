"""NumPy's loops of the table of elementwise functions: in place, on blocks of f32 or f64 that fit a cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.kernels.elementwise_functions import FUNCTIONS, LIMITED, Domain, function_of
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.operations.elementwise import Binary
from ir_plugin.tensors import Array

InPlace: TypeAlias = "Callable[[Array], None]"
"""Applies a function to an array in place."""
Combine: TypeAlias = "Callable[..., Any]"
"""Fills its keyword argument `out` from two operands, of which the first may be the same array."""

ELEMENTWISE: tuple[OperationClass, ...] = tuple(
    {function.definition: None for function in FUNCTIONS if function.numpy is not None}
)
"""Operations that have a function in place."""


def can_follow(operation: Operation, inputs: int, dtype: np.dtype[np.generic]) -> bool:
    """Return whether an operation can be applied in place to arrays of a dtype (f32 or f64)."""
    function = function_of(operation)
    if function is None or function.numpy is None or function.operands != inputs:
        return False
    if (Domain.SINGLE if dtype == np.float32 else Domain.DOUBLE) not in function.domain:
        return False
    return not isinstance(operation, Binary) or operation.auto_broadcast == "numpy"


def binary(operation: Operation, operand_first: bool = False) -> Combine:
    """Return the function that fills its argument `out` with an elementwise operation of data and an operand.

    With `operand_first` the operand stands before the data.
    """
    function = function_of(operation)
    if function is None or function.numpy is None or function.operands != 2:
        raise KeyError(operation.type)
    compute = function.numpy
    return (lambda data, operand, out: compute(operand, data, out=out)) if operand_first else compute


def unary(operation: Operation) -> InPlace | None:
    """Return the function that applies a unary operation in place; None where there is none."""
    function = function_of(operation)
    if function is None or function.numpy is None or function.operands != 1:
        return None
    compute, numbers = function.numpy, tuple(function.numbers(operation))

    def apply(x: Array) -> None:
        compute(x, *numbers)

    def apply_ufunc(x: Array) -> None:
        compute(x, out=x)

    return apply_ufunc if isinstance(compute, np.ufunc) else apply


def limits_of(operation: Operation) -> tuple[float, float] | None:
    """Return the numbers that an operation limits others to, if that is all that it does."""
    function = function_of(operation)
    if function is None or function.scalar != LIMITED:
        return None
    low, high = function.numbers(operation)
    return low, high
