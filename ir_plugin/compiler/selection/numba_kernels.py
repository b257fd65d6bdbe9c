"""The provider of kernels that numba compiles: asked before NumPy's, for what it does faster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op
from ir_plugin.compiler.selection.convolution import SelectForShapes, geometry_of, is_mostly_pads, on_channels_last
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import Execute, Followed, Kernel, Options, runs_along, split_epilogue
from ir_plugin.kernels.provider import DepthwiseCodes
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.tensors import Array


def select_depthwise(op: Op, options: Options) -> Kernel | None:
    """Return a depthwise convolution in f32 over one or two axes, with bias and activation in the same pass."""
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    if op.type != "GroupConvolution" or data is None or not data.shape or not output.shape:
        return None
    select = depthwise_of(op, output.shape, options)
    return None if select is None else select(data.shape, output.shape)


def depthwise_of(op: Op, shape: tuple[int, ...], options: Options) -> SelectForShapes | None:
    """Return what selects the kernel of a depthwise convolution for shapes of data and output such as `shape`."""
    data, filters = op.inputs[:2]
    if op.type != "GroupConvolution" or data is None or filters is None or filters.constant is None:
        return None
    if data.element_type.name != "f32" or len(shape) not in (3, 4):
        return None
    weights = filters.constant[..., None, :] if len(shape) == 3 else filters.constant
    kernel = options.kernels.depthwise if weights.shape[1] == weights.shape[2] == 1 else None
    if kernel is None:
        return None
    bias, activation, limits, rest = fused(kernel, op.epilogue, shape)
    split = split_epilogue(rest, shape, 1, options)
    if split.unfused and op.outputs[0].shape is None:
        return None
    packed = weights[:, 0, 0].transpose(1, 2, 0)
    values = [data, *split.row_values, *split.unfused_values]

    def select(data_shape: tuple[int, ...], output: tuple[int, ...]) -> Kernel | None:
        geometry = geometry_of(op, data_shape, weights, output)
        if 0 in output or is_mostly_pads(geometry, output):
            return None
        bind = options.kernels.depthwise_lines(geometry, packed, bias, activation, limits)
        if bind is None:
            return None
        rows = geometry.data[0] * geometry.output[0] * geometry.output[1]

        def make(pool: ThreadPool) -> Execute:
            chain = options.kernels.chain(rows, geometry.channels, split.stages, pool) if split.stages else None
            lines = Followed(bind(pool), chain, split.rows)
            return with_unfused(on_channels_last(lines, split), split, op, options, pool)

        return Kernel(values, make, channels_last=True, variant="depthwise, numba", uses_spin_pool=True)

    return select


def fused(
    kernel: DepthwiseCodes, epilogue: Sequence[EpilogueOp], shape: tuple[int, ...]
) -> tuple[Array, int, tuple[float, float], list[EpilogueOp]]:
    """Return the bias, activation and limits that the kernel itself applies, and the rest of the epilogue."""
    bias, rest = np.zeros(shape[1], np.float32), list(epilogue)
    while rest and rest[0].operation.type == "Add":
        operand = rest[0].operand
        if operand is None or operand.constant is None or not runs_along(operand.constant.shape, shape, 1):
            break
        bias += operand.constant.reshape(-1)
        rest.pop(0)
    if not rest or rest[0].operand is not None:
        return bias, kernel.NONE, (0, 0), rest
    operation = rest[0].operation
    if operation.type == "Relu":
        return bias, kernel.CLIP, (0, np.inf), rest[1:]
    if isinstance(operation, Clamp):
        return bias, kernel.CLIP, (operation.min, operation.max), rest[1:]
    simple = {"HSwish": kernel.HSWISH, "HSigmoid": kernel.HSIGMOID}
    if operation.type in simple:
        return bias, simple[operation.type], (0, 0), rest[1:]
    return bias, kernel.NONE, (0, 0), rest
