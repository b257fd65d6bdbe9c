"""Scales and zero points: of the whole tensor, of one axis, or of blocks along one axis."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, normalized, output, rank_of, shape_of, type_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.model import Output
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import new_node
from ir_plugin.tensors import ElementType

RANGES = {
    "u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767),
    "u4": (0, 15), "i4": (-8, 7), "u2": (0, 3), "i2": (-2, 1),
}  # fmt: skip
"""The smallest and largest number of each integer type that numbers are quantized to."""


class Grid(NamedTuple):
    """How scales lie over data: along `axis`, one for `block` elements (0: one for each element of the axis).

    `is_whole` says that a scale of unknown shape is a single scale for all elements.
    """

    axis: int
    block: int = 0
    is_whole: bool = False


def spread(parameter: Output, data: Value, grid: Grid) -> Output:
    """Return scales or zero points in a shape that broadcasts to the data."""
    if is_single(parameter) or (grid.is_whole and rank_of(parameter) is None):
        return as_scalar(parameter)
    if grid.block or rank_of(parameter) not in (None, 1):
        return _blocks(parameter, data, grid)
    rank = rank_of(data)
    if rank is None:
        raise OnnxReadError("the rank of the quantized tensor is unknown; it must be known for scales along an axis")
    axis = normalized(grid.axis, rank)
    return shaped(parameter, [-1 if index == axis else 1 for index in range(rank)])


def is_single(parameter: Output) -> bool:
    """Return whether there is one scale or zero point for all elements."""
    dims = parameter.tensor_info.shape.dims
    return dims is not None and len(dims) < 2 and all(dim.is_static and dim.get_length() == 1 for dim in dims)


def _blocks(parameter: Output, data: Value, grid: Grid) -> Output:
    """Return each scale repeated over its block."""
    rank = rank_of(parameter)
    if rank is None:
        raise OnnxReadError("the rank of the scales is unknown; it must be known for scales of blocks")
    if grid.block < 1:
        raise OnnxReadError(f"the scales have the rank {rank}; block_size is {grid.block}, and must be positive")
    axis = normalized(grid.axis, rank)
    length = ops.gather(shape_of(data), i64(axis), i64(0))
    positions = ops.range(i64(0), length, i64(1), "i64")
    return output(ops.gather(parameter, ops.divide(positions, i64(grid.block)), i64(axis)))


def shaped(value: Output, shape: list[int]) -> Output:
    """Reshape a value; a constant becomes a reshaped constant that shares its bytes."""
    origin = value.node.operation
    if not isinstance(origin, Const):
        return output(ops.reshape(value, i64(shape), special_zero=False))
    rest = prod(length for length in shape if length != -1)
    lengths = tuple(prod(origin.shape) // max(rest, 1) if length == -1 else length for length in shape)
    const = Const(element_type=origin.element_type, shape=lengths, offset=origin.offset, size=origin.size)
    read = origin.load or origin.evaluate
    const.load = lambda: read().reshape(lengths)
    const.load_packed = origin.load_packed
    const.backing = origin.backing
    return new_node("Constant", const, [], None).outputs[0]


def centered(data: Value, zero_point: Output | None, element_type: ElementType) -> Output:
    """Return data minus the zero point, converted to a type of floats; a zero point of zeros is left out."""
    wide = cast(data, element_type)
    if zero_point is None or is_zero(zero_point):
        return wide
    return output(ops.subtract(wide, cast(zero_point, element_type)))


def is_zero(value: Output) -> bool:
    """Return whether all elements are zero before the run."""
    constant = value.tensor_info.value
    return constant is not None and not np.any(constant.astype(np.float32))


def quantized(scaled: Value, zero_point: Output | None, element_type: ElementType) -> Output:
    """Return numbers rounded to even, moved by the zero point and cut to the range of an integer type."""
    low, high = RANGES[element_type.name]
    rounded = ops.round(scaled, "half_to_even")
    if zero_point is not None and not is_zero(zero_point):
        rounded = ops.add(rounded, cast(zero_point, type_of(rounded)))
    return output(ops.convert(ops.clamp(rounded, low, high), element_type.name))
