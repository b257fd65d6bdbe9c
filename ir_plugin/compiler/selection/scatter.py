"""Scatters by flat positions and by slices, in the memory of their data if it ends.

What an index out of range means is left to the plain evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import (
    Execute,
    FallbackRequired,
    Kernel,
    Options,
    StaticKernel,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numpy import scatter as kernels
from ir_plugin.kernels.numpy.scatter import Writing
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.scatter_elements_update import ScatterElementsUpdate
from ir_plugin.operations.movement.scatter_nd_update import ScatterNDUpdate
from ir_plugin.operations.movement.scatter_update import ScatterUpdate
from ir_plugin.operations.movement.slice import slices
from ir_plugin.operations.movement.slice_scatter import SliceScatter
from ir_plugin.operations.table import OperationTable
from ir_plugin.tensors import Array

MakeKernel: TypeAlias = "Callable[[ThreadPool], Writing]"


@selects(ScatterElementsUpdate, ScatterUpdate, ScatterNDUpdate)
def select_scatter(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a scatter of arrays without objects, whose indices fit the data in all other axes."""
    if op.epilogue or None in op.inputs:
        return None
    values = [value for value in op.inputs if value is not None]
    data, updates = values[0], values[2]
    if (
        min(prod(value.shape or ()) for value in values) == 0
        or prod(data.shape or ()) < policy.INDEXING_FLAT_MIN_ELEMENTS
    ):
        return None
    if data.dtype.hasobject or updates.dtype != data.dtype:
        return None
    selected = _SELECTORS[op.operation](op, values, options)
    if selected is None:
        return None
    make_kernel, form = selected

    def make(pool: ThreadPool) -> Execute:
        kernel = make_kernel(pool)

        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            if not kernel(inputs[0], inputs[1], inputs[2], outputs[0]):
                raise FallbackRequired

        return execute

    return StaticKernel(values, make, in_place=0, variant=form)


@selects(SliceScatter)
def select_slice_scatter(op: Op, _options: Options) -> Kernel | None:
    """Return the kernel of a SliceScatter with constant slices, which copies the data unless it may write to them."""
    values = [value for value in op.inputs if value is not None]
    if op.epilogue or values[0].shape is None:
        return None
    if values[0].dtype.hasobject or values[1].dtype != values[0].dtype:
        return None
    bounds = [value.constant for value in values[2:] if value.constant is not None]
    if len(bounds) != len(values) - 2:
        return None
    start, stop, step, *axes = bounds
    region = slices(values[0].shape, start, stop, step, axes[0] if axes else None)

    def make(_pool: ThreadPool) -> Execute:
        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            kernels.begin(inputs[0], outputs[0])
            outputs[0][region] = inputs[1]

        return execute

    return StaticKernel(values[:2], make, in_place=0, variant="slices")


def _axis(values: list[Value]) -> int | None:
    """Return the axis, counted from the front, or None where it is not constant."""
    constant = values[3].constant
    return None if constant is None else int(constant.reshape(-1)[0]) % len(values[0].shape or ())


def _elements(op: Op, values: list[Value], options: Options) -> tuple[MakeKernel, str] | None:
    data, indices, axis = values[0].shape or (), values[1].shape or (), _axis(values)
    if axis is None or data[:axis] != indices[:axis] or data[axis + 1 :] != indices[axis + 1 :]:
        return None
    compiled = _compiled(op, values, (data, indices, axis, True), options)
    if compiled is not None:
        return compiled, "flat, numba"
    if attributes(op, ScatterElementsUpdate).reduction != "none":
        return None
    return lambda pool: kernels.scatter_elements(data, indices, axis, True, pool), "flat"


_Arguments: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], int, bool]"
"""The shapes of data and indices, the axis, and whether negative indices count from the end."""


def _compiled(op: Op, values: list[Value], arguments: _Arguments, options: Options) -> MakeKernel | None:
    """Return the function that makes the compiled kernel of ScatterElementsUpdate, or None where it does not pay."""
    operation = attributes(op, ScatterElementsUpdate)
    reduction = operation.reduction
    index, element = values[1].dtype.str, values[0].dtype.str[1:]
    if index not in ("<i4", "<i8") or prod(values[1].shape or ()) < policy.COMPILED_MIN_ELEMENTS or reduction == "mean":
        return None
    if reduction == "none":
        if values[0].dtype.itemsize not in keys.MACHINE_WORDS:
            return None
        element = f"u{values[0].dtype.itemsize}"
    elif element not in keys.REDUCED_TYPES or not operation.use_init_val:
        return None
    data, indices, axis, wrap = arguments
    return options.kernels.build(keys.SCATTER_ELEMENTS, element, index[1:], reduction, data, indices, axis, wrap)


def _slices(_call: Op, values: list[Value], _options: Options) -> tuple[MakeKernel, str] | None:
    data, indices, axis = values[0].shape or (), values[1].shape or (), _axis(values)
    if axis is None:
        return None
    return lambda pool: kernels.scatter_slices(data, indices, axis, False, pool), "flat"


def _tuples(op: Op, values: list[Value], options: Options) -> tuple[MakeKernel, str] | None:
    data, indices = values[0].shape or (), values[1].shape or ()
    compiled = _compiled_tuples(op, values, options)
    if compiled is not None:
        return compiled, "flat, numba"
    if attributes(op, ScatterNDUpdate).reduction != "none":
        return None
    return lambda pool: kernels.scatter_tuples(data, indices, True, pool), "flat"


def _compiled_tuples(op: Op, values: list[Value], options: Options) -> MakeKernel | None:
    """Return the function that makes the compiled kernel of ScatterNDUpdate, or None where NumPy copies slices."""
    reduction = attributes(op, ScatterNDUpdate).reduction
    data, indices = values[0].shape or (), values[1].shape or ()
    index, element, single = values[1].dtype.str, values[0].dtype.str[1:], prod(data[indices[-1] :]) == 1
    if index not in ("<i4", "<i8") or prod(values[2].shape or ()) < policy.COMPILED_MIN_ELEMENTS:
        return None
    if not single if reduction == "none" else element not in keys.REDUCED_TYPES:
        return None
    if reduction == "none":
        if values[0].dtype.itemsize not in keys.MACHINE_WORDS:
            return None
        element = f"u{values[0].dtype.itemsize}"
    return options.kernels.build(keys.SCATTER_TUPLES, single, element, index[1:], reduction, data, indices, True)


_SELECTORS: OperationTable[Callable[[Op, list[Value], Options], tuple[MakeKernel, str] | None]] = OperationTable(
    {
        ScatterElementsUpdate: _elements,
        ScatterUpdate: _slices,
        ScatterNDUpdate: _tuples,
    }
)
