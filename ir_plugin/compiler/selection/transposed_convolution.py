"""Selects the kernel of a transposed convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.convolution import on_channels_last, pair
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, split_epilogue, split_for_jobs
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import Execute, Kernel, Options, StaticKernel, is_out_of_proportion
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.compiler.selection.transposed_phases import PhasesAsChannels, has_phases_as_channels
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numpy import transposed_convolution as forms
from ir_plugin.kernels.numpy.finite import ByFiniteness
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.kernels.thread_pool import split as shares
from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData
from ir_plugin.operations.convolution.group_convolution_backprop_data import GroupConvolutionBackpropData
from ir_plugin.operations.convolution.kernels import transposed
from ir_plugin.tensors import Array


@selects(ConvolutionBackpropData, GroupConvolutionBackpropData)
def select_transposed_convolution(op: Op, options: Options) -> Kernel | None:
    """Return the form of a transposed convolution over one or two axes with constant weights, in f32 or f64."""
    operands = spread_of(op)
    if operands is None:
        return None
    spread, weights = operands
    data, shape = op.inputs[0], op.outputs[0].shape
    if data is None or shape is None or is_mostly_gaps(spread):
        return None
    compiled = _by_jobs(op, spread, weights, options)
    if compiled is not None:
        return compiled
    split = split_epilogue(op.epilogue, shape, 1, options)
    alone = weights.shape[1] == weights.shape[2] == 1 and len(weights) > 1
    lines = options.kernels.find(keys.TRANSPOSED_DEPTHWISE) if alone and data.element_type.name == "f32" else None

    def run_of(pool: ThreadPool) -> forms.Run:
        if lines is not None:
            return _compiled(lines, spread, weights[:, 0, 0], split, pool)
        if alone:
            return forms.depthwise(spread, weights[:, 0, 0], split.rows, pool)
        run = forms.by_phases(spread, weights, split.rows, pool, options.weight_cache.derived)
        return ByFiniteness(run, evaluated(spread, weights, split))

    def make(pool: ThreadPool) -> Execute:
        return with_unfused(on_channels_last(run_of(pool), split), split, op, options, pool)

    form = "depthwise, numba" if lines is not None else "depthwise" if alone else "phases"
    return StaticKernel([data, *split.row_values, *split.unfused_values], make, channels_last=True, variant=form)


def _by_jobs(op: Op, spread: forms.Spread, weights: Array, options: Options) -> Kernel | None:
    """Return the form of phases as channels, where it has one."""
    shape, data = op.outputs[0].shape, op.inputs[0]
    if shape is None or data is None or data.element_type.name != "f32" or not has_phases_as_channels(spread):
        return None
    split = split_for_jobs(op.epilogue, shape, 1, options)
    phases = PhasesAsChannels(spread, weights, split, options)
    make_run = phases.make(evaluated(spread, weights, split))
    if make_run is None:
        return None
    compiled = make_run(phases.geometry(spread))

    def make(pool: ThreadPool) -> Execute:
        return with_unfused(on_channels_last(compiled(pool), split), split, op, options, pool)

    values = [data, *split.row_values, *split.unfused_values]
    return StaticKernel(values, make, channels_last=True, variant="phases, numba", uses_spin_pool=True)


def evaluated(spread: forms.Spread, weights: Array, stages: SplitEpilogue) -> forms.Run:
    """Return the plain evaluation for `weights` [G, C, O, kh, kw] and any lengths, with the stages that go by rows."""
    cropped = tuple(slice(start, None) for start in (0, 0, *spread.begin))

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        full = [begin + length for begin, length in zip(spread.begin, output.shape[1:3], strict=True)]
        result = transposed(np.moveaxis(data, -1, 1), weights, spread.strides, spread.dilations, full)
        output[...] = np.moveaxis(result[cropped], 1, -1)
        if stages.rows is not None:
            stages.rows(output.reshape(-1, spread.channels), 0, operands)

    return run


def is_mostly_gaps(spread: forms.Spread) -> bool:
    """Return whether the whole result would be many times as large as the output; evaluation has a limit for it."""
    axes = zip(spread.data[1:3], spread.kernel, spread.strides, spread.dilations, strict=True)
    whole = [length * stride + (size - 1) * dilation for length, size, stride, dilation in axes]
    return is_out_of_proportion(prod(whole), prod(spread.data[1:3]), prod(spread.output))


def _compiled(
    lines: Callable[[Array, Array, Array, Array, int, int], None],
    spread: forms.Spread,
    weights: Array,
    stages: SplitEpilogue,
    pool: ThreadPool,
) -> forms.Run:
    """Return the compiled form for `weights` [C, kh, kw]; threads share the output's lines."""
    packed = np.array(weights.transpose(1, 2, 0), order="C")
    steps = np.array([*spread.strides, *spread.dilations, *spread.begin], np.int64)
    height, width = spread.output
    work = spread.data[1] * spread.data[2] * weights.size
    parts = shares(height, pool.size if work >= policy.SHARED_MIN_MULTIPLICATIONS else 1)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        source = np.require(data, requirements=["C", "A"])

        def part(number: int) -> None:
            start, end = parts[number]
            for sample in range(len(output)):
                lines(source[sample], packed, output[sample], steps, start, end)
                if stages.rows is not None:
                    rows = output[sample, start:end].reshape(-1, spread.channels)
                    stages.rows(rows, (sample * height + start) * width, operands)

        pool.run(part, len(parts))

    return run


def spread_of(op: Op) -> tuple[forms.Spread, Array] | None:
    """Return the sizes of a transposed convolution and its weights [G, C, O, kh, kw]; one axis has height 1.

    None where it is no such call, the sizes or weights are not known, there is nothing to compute, or a weight is not
    finite: its products with the zeros between the elements of the data would be NaN.
    """
    operation, output = op.operation, op.outputs[0]
    if not isinstance(operation, ConvolutionBackpropData) or not op.type or op.outputs[0].shape is None:
        return None
    data, filters = op.inputs[0], op.inputs[1]
    if data is None or not data.shape or filters is None or filters.constant is None or not output.shape:
        return None
    if data.element_type.name not in ("f32", "f64") or len(data.shape) not in (3, 4):
        return None
    weights = filters.constant if operation.grouped else filters.constant[None]
    if 0 in (*data.shape, *output.shape, *weights.shape) or not np.isfinite(weights).all():
        return None
    output_lengths = None if len(op.inputs) < 3 or op.inputs[2] is None else output.shape[2:]
    spread = spread_for(operation, data.shape, weights, output_lengths)
    return spread, weights if len(data.shape) == 4 else weights[..., None, :]


def spread_for(
    operation: ConvolutionBackpropData, data: Sequence[int], weights: Array, output_lengths: Sequence[int] | None = None
) -> forms.Spread:
    """Return the sizes for data of a shape and weights [G, C, O, …] over its axes."""
    windows, begin, lengths = operation.placed(data[2:], weights.shape[3:], output_lengths)
    height, width = pair(data[2:], 1)
    return forms.Spread(
        (data[0], height, width, data[1]), pair(weights.shape[3:], 1), pair(windows.strides, 1),
        pair(windows.dilations, 1), pair(begin, 0), pair(lengths, 1), len(weights), len(weights) * weights.shape[2],
    )  # fmt: skip
