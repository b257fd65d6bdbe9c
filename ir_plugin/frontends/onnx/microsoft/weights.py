"""Weights of 2, 4 or 8 bits in blocks: MatMulNBits, MatMulBnb4 and GatherBlockQuantized."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, normalized, output, scalar, type_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Output
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import new_node
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import packed_size, unpack

_FP4 = (0.0, 0.0052083333, 0.66666667, 1.0, 0.33333333, 0.5, 0.16666667, 0.25)
_NF4 = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
)  # fmt: skip
_TABLES = ((*_FP4, *(-number for number in _FP4)), _NF4)
"""What the 16 codes of the quant_types 0 (FP4) and 1 (NF4) stand for."""
_TYPES = {2: ElementType.u2, 4: ElementType.u4, 8: ElementType.u8}


@microsoft("MatMulNBits")
def matmul_nbits(node: OnnxNode) -> Value:
    """Return the product with weights [N, K] that Convert, Subtract and Multiply decompress, as OpenVINO's are."""
    attributes = node.attributes
    rows, length = attributes.int("N"), attributes.int("K")
    bits, block = attributes.int("bits", 4), attributes.int("block_size")
    if bits not in _TYPES or block < 1:
        raise OnnxReadError(f"bits is {bits} and block_size {block}; bits must be 2, 4 or 8, block_size positive")
    blocks = -(-length // block)
    weights = unpacked(node.input(1), bits, [rows, blocks, block])
    kind = type_of(node.input(2))
    zero = _zero_points(node, bits, [rows, blocks, 1])
    scales = output(ops.reshape(node.input(2), i64([rows, blocks, 1]), special_zero=False))
    if node.has(4):
        matrix = _reordered(node, weights, zero, scales, [rows, blocks * block])
    else:
        numbers = ops.multiply(ops.subtract(cast(weights, kind), cast(zero, kind)), scales)
        matrix = output(ops.reshape(numbers, i64([rows, blocks * block]), special_zero=False))
    if blocks * block > length:
        matrix = output(ops.slice(matrix, i64([0]), i64([length]), i64([1]), i64([1])))
    product = ops.matmul(node.input(0), cast(matrix, node.type_of(0)), False, True)
    return bias_added(output(product), node.optional(5))


def _zero_points(node: OnnxNode, bits: int, shape: list[int]) -> Output:
    """Return the zero points of the blocks: packed row by row, floats, or by default the middle of the range."""
    zero = node.optional(3)
    if zero is None:
        return constant_of(np.full((1, 1, 1), 2 ** (bits - 1), np.uint8), _TYPES[bits]).outputs[0]
    if type_of(zero).is_floating:
        return output(ops.reshape(zero, i64(shape), special_zero=False))
    rows, blocks, _ = shape
    padded = -(-blocks * bits // 8) * 8 // bits
    packed = zero.tensor_info.value
    if packed is not None:
        codes = unpack(packed.tobytes(), _TYPES[bits], rows * padded).reshape(rows, padded, 1)
        return constant_of(np.ascontiguousarray(codes[:, :blocks]), _TYPES[bits]).outputs[0]
    codes_of = unpacked(zero, bits, [rows, padded, 1])
    return output(ops.slice(codes_of, i64([0]), i64([blocks]), i64([1]), i64([1])))


def _reordered(node: OnnxNode, weights: Output, zero: Output, scales: Output, shape: Sequence[int]) -> Output:
    """Return weights [N, K] whose columns have the blocks that `g_idx` names."""
    kind, blocks = type_of(scales), node.input(4)
    flat = output(ops.reshape(cast(weights, kind), i64(list(shape)), special_zero=False))
    columns = ops.slice(flat, i64([0]), i64([node.attributes.int("K")]), i64([1]), i64([1]))
    chosen = [_chosen(cast(item, kind), blocks) for item in (zero, scales)]
    return output(ops.multiply(ops.subtract(columns, chosen[0]), chosen[1]))


def _chosen(parameter: Output, blocks: Output) -> Output:
    """Return the block parameters expanded to columns: [rows, K], or [rows, 1] if there is a single block."""
    flat = output(ops.squeeze(parameter, i64([2])))
    length = flat.tensor_info.shape[1]
    if length.is_static and length.get_length() == 1:
        return flat
    return output(ops.gather(flat, blocks, i64(1)))


def unpacked(value: Output, bits: int, shape: list[int]) -> Output:
    """Return bytes as numbers of fewer bits, the lowest bits first; a constant keeps its bytes until it is read."""
    element_type = _TYPES[bits]
    packed = value.tensor_info.value
    if packed is not None:
        return _packed_constant(packed, element_type, shape)
    if bits == 8:
        return output(ops.reshape(value, i64(shape), special_zero=False))
    wide = cast(value, ElementType.i32)
    parts = [
        ops.unsqueeze(
            ops.floor_mod(ops.divide(wide, scalar(2 ** (bits * index), wide)), scalar(2**bits, wide)), i64([-1])
        )
        for index in range(8 // bits)
    ]
    return output(ops.reshape(ops.concat(parts, -1), i64(shape), special_zero=False))


def _packed_constant(data: Array, element_type: ElementType, shape: list[int]) -> Output:
    count = int(np.prod(shape))
    size = packed_size(element_type, count)
    if data.nbytes < size:
        raise OnnxReadError(f"the weights have {data.nbytes} bytes; {element_type}{shape} takes {size}")
    const = Const(element_type=element_type, shape=tuple(shape), offset=0, size=size)
    codes = np.ascontiguousarray(data).reshape(-1).view(np.uint8)[:size]
    const.load = lambda: unpack(codes, element_type, count).reshape(shape)
    const.load_packed = lambda: codes
    return new_node("Constant", const, [], None).outputs[0]


@microsoft("MatMulBnb4")
def matmul_bnb4(node: OnnxNode) -> Value:
    """Return the product with weights [N, K] of 4-bit floats, each block times its largest absolute value."""
    attributes, kind = node.attributes, type_of(node.input(2))
    rows, length, block = attributes.int("N"), attributes.int("K"), attributes.int("block_size")
    number = attributes.int("quant_type")
    if number not in (0, 1) or block < 1:
        raise OnnxReadError(f"quant_type is {number} and block_size {block}; they must be 0 or 1, and positive")
    count = rows * length
    pairs = unpacked(node.input(1), 4, [-(-count // 2), 2])
    codes = ops.reshape(ops.gather(cast(pairs, ElementType.i32), i64([1, 0]), i64(1)), i64([-1]), special_zero=False)
    numbers = ops.gather(constant_of(np.array(_TABLES[number], kind.dtype), kind), codes, i64(0))
    blocks = constant_of(np.arange(count) // block)
    scaled = ops.multiply(
        ops.slice(numbers, i64([0]), i64([count]), i64([1])), ops.gather(node.input(2), blocks, i64(0))
    )
    matrix = ops.reshape(scaled, i64([rows, length]), special_zero=False)
    return ops.matmul(node.input(0), matrix, False, attributes.flag("transB", 1))


@microsoft("GatherBlockQuantized")
def gather_block_quantized(node: OnnxNode) -> Value:
    """Return slices of data that are quantized in blocks along an axis, multiplied by their scales."""
    data, indices, scales, zero = node.input(0), node.input(1), node.input(2), node.optional(3)
    rank, bits = node.known_rank(0), node.attributes.int("bits", 4)
    axis = normalized(node.attributes.int("gather_axis", 0), rank, "gather_axis")
    along = normalized(node.attributes.int("quantize_axis", 1), rank, "quantize_axis")
    if type_of(data) is ElementType.u8:
        data, zero = _spread(data, bits), None if zero is None else _spread(zero, bits)
        zero = zero if zero is not None else scalar(2 ** (bits - 1), type_of(scales))
    kind, taken = type_of(scales), [cast(ops.gather(data, indices, i64(axis)), type_of(scales))]
    taken += [
        cast(ops.gather(item, indices, i64(axis)), kind)
        for item in (scales, zero)
        if item is not None and len(item.tensor_info.shape)
    ]
    after = along if along < axis else along + len(indices.tensor_info.shape) - 1
    length = ops.gather(ops.shape_of(taken[0], output_type="i64"), i64(after), i64(0))
    blocks = ops.divide(ops.range(i64(0), length, i64(1), "i64"), i64(node.attributes.int("block_size", 128)))
    factors = [output(ops.gather(item, blocks, i64(after))) for item in taken[1:]]
    center = factors[1] if len(factors) > 1 else None if zero is None else zero
    numbers = taken[0] if center is None else ops.subtract(taken[0], center)
    return ops.multiply(numbers, factors[0])


def _spread(value: Output, bits: int) -> Output:
    """Return bytes whose last axis holds several numbers each, as numbers."""
    shape = [dim.get_length() for dim in value.tensor_info.shape]
    return unpacked(value, bits, [*shape[:-1], shape[-1] * 8 // bits])
