"""Concatenation into a given buffer, in the layout of its inputs."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.kernels.team import Team
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared
from ir_plugin.plan.program import Call
from ir_plugin.tensors import Array


def prepare_concat(call: Call, _options: Options) -> Prepared | None:
    """Return a concatenation that copies each input to its place."""
    if call.type != "Concat" or not call.outputs[0].shape or call.outputs[0].dtype == object:
        return None
    inputs = [value for value in call.inputs if value is not None and value.shape is not None]
    if len(inputs) != len(call.inputs):
        return None
    axis = call.operation.__dict__["axis"] % len(call.outputs[0].shape)
    slices, start = [], 0
    for value in inputs:
        length = (value.shape or ())[axis]
        slices.append((*(slice(None),) * axis, slice(start, start + length)))
        start += length

    def execute(arrays: Sequence[Array], outputs: Sequence[Array]) -> None:
        for array, place in zip(arrays, slices, strict=True):
            outputs[0][place] = array

    def make(_team: Team) -> Execute:
        return execute

    last = any(value.channels_last for value in inputs)
    return Prepared(inputs, make, channels_last=last, form="copies")
