"""Operations whose outputs are views of their input, and copies where strides allow no view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    OnArrays,
    Options,
    StaticKernel,
    ViewKernel,
    mover,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.split import Split
from ir_plugin.operations.movement.strided_slice import StridedSlice
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.movement.variadic_split import VariadicSplit
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.tensors import Array

_View: TypeAlias = "Callable[[Array], tuple[Array, ...]]"

_PARTS = (Transpose, Split, VariadicSplit, Slice, StridedSlice)
_SHAPES = (Reshape, Squeeze, Unsqueeze)


@selects(*_PARTS, *_SHAPES, Gather, first=True)
def select_view(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an operation whose outputs are views of its data, and whose other inputs are constant."""
    data = op.inputs[0] if op.inputs else None
    if data is None:
        return None
    if data.shape is None or data.constant is not None:
        return None
    constants = [None if value is None else value.constant for value in op.inputs[1:]]
    unknown = any(array is None and value is not None for array, value in zip(constants, op.inputs[1:], strict=True))
    if unknown or op.epilogue or any(0 in (value.shape or (0,)) for value in (data, *op.outputs) if value.shape != ()):
        return None
    if op.is_a(*_SHAPES):
        return _reshaped(op, data, options)
    if op.is_a(Gather):
        return _selected(op, data)
    operation = op.operation

    def view(array: Array) -> tuple[Array, ...]:
        result = operation.evaluate(array, *constants)
        return result if isinstance(result, tuple) else (result,)

    return _as_views(op, data, view)


def sketch(value: Value) -> Array | None:
    """Return an array with the shape and strides of a value; its elements must not be read."""
    if value.strides is None or value.shape is None:
        return None
    return as_strided(np.empty(1, value.dtype), value.shape, value.strides, writeable=False)


def _as_views(op: Op, data: Value, view: _View) -> Kernel | None:
    """Return the kernel that returns views; record the views' strides if the strides of the data are known."""
    if data.dtype == object or (op.is_a(StridedSlice) and not _is_plain_slice(op)):
        return None
    like = sketch(data)
    if like is not None:
        for value, array in zip(op.outputs, view(like), strict=True):
            value.strides = array.strides
    return ViewKernel([data], view, variant="view")


def _selected(op: Op, data: Value) -> Kernel | None:
    """Return the kernel of a Gather with a single index in range: a view of the data."""
    _, indices, axis = (None if value is None else value.constant for value in op.inputs)
    shape = data.shape or ()
    if indices is None or axis is None or attributes(op, Gather).batch_dims:
        return None
    if indices.size != 1 or indices.ndim > 1:
        return None
    position, index = int(axis.reshape(-1)[0]) % len(shape), int(indices.reshape(-1)[0])
    if not 0 <= index < shape[position]:
        return None
    selection = (*(slice(None),) * position, index if indices.ndim == 0 else slice(index, index + 1), ...)
    return _as_views(op, data, lambda array: (array[selection],))


def _is_plain_slice(op: Op) -> bool:
    """Return whether a StridedSlice keeps all axes of its data, without an ellipsis."""
    strided = attributes(op, StridedSlice)
    return not any((*strided.new_axis_mask, *strided.shrink_axis_mask, *strided.ellipsis_mask))


def _reshaped(op: Op, data: Value, options: Options) -> Kernel | None:
    """Return a view where the strides allow one, else a copy that keeps channels last where these dimensions stay."""
    shape = op.outputs[0].shape or ()
    like = sketch(data)
    if like is not None:
        try:
            strides = np.reshape(like, shape, copy=False).strides
        except ValueError:
            return _copied(data, shape, options)
        op.outputs[0].strides = strides
    return ViewKernel([data], lambda array: (array.reshape(shape),), variant="view")


def _copied(data: Value, shape: tuple[int, ...], options: Options) -> Kernel:
    """Return the copy, with channels last where the dimensions that become channels are inside the others.

    So stay ShuffleNet's Reshapes, which join groups with channels, and those that join windows of an image.
    """
    before = data.shape or ()
    groups = _joined(before, shape)
    last = len(shape) > 2 and groups is not None and _is_inside(data, groups[1])

    if groups is None or not last:
        return StaticKernel(
            [data], lambda pool: _moves(options, lambda output: output.reshape(before), pool), variant="copy"
        )
    stored = [axis for group in (groups[0], *groups[2:], groups[1]) for axis in group]
    order = np.argsort(stored)

    def apart(output: Array) -> Array:
        turned: Array = np.moveaxis(output, 1, -1).reshape([before[axis] for axis in stored]).transpose(order)
        return turned

    return StaticKernel([data], lambda pool: _moves(options, apart, pool), channels_last=True, variant="copy")


def _moves(options: Options, apart: Callable[[Array], Array], pool: ThreadPool) -> Execute:
    """Return the copy of the input to the memory of the output, of which `apart` shows it as an array of its shape."""
    return OnArrays(lambda inputs, outputs: mover(options, inputs[0], apart(outputs[0]), pool))


def _joined(before: tuple[int, ...], shape: tuple[int, ...]) -> list[list[int]] | None:
    """Return which dimensions become one, for each of a shape, or None where one does not consist of whole ones."""
    groups: list[list[int]] = []
    axis = 0
    for length in shape:
        group: list[int] = []
        while prod(before[index] for index in group) < length and axis < len(before):
            group.append(axis)
            axis += 1
        if prod(before[index] for index in group) != length:
            return None
        groups.append(group)
    groups[-1] += range(axis, len(before))
    return groups if all(before[index] == 1 for index in range(axis, len(before))) else None


def _is_inside(data: Value, axes: Sequence[int]) -> bool:
    """Return whether some dimensions of a value lie inside all others."""
    lengths, strides = data.shape or (), data.strides or ()
    long = [axis for axis, length in enumerate(lengths) if length > 1]
    inside = [strides[axis] for axis in long if axis in axes]
    return bool(inside) and max(inside) < min((strides[axis] for axis in long if axis not in axes), default=0)
