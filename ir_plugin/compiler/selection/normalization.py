"""Selects the kernels of softmax and the normalizations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.passes.rms_norm_fusion import RmsNorm
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, runs_along, split_epilogue
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Followed,
    Kernel,
    OnViews,
    Options,
    StaticKernel,
    ViewsOf,
    as_channels_last,
    movers,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.numpy import rows
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.normalization.group_normalization import GroupNormalization
from ir_plugin.operations.normalization.lrn import LRN
from ir_plugin.operations.normalization.mvn import MVN, MVN2
from ir_plugin.tensors import Array

RowKernelFactory: TypeAlias = "Callable[[SplitEpilogue, ThreadPool], rows.RowKernel]"
"""Makes the kernel for fused stages and threads."""

NormalizationFactory: TypeAlias = "Callable[[tuple[float, bool, bool, bool], Array, Array, ThreadPool], rows.RowKernel]"
"""What `keys.NORMALIZATION` is the key of."""


@selects(Softmax)
def select_softmax(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a softmax along the axis that is last in memory."""
    data = op.inputs[0] if op.inputs else None
    if data is None or not _is_real(data):
        return None
    axis = attributes(op, Softmax).axis % len(data.shape or ())
    kernel = options.kernels.find(keys.SOFTMAX_ROWS) if data.element_type.name == "f32" else None
    make, variant = kernel or rows.softmax, "softmax, numba" if kernel else "softmax"
    return _by_rows(op, options, data, axis, lambda _split, pool: make(pool), variant)


@selects(MVN, RmsNorm)
def select_mvn(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a normalization over the last axes, or over the channels of channels-last memory."""
    data = op.inputs[0] if op.inputs else None
    centred, operation = op.is_a(MVN), op.operation
    if data is None or not _is_real(data) or not isinstance(operation, (MVN, MVN2)):
        return None
    rank = len(data.shape or ())
    axes = mvn_axes(op, operation, rank)
    if not axes or axes != list(range(axes[0], axes[0] + len(axes))):
        return None
    inside = isinstance(operation, MVN2) or operation.eps_mode.lower() == "inside_sqrt"
    eps, variance = operation.eps, operation.normalize_variance
    is_last = axes[-1] == rank - 1
    if not is_last and not (axes == [1] and data.channels_last):
        return None
    width = prod((data.shape or ())[axis] for axis in axes)
    kernel = options.kernels.find(keys.NORMALIZATION) if data.element_type.name == "f32" else None
    if kernel is not None:
        return _normalized(op, options, kernel, axes[-1], width, (eps, inside, variance, centred))

    def make_kernel(split: SplitEpilogue, pool: ThreadPool) -> rows.RowKernel:
        if not centred:
            return rows.root_mean(width, eps, split.rows, pool)
        return rows.normalized(width, eps, inside, variance, split.rows, pool)

    return _by_rows(op, options, data, axes[-1], make_kernel, "rows", width)


def _normalized(
    op: Op, options: Options, kernel: NormalizationFactory, axis: int, width: int, how: tuple[float, bool, bool, bool]
) -> Kernel | None:
    """Return the compiled normalization, with a product and a sum a column in the same pass."""
    data, epilogue = op.inputs[0], list(op.epilogue)
    if data is None or not data.shape:
        return None
    scale, offset = absorbed(epilogue, data.shape, axis, width)
    count = prod(data.shape) // width

    def make_kernel(split: SplitEpilogue, pool: ThreadPool) -> rows.RowKernel:
        chain = options.kernels.build(keys.CHAIN, count, width, split.stages, pool) if split.stages else None
        return Followed(kernel(how, scale, offset, pool), chain, split.rows)

    rest = Op(op.operation, op.inputs, op.outputs, op.nodes, epilogue)
    return _by_rows(rest, options, data, axis, make_kernel, "rows, numba", width)


def absorbed(epilogue: list[EpilogueOp], shape: tuple[int, ...], axis: int, width: int) -> tuple[Array, Array]:
    """Remove a leading Multiply and Add by constants a column from an epilogue; return the factors and the addends."""
    vectors = np.ones(width, np.float32), np.zeros(width, np.float32)
    for vector, definition in zip(vectors, (Multiply, Add), strict=True):
        operand = epilogue[0].operand if epilogue and epilogue[0].operation.is_a(definition) else None
        constant = None if operand is None or width != shape[axis] else operand.constant
        if constant is not None and constant.size in (1, width) and runs_along(constant.shape, shape, axis):
            vector[:] = constant.reshape(-1)
            epilogue.pop(0)
    return vectors


def mvn_axes(op: Op, operation: MVN | MVN2, rank: int) -> list[int]:
    """Return the axes that a normalization runs over; none where they are known only in the run."""
    if isinstance(operation, MVN2):
        values = list(operation.reduction_axes) or list(range(1 if operation.across_channels else 2, rank))
    else:
        axes = op.inputs[1]
        values = [] if axes is None or axes.constant is None else axes.constant.reshape(-1).tolist()
    return sorted({int(axis) % rank for axis in values})


@selects(LRN)
def select_lrn(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a local response normalization across channels."""
    data = op.inputs[0] if op.inputs else None
    axes = op.inputs[1] if len(op.inputs) > 1 else None
    if data is None or not _is_real(data) or axes is None or axes.constant is None:
        return None
    if axes.constant.reshape(-1).tolist() != [1] or len(data.shape or ()) < 2:
        return None
    lrn = attributes(op, LRN)
    alpha, reach = lrn.alpha / lrn.size, min(lrn.reach, (data.shape or ())[1] - 1)

    shape, usual = data.shape or (), data.element_type.name == "f32"
    factors = (alpha, lrn.beta, lrn.bias)

    def make_kernel(split: SplitEpilogue, pool: ThreadPool) -> rows.RowKernel:
        count, width = prod(shape) // shape[1], shape[1]
        spin = options.kernels.build(keys.LRN, count, width, factors, reach, split.stages, pool) if usual else None
        return spin or rows.response_normalized(*factors, reach, split.rows, pool)

    return _by_rows(op, options, data, 1, make_kernel, "channels", channels_last=True)


@selects(GroupNormalization)
def select_group_normalization(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a normalization of groups of channels, on memory with channels last.

    Where each channel lies together, NumPy's evaluation takes less time than two copies to another order.
    """
    data = op.inputs[0] if op.inputs else None
    if data is None or not _is_real(data) or not data.channels_last:
        return None
    constants = [None if value is None else value.constant for value in op.inputs[1:]]
    if any(array is None or array.dtype != data.dtype for array in constants):
        return None
    operation, (batch, width, *lengths) = attributes(op, GroupNormalization), data.shape or ()
    scale, offset = (np.array(array, order="C") for array in constants)
    factors = operation.num_groups, operation.epsilon, scale, offset
    is_single = data.element_type.name == "f32"

    def make_kernel(split: SplitEpilogue, pool: ThreadPool) -> rows.RowKernel:
        build, count = options.kernels.build, batch * prod(lengths)
        job = build(keys.GROUP_NORMALIZATION, batch, count, factors, split.stages, pool) if is_single else None
        return job or rows.group_normalized(batch, factors, split.rows)

    name = "groups, numba" if is_single and options.has_spin_pool else "groups"
    return _by_rows(op, options, data, 1, make_kernel, name, width, channels_last=True)


def _is_real(value: Value) -> bool:
    return value.element_type.name in ("f32", "f64") and bool(value.shape) and 0 not in (value.shape or ())


def _by_rows(
    op: Op,
    options: Options,
    data: Value,
    axis: int,
    make_kernel: RowKernelFactory,
    name: str,
    width: int = 0,
    channels_last: bool = False,
) -> Kernel | None:
    """Return the kernel on rows along an axis that is last in memory; `channels_last` stores the data that way."""
    shape = data.shape or ()
    rank = len(shape)
    last = channels_last or (axis == 1 and data.channels_last and rank > 2)
    if not last and axis != rank - 1:
        return None
    width = width or shape[axis]
    split = split_epilogue(op.epilogue, shape, axis, options) if width == shape[axis] else _unfused(op.epilogue)
    views = _row_views(width, last, len(split.row_values))

    def make(pool: ThreadPool) -> Execute:
        kernel = OnViews(make_kernel(split, pool), views, movers(options, pool))
        return with_unfused(kernel, split, op, options, pool)

    values, in_place = [data, *split.row_values, *split.unfused_values], None if "numba" in name else 0
    spins = "numba" in name and options.has_spin_pool
    return StaticKernel(values, make, channels_last=last, in_place=in_place, variant=name, uses_spin_pool=spins)


def _unfused(epilogue: Sequence[EpilogueOp]) -> SplitEpilogue:
    """Return an epilogue of which all ops are applied to the whole output."""
    values = [item.operand for item in epilogue if item.operand is not None]
    return SplitEpilogue(None, unfused=list(epilogue), unfused_values=values)


def _row_views(width: int, last: bool, count: int) -> ViewsOf:
    """Return a function that views data, output and `count` operands as rows of `width` elements."""

    def as_rows(array: Array) -> Array:
        return (as_channels_last(array) if last else array).reshape(-1, width)

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        return as_rows(inputs[0]), as_rows(outputs[0]), [as_rows(array) for array in inputs[1 : 1 + count]]

    return views
