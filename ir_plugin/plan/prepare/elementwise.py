"""Elementwise operations into given buffers, in place where the input is not needed any more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.elementwise import binary, can_follow, unary
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared
from ir_plugin.plan.program import Call
from ir_plugin.tensors import Array


def prepare_elementwise(call: Call, _options: Options) -> Prepared | None:
    """Return an elementwise operation of floats, in the layout of its largest input."""
    output = call.outputs[0]
    inputs = [value for value in call.inputs if value is not None]
    if len(call.outputs) != 1 or not inputs or len(inputs) != len(call.inputs) or output.shape is None:
        return None
    if not can_follow(call.operation, len(inputs), output.dtype) or output.element_type.name not in ("f32", "f64"):
        return None
    if any(value.element_type is not output.element_type for value in inputs):
        return None
    large = [position for position, value in enumerate(inputs) if value.shape == output.shape]
    last = any(inputs[position].channels_last for position in large)
    in_place = next((position for position in large if inputs[position].constant is None), None)
    make = _unary(call) if len(inputs) == 1 else _binary(call)
    return Prepared(inputs, lambda _team: make, channels_last=last, in_place=in_place, form="in place")


def _unary(call: Call) -> Execute:
    function = unary(call.operation)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        if outputs[0] is not inputs[0]:
            np.copyto(outputs[0], inputs[0])
        if function is not None:
            function(outputs[0] if outputs[0].ndim else outputs[0][None])

    return execute


def _binary(call: Call) -> Execute:
    ufunc = binary(call.operation)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        ufunc(inputs[0], inputs[1], out=outputs[0])

    return execute
