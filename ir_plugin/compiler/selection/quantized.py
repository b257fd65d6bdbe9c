"""Selects kernels of integer convolutions and products, and of elementwise chains on levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.quantized_operations import QuantizedConvolution, QuantizedMatMul
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.convolution import exact_form, geometry_of, is_mostly_pads, on_channels_last
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, runs_along
from ir_plugin.compiler.selection.kernel import Execute, Kernel, OnViews, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.elementwise import ELEMENTWISE, limits_of
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, by_rows
from ir_plugin.kernels.numpy.integer_convolution import integer_convolution
from ir_plugin.kernels.numpy.quantization import Grid, Levels, QuantizedEpilogue, SumsEpilogue, finish_rows, merged
from ir_plugin.kernels.numpy.quantization import dequantize as fill_numbers
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.quantization.levels import Dequantize, MeanOfLevels, OnLevels, Quantize
from ir_plugin.tensors import Array


@dataclass(frozen=True)
class _Split:
    """An epilogue on rows, and the values that it reads."""

    epilogue: QuantizedEpilogue
    values: list[Value]


@selects(QuantizedConvolution)
def select_quantized_convolution(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a convolution of levels, with all of its epilogue; None where it is mostly pads."""
    data, filters, output = op.inputs[0] if op.inputs else None, (*op.inputs, None, None)[1], op.outputs[0]
    if data is None or filters is None or filters.constant is None:
        return None
    shape, output_shape = data.shape or (), output.shape or ()
    weights = filters.constant[..., None, :] if len(shape) == 3 else filters.constant
    windows = attributes(op, QuantizedConvolution).windows(len(shape) - 2)
    geometry, split = geometry_of(windows, shape, weights, output_shape), _split(op.epilogue, output_shape, 1)
    if is_mostly_pads(geometry, output_shape) or split is None:
        return None
    zero = attributes(op, QuantizedConvolution).zero
    name, bind = _bound(geometry, weights, zero, _sums_epilogue(op, split), options)

    def make(pool: ThreadPool) -> Execute:
        return on_channels_last(bind(pool), SplitEpilogue(None, split.values))

    return StaticKernel(
        [data, *split.values], make, channels_last=True, variant=name, uses_spin_pool=name == "int8, numba"
    )


@selects(QuantizedMatMul)
def select_quantized_matmul(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a product of levels with constant weights, with all of its epilogue."""
    data, weights = op.inputs[0] if op.inputs else None, (*op.inputs, None, None)[1]
    if data is None or weights is None or weights.constant is None:
        return None
    shape = op.outputs[0].shape or ()
    split = _split(op.epilogue, shape, -1)
    if split is None:
        return None
    rows, (depth, width) = prod(shape[:-1]), weights.constant.shape
    geometry = Geometry((1, 1, rows, depth), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (1, rows), 1, width)
    zero, filters = attributes(op, QuantizedMatMul).zero, weights.constant.T[..., None, None]
    name, bind = _bound(geometry, filters, zero, _sums_epilogue(op, split), options)

    def make(pool: ThreadPool) -> Execute:
        run, count = bind(pool), len(split.values)

        def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
            operands = [array.reshape(-1, width) for array in inputs[1 : 1 + count]]
            return inputs[0].reshape(1, 1, rows, depth), outputs[0].reshape(1, 1, rows, width), operands

        return OnViews(run, views)

    return StaticKernel([data, *split.values], make, variant=name, uses_spin_pool=name == "int8, numba")


def _bound(
    geometry: Geometry, weights: Array, zero: int, epilogue: SumsEpilogue, options: Options
) -> tuple[str, Callable[[ThreadPool], Run]]:
    """Return the name of a variant, and a factory of its kernel that takes a pool."""
    compiled = options.kernels.build(
        keys.INTEGER_CONVOLUTION, geometry, weights, zero, epilogue, options.weight_cache.derived
    )
    if compiled is not None:
        return "int8, numba", compiled

    def make_float(floats: Array, pool: ThreadPool) -> Run:
        return exact_form(geometry, floats)(pool)

    return "int8", lambda pool: integer_convolution(geometry, weights, zero, epilogue, make_float, pool)


def _sums_epilogue(op: Op, split: _Split) -> SumsEpilogue:
    """Return the epilogue of an op's integer sums; leading constant Adds and Multiplies and a Clamp are merged."""
    factors, width = op.inputs[2], (op.outputs[0].shape or ())[1 if op.is_a(QuantizedConvolution) else -1]
    scale = np.ones(width) if factors is None or factors.constant is None else factors.constant.astype(np.float64)
    stages, offset, limits = list(split.epilogue.stages), np.zeros(width), (-np.inf, np.inf)
    while stages and (absorbed := _absorbed(stages[0], scale, offset)) is not None:
        scale, offset = absorbed
        stages.pop(0)
    first_limits = limits_of(stages[0].operation) if stages else None
    if first_limits is not None:
        limits = first_limits
        stages.pop(0)
    rest = QuantizedEpilogue(stages, split.epilogue.operand, split.epilogue.sample_rows, split.epilogue.output)
    return merged(SumsEpilogue(scale.astype(np.float32), offset.astype(np.float32), limits, rest=rest))


def _absorbed(stage: EpilogueStage, scale: Array, offset: Array) -> tuple[Array, Array] | None:
    """Return a scale and an offset that a sum or product with a constant follows; None if f32 has no such numbers."""
    if not isinstance(stage.operand, np.ndarray) or not stage.operation.is_a(Add, Multiply):
        return None
    operand = np.broadcast_to(stage.operand.reshape(-1), scale.shape).astype(np.float64)
    if stage.operation.is_a(Add):
        scaled, moved = scale, offset + operand
    else:
        scaled, moved = scale * operand, offset * operand
    limits = np.finfo(np.float32)
    fits = np.abs(np.stack([scaled, moved])).max(initial=0) <= limits.max
    underflows = (np.abs(scaled) < limits.tiny) & (np.abs(scale) >= limits.tiny) & (operand != 0)
    return (scaled, moved) if fits and not underflows.any() else None


def _split(epilogue: Sequence[EpilogueOp], shape: tuple[int, ...], axis: int) -> _Split | None:
    """Return an epilogue of rows along an axis; None where it has operands that no kernel reads."""
    stages: list[EpilogueStage] = []
    values: list[Value] = []
    levels, sample_rows, output = None, 0, None
    for item in epilogue:
        operation, operand = item.operation, item.operand
        if isinstance(operation, Quantize):
            output = grid_of(operation, shape, axis)
        elif operand is None:
            stages.append(EpilogueStage(operation))
        elif operand.constant is not None and runs_along(operand.constant.shape, shape, axis):
            stages.append(EpilogueStage(operation, operand.constant, item.operand_first))
        elif values or operand.constant is not None:
            return None
        else:
            if isinstance(operation, OnLevels):
                levels, operation = Levels(operation.scale, operation.offset), operation.operation
            elif operand.shape != shape:
                sample_rows = _rows_of_samples(operand.shape, shape, axis)
            if operand.shape != shape and not sample_rows:
                return None
            stages.append(EpilogueStage(operation, 0, item.operand_first))
            values.append(operand)
    return _Split(QuantizedEpilogue(stages, levels, sample_rows, output), values)


def _rows_of_samples(operand: tuple[int, ...] | None, shape: tuple[int, ...], axis: int) -> int:
    """Return the rows of a sample if an operand has one row a sample, otherwise 0."""
    if axis != 1 or operand != (*shape[:2], *(1,) * (len(shape) - 2)):
        return 0
    return prod(shape[2:])


def grid_of(operation: Quantize, shape: tuple[int, ...], axis: int) -> Grid:
    """Return the grid of rows along an axis that an operation rounds to."""
    vectors = [np.asarray(array, np.float32).reshape(-1) for array in (operation.inverse, operation.shift)]
    del shape, axis
    return Grid(vectors[0], vectors[1], operation.low, operation.high)


@selects(Dequantize, Quantize, *ELEMENTWISE, first=True)
def select_quantized_chain(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of elementwise operations that begin or end with levels, in one pass."""
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    ends = [op.operation, *(item.operation for item in op.epilogue)]
    if data is None or not data.shape or 0 in data.shape or data.shape != output.shape:
        return None
    if not isinstance(ends[0], Dequantize) and not isinstance(ends[-1], Quantize):
        return None
    last = data.channels_last
    axis, epilogue = (1 if last else -1), list(op.epilogue)
    if not isinstance(ends[0], Dequantize):
        operand = op.inputs[1] if len(op.inputs) > 1 else None
        epilogue.insert(0, EpilogueOp(op.operation, operand))
        if len(op.inputs) > 2 or data.element_type.name != "f32":
            return None
    split = _split(epilogue, data.shape, axis)
    if split is None or not _fits(split.epilogue, data.shape, axis):
        return None
    start = Levels(ends[0].scale, ends[0].offset) if isinstance(ends[0], Dequantize) else None
    return _chain(data, split, start, last, options)


@selects(MeanOfLevels)
def select_mean_of_levels(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of the means of levels whose memory has channels last."""
    data, operation = op.inputs[0] if op.inputs else None, op.operation
    if not isinstance(operation, MeanOfLevels) or data is None or data.shape is None or not data.channels_last:
        return None
    samples, channels, *pixels = data.shape
    count, compiled, mean = prod(pixels), options.kernels.find(keys.SUMS_OF_LEVELS), operation
    if op.epilogue or 0 in data.shape:
        return None

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows, sums = _as_rows(inputs[0], True), np.zeros((samples, channels), np.int32)
        for sample in range(samples):
            part = rows[sample * count : (sample + 1) * count]
            if compiled is None:
                part.sum(0, np.int32, out=sums[sample])
            else:
                compiled(part, sums[sample])
        outputs[0][...] = mean.of_sums(sums, count)[..., None, None]

    return StaticKernel([data], lambda _pool: execute, channels_last=True, variant="levels") if count < 2**23 else None


def _fits(epilogue: QuantizedEpilogue, shape: tuple[int, ...], axis: int) -> bool:
    """Return whether the grid of an epilogue varies along rows, if it varies."""
    return epilogue.output is None or epilogue.output.inverse.size in (1, shape[axis] if axis == 1 else 1)


def _chain(data: Value, split: _Split, start: Levels | None, last: bool, options: Options) -> Kernel:
    shape = data.shape or ()
    width = shape[1 if last else -1]
    rows, epilogue = prod(shape) // width, split.epilogue

    def make(pool: ThreadPool) -> Execute:
        compiled = options.kernels.build(keys.QUANTIZED_CHAIN, (rows, width), start, epilogue, pool)
        run = compiled or partial(_plain_chain, start, epilogue)

        def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
            arrays = [_as_rows(array, last) for array in (*inputs, outputs[0])]
            return arrays[0], arrays[-1], arrays[1:-1]

        return OnViews(run, views)

    return StaticKernel([data, *split.values], make, channels_last=last, variant="levels")


def _plain_chain(
    start: Levels | None, epilogue: QuantizedEpilogue, data: Array, output: Array, operands: Sequence[Array]
) -> None:
    numbers = np.empty(data.shape, np.float32)
    if start is None:
        np.copyto(numbers, data)
    else:
        fill_numbers(data, start, numbers)
    finish_rows(numbers, epilogue, by_rows(epilogue.stages, data.shape[1]), output, operands)


def _as_rows(array: Array, last: bool) -> Array:
    moved = np.moveaxis(array, 1, -1) if last else array
    return moved.reshape(-1, moved.shape[-1])
