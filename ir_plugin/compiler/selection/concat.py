"""Concatenation into a given buffer, in the layout of its inputs.

Inputs that are contiguous in the output are written there by their producers (`compiler.memory.aliasing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    Options,
    StaticKernel,
    as_channels_last,
    cached_views,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, jobs_of
from ir_plugin.kernels.keys import Copies
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.tensors import Array


@selects(Concat)
def select_concat(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a Concat, which copies each input that its producer does not write in place."""
    if not op.outputs[0].shape or op.outputs[0].dtype == object:
        return None
    inputs = [value for value in op.inputs if value is not None and value.shape is not None]
    if len(inputs) != len(op.inputs):
        return None
    axis = attributes(op, Concat).axis % len(op.outputs[0].shape)
    last = any(value.channels_last for value in inputs)
    shapes = [_stored(value.shape or (), last) for value in inputs]
    at = (len(shapes[0]) - 1 if axis == 1 else axis - (axis > 1)) if last else axis
    rows, size = prod(shapes[0][:at]), op.outputs[0].dtype.itemsize
    widths = [prod(shape[at:]) * size for shape in shapes]
    ends = accumulate(((value.shape or ())[axis] for value in inputs), initial=0)
    slices = [(*(slice(None),) * axis, slice(*pair)) for pair in pairwise(ends)]

    def make(pool: ThreadPool) -> Execute:
        copied = [position for position in range(len(inputs)) if position not in op.aliased_inputs]

        def execute(arrays: Sequence[Array], outputs: Sequence[Array]) -> None:
            for position in copied:
                outputs[0][slices[position]] = arrays[position]

        copies = options.kernels.build(keys.CONCAT, rows, widths, pool) if rows > 1 or not op.aliased_inputs else None
        return execute if copies is None else _BySpinPool(copies, execute, last)

    pieces = tuple(accumulate(widths[:-1], initial=0)) if rows == 1 else ()
    return StaticKernel(inputs, make, channels_last=last, variant="copies", pieces=pieces)


def _stored(shape: tuple[int, ...], last: bool) -> tuple[int, ...]:
    return (shape[0], *shape[2:], shape[1]) if last else shape


class _BySpinPool:
    """Compiled copies, and what does them where an array is not in C order."""

    def __init__(self, copies: Copies, otherwise: Execute, last: bool) -> None:
        self._copies, self._otherwise = copies, otherwise
        self._find = cached_views(
            lambda inputs, outputs: tuple(as_channels_last(array) if last else array for array in (*inputs, *outputs))
        )

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        if not self._copies(self._find(inputs, outputs)):
            self._otherwise(inputs, outputs)

    def jobs(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs, or None where an array is not in C order."""
        return jobs_of(self._copies, self._find(inputs, outputs))
