"""Binary operations of f32 with operands that broadcast, as a job of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.elementwise_chain import CHUNK
from ir_plugin.kernels.numba.elementwise_loops import BINARY, broadcast_code, generate
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.fixed_job import FixedJob
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.registry import register_job
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array

AXIS = struct("length left_step right_step")
"""An axis of the output, and the bytes from one position to the next in either operand."""
BROADCAST = struct("left right output code parts axes axis_count count length left_step right_step")
"""The innermost axis has a length and steps; `axes` is a table of the others, with `count` positions, outermost last.
The output is in C order."""


_combine: Any = compiled(f"void(i8, {read_only(1)}, {read_only(1)}, f4[::1])")(
    generate(
        "combine(code, left, right, output)",
        [
            f"for i in range(output.shape[0]):\n    x = left[i]\n    y = right[i]\n    output[i] = {scalar}"
            for scalar in BINARY
        ],
    )
)


@register_jitable
def addresses_of_line(axes: Any, number: int, left: int, right: int) -> tuple[int, int]:
    """Return the addresses of the operands of a line of the output, by the axes outside of it and their first ones."""
    for axis in range(axes.shape[0]):
        position = number % axes[axis].length
        number //= axes[axis].length
        left += position * axes[axis].left_step
        right += position * axes[axis].right_step
    return left, right


@compiled("i8(i8, i8, i8, f4[::1])")
def _line(source: int, step: int, count: int, copied: Array) -> int:
    """Return the address of a line of neighbours: where it lies, or a copy of one whose elements lie apart."""
    if step == 4:
        return source
    numbers = carray(pointer(source), ((count - 1) * step // 4 + 1,), np.float32)
    if step == 0:
        copied[:] = numbers[0]
    else:
        for i in range(count):
            copied[i] = numbers[i * step // 4]
    address: int = copied.ctypes.data
    return address


@job
def _combine_lines(address: int, part: int) -> None:
    """Compute a part of the lines of the output."""
    a = arguments_at(address, BROADCAST)
    axes, length = carray(pointer(a.axes), (a.axis_count,), AXIS), a.length
    left_copy = np.empty(length if a.left_step != 4 else 1, np.float32)
    right_copy = np.empty(length if a.right_step != 4 else 1, np.float32)
    for number in range(bound(a.count, a.parts, part), bound(a.count, a.parts, part + 1)):
        left, right = addresses_of_line(axes, number, a.left, a.right)
        operand = carray(pointer(_line(left, a.left_step, length, left_copy)), (length,), np.float32)
        other = carray(pointer(_line(right, a.right_step, length, right_copy)), (length,), np.float32)
        output = carray(pointer(a.output + 4 * number * length), (length,), np.float32)
        _combine(a.code, operand, other, output)


class Broadcast(FixedJob):
    """An operation of two operands that broadcast to the output; all three keep their memory from call to call."""

    def __init__(self, code: int, operands: Sequence[Array], output: Array, spin_pool: SpinPool) -> None:
        steps = sorted(_axes(operands, output), key=lambda axis: axis[3])
        merged = _divided(_merged([axis[:3] for axis in steps]))
        table = np.array(merged[1:], AXIS)
        length, left_step, right_step = merged[0]
        parts = spin_pool.size if output.size >= policy.EPILOGUE_JOB_SHARED_MIN_ELEMENTS else 1
        arguments = filled(
            BROADCAST, left=address_of(operands[0]), right=address_of(operands[1]), output=address_of(output),
            code=code, parts=parts, axes=address_of(table), axis_count=len(table),
            count=output.size // length, length=length, left_step=left_step, right_step=right_step,
        )  # fmt: skip
        super().__init__(_combine_lines.address, arguments, parts, (table, *operands, output), spin_pool)


@register_job(keys.BROADCAST)
def broadcast(
    operation: Operation, exchanged: bool, left: Array, right: Array, output: Array, spin_pool: SpinPool
) -> Broadcast | None:
    """Return an operation, whose operands may be exchanged; None for other operations, types or steps."""
    arrays, code = (left, right, output), broadcast_code(operation)
    if code is None or any(array.dtype != np.float32 or not array.flags.aligned for array in arrays) or not output.size:
        return None
    operands = [np.broadcast_to(array, output.shape) for array in (left, right)]
    if any(step < 0 or step % 4 for array in (*operands, output) for step in array.strides) or not _is_dense(output):
        return None
    return Broadcast(code, operands[::-1] if exchanged else operands, output, spin_pool)


def _is_dense(output: Array) -> bool:
    """Return whether the elements of an array are neighbours in memory, in some order of its axes."""
    expected = 4
    for length, step in sorted(zip(output.shape, output.strides, strict=True), key=lambda axis: axis[1]):
        if length > 1:
            if step != expected:
                return False
            expected *= length
    return True


def _axes(operands: Sequence[Array], output: Array) -> list[tuple[int, int, int, int]]:
    """Return the length of each axis, and its steps in the operands and in the output."""
    left, right = operands
    axes = zip(output.shape, left.strides, right.strides, output.strides, strict=True)
    return [axis for axis in axes if axis[0] > 1]


def _merged(axes: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return axes, innermost first, with those joined that both operands pass in one step."""
    merged = [(1, 4, 4)] if not axes else [axes[0]]
    for length, left, right in axes[1:]:
        inner, left_step, right_step = merged[-1]
        if left == inner * left_step and right == inner * right_step:
            merged[-1] = (inner * length, left_step, right_step)
        else:
            merged.append((length, left, right))
    return merged


def _divided(axes: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return axes of which the innermost is divided where it is too long for the first-level cache, if it can be."""
    length, left, right = axes[0]
    divisor = next((count for count in range(CHUNK, CHUNK // 8, -1) if length % count == 0), length)
    if length <= CHUNK or divisor == length:
        return axes
    return [(divisor, left, right), (length // divisor, divisor * left, divisor * right), *axes[1:]]
