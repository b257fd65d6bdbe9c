"""Pads written around what is copied to planned memory, in the layout of the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import Execute, Kernel, OnArrays, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.numpy.padding import filled, mirrored
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.pad import Pad
from ir_plugin.tensors import Array


@selects(Pad)
def select_pad(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a Pad with constant pads, which are not negative in modes other than constant."""
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    if data is None or not data.shape or not output.shape or op.epilogue:
        return None
    constants = [None if value is None else value.constant for value in op.inputs[1:]]
    if any(array is None and value is not None for array, value in zip(constants, op.inputs[1:], strict=True)):
        return None
    if data.dtype == object or 0 in (*data.shape, *output.shape) or constants[0] is None or constants[1] is None:
        return None
    begin, end = ([int(pad) for pad in array.reshape(-1)] for array in constants[:2] if array is not None)
    mode, value = attributes(op, Pad).pad_mode, np.zeros((), data.dtype)
    is_filled = mode == "constant"
    if not is_filled and min(*begin, *end) < 0:
        return None
    if is_filled and len(constants) > 2 and constants[2] is not None:
        value = constants[2].reshape(())
    run = filled(data.shape, begin, end, value) if is_filled else mirrored(data.shape, begin, end, mode)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        run(inputs[0], outputs[0])

    def make(pool: ThreadPool) -> Execute:
        def padding(inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None] | None:
            return options.kernels.build(keys.PADDING, inputs[0], outputs[0], begin, mode, value, pool)

        return OnArrays(padding, execute)

    spins = options.has_spin_pool
    return StaticKernel([data], make, channels_last=data.channels_last, variant="pads", uses_spin_pool=spins)
