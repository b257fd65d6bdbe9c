"""Selects the compiled kernel of GridSample of f32."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import Execute, Kernel, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.image.grid_sample import GridSample
from ir_plugin.tensors import Array


@selects(GridSample)
def select_grid_sample(op: Op, options: Options) -> Kernel | None:
    """Return the compiled kernel of a GridSample of f32 with a grid of f32."""
    values = [value for value in op.inputs if value is not None]
    if len(values) != 2 or op.epilogue:
        return None
    if any(value.element_type.name != "f32" or 0 in (value.shape or ()) for value in values):
        return None
    if prod((values[0].shape or ())[2:]) >= 2**31:
        return None
    sample = options.kernels.find(keys.GRID_SAMPLE)
    if sample is None:
        return None
    sampling = attributes(op, GridSample)
    settings = sampling.mode, sampling.padding_mode, sampling.align_corners

    def make(pool: ThreadPool) -> Execute:
        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            sample(inputs[0], inputs[1], *settings, outputs[0], pool)

        return execute

    return StaticKernel(values, make, variant="taps, numba")
