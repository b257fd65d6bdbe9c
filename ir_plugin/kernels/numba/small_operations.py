"""Masks and indices: operations of booleans, i32 and i64 with operands that broadcast, as a job of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.elementwise_functions import Domain, function_of
from ir_plugin.kernels.numba.broadcast import AXIS, addresses_of_line
from ir_plugin.kernels.numba.elementwise_loops import functions, generate
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.fixed_job import FixedJob
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array

_SMALL = Domain.WHOLE | Domain.FLAGS | Domain.COMPARED | Domain.CONVERTED
_SCALARS = [*functions(1, _SMALL), *functions(2, _SMALL)]
"""The expressions of booleans and whole numbers; the code of one is its position."""

_TYPES = {np.dtype(np.bool_): 0, np.dtype(np.int32): 1, np.dtype(np.int64): 2}
"""The codes of the types of elements."""

SMALL = struct(
    "left right output left_type right_type output_type code axes axis_count count length left_step right_step"
)
"""The innermost axis has a length and steps in bytes; `axes` is a table of the others, which have `count` positions,
outermost last. The output is in C order. An operation of one operand has it twice."""


@register_jitable
def _integer(element: int, type: int) -> Any:
    """Return the element at an address."""
    if type == 0:
        return np.int64(carray(pointer(element), (1,), np.uint8)[0])
    if type == 1:
        return np.int64(carray(pointer(element), (1,), np.int32)[0])
    return carray(pointer(element), (1,), np.int64)[0]


_result = register_jitable(generate("result(code, x, y)", [f"return np.int64({scalar})" for scalar in _SCALARS]))


@register_jitable
def _fill(a: Any, left: int, right: int, start: int) -> None:
    """Compute a line of the output, the first element of which has a number."""
    length = a.length
    flags = carray(pointer(a.output + start), (length,), np.uint8)
    short = carray(pointer(a.output + 4 * start), (length,), np.int32)
    long = carray(pointer(a.output + 8 * start), (length,), np.int64)
    for position in range(length):
        first = _integer(left + position * a.left_step, a.left_type)
        number = _result(a.code, first, _integer(right + position * a.right_step, a.right_type))
        if a.output_type == 0:
            flags[position] = np.uint8(number != 0)
        elif a.output_type == 1:
            short[position] = np.int32(number)
        else:
            long[position] = number


@job
def _combine(address: int, _part: int) -> None:
    """Compute all lines of the output."""
    a = arguments_at(address, SMALL)
    axes = carray(pointer(a.axes), (a.axis_count,), AXIS)
    for number in range(a.count):
        left, right = addresses_of_line(axes, number, a.left, a.right)
        _fill(a, left, right, number * a.length)


class SmallOperation(FixedJob):
    """An operation whose operands broadcast to the output; all keep their memory from call to call."""

    def __init__(self, code: int, operands: Sequence[Array], output: Array, spin_pool: SpinPool) -> None:
        left, right = (np.broadcast_to(array, output.shape) for array in (operands[0], operands[-1]))
        axes = list(zip(output.shape, left.strides, right.strides, strict=True))[::-1] or [(1, 0, 0)]
        table = np.array(axes[1:], AXIS)
        length, left_step, right_step = axes[0]
        arguments = filled(
            SMALL, left=address_of(left), right=address_of(right), output=address_of(output), code=code,
            left_type=_TYPES[left.dtype], right_type=_TYPES[right.dtype], output_type=_TYPES[output.dtype],
            axes=address_of(table), axis_count=len(table), count=output.size // length, length=length,
            left_step=left_step, right_step=right_step,
        )  # fmt: skip
        super().__init__(_combine.address, arguments, 1, (table, *operands, output), spin_pool)


@register_job(keys.SMALL_OPERATION)
def small_operation(
    operation: Operation, operands: Sequence[Array], output: Array, spin_pool: SpinPool
) -> SmallOperation | None:
    """Return an operation on arrays; None for other operations, types or layouts."""
    code = _code(operation, operands, output)
    if code is None or not output.size or not output.flags.c_contiguous:
        return None
    if any(array.dtype not in _TYPES or not array.flags.aligned for array in (*operands, output)):
        return None
    return SmallOperation(code, operands, output, spin_pool)


def _code(operation: Operation, operands: Sequence[Array], output: Array) -> int | None:
    """Return the code of an operation on operands of these types."""
    function = function_of(operation)
    if function is None or function.scalar not in _SCALARS or not _is_in(function.domain, operands, output):
        return None
    return _SCALARS.index(function.scalar)


def _is_in(domain: Domain, operands: Sequence[Array], output: Array) -> bool:
    """Return whether a function with a domain has a loop for these types."""
    kinds = {array.dtype.kind for array in operands}
    if Domain.FLAGS in domain:
        return kinds == {"b"} and output.dtype == np.bool_
    if Domain.WHOLE in domain:
        return kinds == {"i"} and {array.dtype for array in operands} == {output.dtype}
    return Domain.CONVERTED in domain or output.dtype == np.bool_
