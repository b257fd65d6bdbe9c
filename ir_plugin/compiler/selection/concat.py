"""Concatenation into a given buffer, in the layout of its inputs.

Inputs that lie in the output one behind the other are written there by what makes them (`compiler.memory.aliasing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Call
from ir_plugin.compiler.selection.kernel import Execute, Options, Prepared, kept
from ir_plugin.compiler.selection.spin_jobs import Copies, crewed_concat
from ir_plugin.kernels.thread_pool import Team
from ir_plugin.tensors import Array


def prepare_concat(call: Call, _options: Options) -> Prepared | None:
    """Return a concatenation that copies to its place each input that is not made there."""
    if call.type != "Concat" or not call.outputs[0].shape or call.outputs[0].dtype == object:
        return None
    inputs = [value for value in call.inputs if value is not None and value.shape is not None]
    if len(inputs) != len(call.inputs):
        return None
    axis = call.operation.__dict__["axis"] % len(call.outputs[0].shape)
    last = any(value.channels_last for value in inputs)
    shapes = [_stored(value.shape or (), last) for value in inputs]
    at = (len(shapes[0]) - 1 if axis == 1 else axis - (axis > 1)) if last else axis
    rows, size = prod(shapes[0][:at]), call.outputs[0].dtype.itemsize
    widths = [prod(shape[at:]) * size for shape in shapes]
    ends = accumulate(((value.shape or ())[axis] for value in inputs), initial=0)
    slices = [(*(slice(None),) * axis, slice(*pair)) for pair in pairwise(ends)]

    def make(team: Team) -> Execute:
        copied = [position for position in range(len(inputs)) if position not in call.placed]

        def execute(arrays: Sequence[Array], outputs: Sequence[Array]) -> None:
            for position in copied:
                outputs[0][slices[position]] = arrays[position]

        copies = crewed_concat(rows, widths, team) if rows > 1 else None
        return execute if copies is None else _by_crew(copies, execute, last)

    pieces = tuple(accumulate(widths[:-1], initial=0)) if rows == 1 else ()
    return Prepared(inputs, make, channels_last=last, form="copies", pieces=pieces)


def _stored(shape: tuple[int, ...], last: bool) -> tuple[int, ...]:
    return (shape[0], *shape[2:], shape[1]) if last else shape


def _by_crew(copies: Copies, otherwise: Execute, last: bool) -> Execute:
    find = kept(
        lambda inputs, outputs: tuple(np.moveaxis(array, 1, -1) if last else array for array in (*inputs, *outputs))
    )

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        arrays = find(inputs, outputs)
        if not copies(arrays):
            otherwise(inputs, outputs)

    return execute
