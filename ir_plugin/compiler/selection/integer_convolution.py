"""Selects the kernel of a convolution of integers: one of floats that hold every sum exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.convolution import exact_form, geometry_of, is_mostly_pads, on_channels_last
from ir_plugin.compiler.selection.epilogue import SplitEpilogue
from ir_plugin.compiler.selection.kernel import Execute, Kernel, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.arithmetic.binary import Subtract
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.exact_products import float_type, largest
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array


@selects(Convolution, GroupConvolution)
def select_integer_convolution(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a convolution of i32 over one or two axes, if constant filters and data have few bits."""
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    if data is None or op.epilogue or not output.shape:
        return None
    filters, shape = op.inputs[1], data.shape or ()
    if filters is None or filters.constant is None or data.element_type.name != "i32" or len(shape) not in (3, 4):
        return None
    weights = filters.constant[..., None, :] if len(shape) == 3 else filters.constant
    geometry = geometry_of(attributes(op, Convolution).windows(len(shape) - 2), shape, weights, output.shape)
    bound = _largest_sum(weights) * _largest_number(data)
    dtype = float_type(bound)
    if dtype is None or bound > np.iinfo(np.int32).max or is_mostly_pads(geometry, output.shape):
        return None

    def make(pool: ThreadPool) -> Execute:
        (floats,) = options.weight_cache.derived(("floats", dtype), [weights], lambda: [weights.astype(dtype)])
        convolution = exact_form(geometry, floats)(pool)
        numbers = np.empty(geometry.data, dtype)
        sums = np.empty((shape[0], *geometry.output, geometry.channels), dtype)

        def run(data: Array, output: Array, _operands: Sequence[Array]) -> None:
            np.copyto(numbers, data, casting="unsafe")
            convolution(numbers, sums, ())
            np.copyto(output, sums, casting="unsafe")

        return on_channels_last(run, SplitEpilogue(None))

    return StaticKernel([data], make, channels_last=True, variant="exact floats")


def _largest_sum(weights: Array) -> int:
    """Return the largest sum of absolute values of the filter of one output channel."""
    sums = np.abs(weights.astype(np.int64)).sum((-3, -2, -1))
    return int(sums.max(initial=0))


def _largest_number(value: Value | None) -> int:
    """Return a bound on the absolute values of an integer: of its constant, its type, or what it is converted from."""
    if value is None:
        return 0
    if value.constant is not None:
        return largest(value.constant)
    if value.producer is not None and value.producer.is_a(Subtract):
        return sum(map(_largest_number, value.producer.inputs))
    source = value.producer.inputs[0] if value.producer is not None and value.producer.is_a(Convert) else None
    dtype = value.dtype if source is None or source.dtype.kind not in "iu" else source.dtype
    return -int(np.iinfo(dtype).min) or int(np.iinfo(dtype).max)
