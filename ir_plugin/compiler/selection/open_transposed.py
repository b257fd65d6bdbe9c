"""Transposed convolutions whose lengths only a run decides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, split_for_jobs
from ir_plugin.compiler.selection.kernel import Allocate, Options
from ir_plugin.compiler.selection.open_convolution import (
    ForData,
    KernelForShape,
    ResizedKernels,
    Shape,
    has_open_operands,
    open_epilogue,
)
from ir_plugin.compiler.selection.transposed_convolution import evaluated, is_mostly_gaps, spread_for
from ir_plugin.compiler.selection.transposed_phases import PhasesAsChannels, has_phases_as_channels
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData
from ir_plugin.tensors import Array


def open_transposed_convolution(op: Op, options: Options, pool: ThreadPool) -> ForData | None:
    """Return a function that finds a transposed convolution's kernel for a shape of the data, or None for other ops.

    The phases must be channels of a convolution, and no input may give the output's lengths.
    """
    operation, weights = op.operation, _weights(op)
    if not isinstance(operation, ConvolutionBackpropData) or weights is None:
        return None
    rank, groups, channels, outputs = weights.ndim - 1, *weights.shape[:3]
    spread = spread_for(operation, (1, channels * groups, *(64,) * (rank - 2)), weights)
    if not has_phases_as_channels(spread):
        return None
    like = (1, groups * outputs, *(1,) * (rank - 2))
    split = split_for_jobs(open_epilogue(op, like), like, 1, options)
    filters_of_lines = weights if rank == 4 else weights[..., None, :]
    phases = PhasesAsChannels(spread, filters_of_lines, split, options)
    make = phases.make(evaluated(spread, filters_of_lines, split))
    if make is None or not has_open_operands(split, like):
        return None
    bound = _resized_kernels(make, split, pool)

    def select(shape: Shape, allocate: Allocate) -> KernelForShape | None:
        sizes = spread_for(operation, shape, weights)
        output = (shape[0], like[1], *sizes.output[4 - rank :])
        if min(output) < 1 or is_mostly_gaps(sizes):
            return None
        allocate(output)  # refuses what exceeds the memory limit, before tables for it are computed
        return bound.kernel(phases.geometry(sizes), output)

    return select


def _weights(op: Op) -> Array | None:
    """Return the finite constant weights [G, C, O, …] of a transposed convolution of f32 over one or two axes."""
    operation, (data, filters) = op.operation, (*op.inputs, None, None)[:2]
    if not isinstance(operation, ConvolutionBackpropData) or len(op.inputs) != 2:
        return None
    if data is None or filters is None or filters.constant is None or data.element_type.name != "f32":
        return None
    weights = filters.constant if operation.grouped else filters.constant[None]
    rank = rank_of(data) or 0
    if rank not in (3, 4) or weights.ndim != rank + 1 or weights.size == 0 or not np.isfinite(weights).all():
        return None
    return weights if static_length(data, 1) == weights.shape[0] * weights.shape[1] else None


def _resized_kernels(
    make: Callable[[Geometry], Callable[[ThreadPool], Run]], split: SplitEpilogue, pool: ThreadPool
) -> ResizedKernels:
    """Return the kernels of a request, which are all of one variant."""
    name = "phases, numba"
    return ResizedKernels(lambda geometry: (name, make(geometry), True), lambda _geometry: name, split, pool)
