"""Recognizes the chains of ops that decompress constant weights."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import prod

import numpy as np

from ir_plugin.compiler.folding import folded_constant
from ir_plugin.compiler.matching import number_of
from ir_plugin.compiler.op import Op, Value
from ir_plugin.model import Node
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.table import OperationTable
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import COMPRESSED_TYPES, CompressedTensor

_HALF = ("f16", "bf16")


@dataclass
class WeightChain:
    """What decompresses a constant: the compressed tensor, and the layers of the chain."""

    tensor: CompressedTensor
    nodes: list[Node]
    is_transposed: bool
    """Whether the chain ends with the transposition of the tensor, a matrix."""


@dataclass
class Decompression:
    """The ops from decompressed weights up to the `value` that they decompress, as far as a walk has come."""

    value: Value
    shape: tuple[int, ...]
    key: Hashable
    nodes: list[Node] = field(default_factory=list)
    scales: list[Array] = field(default_factory=list)
    zero_point: Array | None = None
    is_transposed: bool = False
    position: int | None = None
    """The position along the first axis that a Gather reads."""
    is_half: bool = False
    """Whether some op computes in f16 or bf16."""


def weight_chain(weights: Value) -> WeightChain | None:
    """Return the chain that decompresses weights; None where they are not a compressed constant."""
    walk = decompression(weights)
    return None if walk is None else _chain(walk)


def expanded_in_f32(weights: Value) -> Array | None:
    """Return weights that f16 or bf16 decompresses to f32, computed in f32 as kernels expand them; None for others."""
    walk = decompression(weights)
    chain = _chain(walk) if walk is not None and walk.is_half and weights.element_type.name == "f32" else None
    if chain is None or chain.tensor.is_plain_half:
        return None
    values = np.empty(chain.tensor.shape, np.float32)
    chain.tensor.expand(0, chain.tensor.codes_shape[0], values)
    return np.ascontiguousarray(values.T) if chain.is_transposed else values


def decompression(weights: Value) -> Decompression | None:
    """Return the ops that convert a value to weights, subtract zero points, scale, and then move elements, if any."""
    if weights.shape is None or len(weights.shape) < 2 or not weights.element_type.is_floating:
        return None
    walk = Decompression(weights, weights.shape, weights.port)
    while walk.value.producer is not None and not walk.value.producer.is_a(Const):
        op = walk.value.producer
        step = _STEPS.get(op.operation)
        if step is None or not step(walk, op):
            return None
        walk.nodes += op.nodes
    return walk


def _chain(walk: Decompression) -> WeightChain | None:
    """Return the chain whose walk ended at a constant; None where its bytes cannot be split."""
    const, source = _const_of(walk.value), walk.value
    if const is None or source.shape is None or source.element_type.name not in COMPRESSED_TYPES:
        return None
    operands = [array for array in (*walk.scales, walk.zero_point) if array is not None]
    shape = _split_axes(source.shape, walk.shape)
    if shape is None or prod(shape[1:]) * source.element_type.bits % 8:
        return None
    fitted = [_fitted(array, source.shape, shape) for array in operands]
    arrays = [array for array in fitted if array is not None]
    if len(arrays) < len(operands):
        return None
    zero_point = None if walk.zero_point is None else arrays.pop()
    scale = np.multiply.reduce(np.broadcast_arrays(*arrays)) if len(arrays) > 1 else next(iter(arrays), None)
    tensor = CompressedTensor(const.packed(), source.element_type, shape, walk.shape, scale, zero_point, walk.key)
    if walk.position is not None:
        if not tensor.is_batch:
            return None
        tensor = tensor.at(walk.position)
    return WeightChain(tensor, walk.nodes, walk.is_transposed)


def _const_of(value: Value) -> Const | None:
    """Return the operation of the Const layer that is a value."""
    node = value.port.node if value.port is not None else None
    return node.operation if node is not None and isinstance(node.operation, Const) else None


def _split_axes(codes: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape of the codes with an axis split where the first axis of the values ends within it."""
    first = 1
    for axis, length in enumerate(codes):
        if first == shape[0] and axis:
            return codes
        rest, remainder = divmod(shape[0], max(first, 1))
        if remainder or not rest:
            return None
        if length > rest:
            return None if length % rest else (*codes[:axis], rest, length // rest, *codes[axis + 1 :])
        first *= length
    return codes if first == shape[0] else None


def _fitted(array: Array, codes: tuple[int, ...], shape: tuple[int, ...]) -> Array | None:
    """Return an operand that broadcasts to the codes in f32, with as many axes as their split shape; None otherwise."""
    if array.ndim > len(codes):
        return None
    full = (1,) * (len(codes) - array.ndim) + array.shape
    if any(length not in (1, whole) for length, whole in zip(full, codes, strict=True)):
        return None
    if len(shape) > len(codes):
        axis = next(axis for axis, length in enumerate(codes) if shape[axis] != length)
        parts = shape[axis : axis + 2] if full[axis] != 1 else (1, 1)
        full = (*full[:axis], *parts, *full[axis + 1 :])
    return array.reshape(full).astype(np.float32, copy=False)


def _convert(walk: Decompression, op: Op) -> bool:
    """Pass a conversion to a type of floats that is exact for its operand."""
    source, target = op.inputs[0], op.outputs[0].element_type
    if source is None or source.element_type.is_dynamic or not target.is_floating:
        return False
    is_exact = target.name == "f32" or (target.name in _HALF and source.element_type.bits <= 8)
    walk.value, walk.is_half = source, walk.is_half or target.name in _HALF
    return is_exact or target is source.element_type


def _multiply(walk: Decompression, op: Op) -> bool:
    """Pass a multiplication by a constant scale."""
    if walk.zero_point is not None:
        return False
    for data, operand in (op.inputs, op.inputs[::-1]):
        if data is None or operand is None or data.shape != op.outputs[0].shape or _source_of(data) is None:
            continue
        scale = folded_constant(operand)
        if scale is not None:
            walk.value = data
            walk.scales.append(scale)
            return True
    return False


def _subtract(walk: Decompression, op: Op) -> bool:
    """Pass a subtraction of a constant zero point."""
    data, operand = op.inputs
    if walk.zero_point is not None or data is None or data.shape != op.outputs[0].shape:
        return False
    walk.zero_point = folded_constant(operand)
    walk.value = data
    return walk.zero_point is not None


def _reshape(walk: Decompression, op: Op) -> bool:
    """Step upstream over a Reshape after all scales; return False if it cannot be part of the chain."""
    data = op.inputs[0]
    if data is None or walk.scales or walk.zero_point is not None:
        return False
    walk.value = data
    return True


def _transpose(walk: Decompression, op: Op) -> bool:
    """Step upstream over a matrix Transpose after all other ops; return False if it cannot be part of the chain."""
    data = op.inputs[0]
    if data is None or data.shape is None or len(data.shape) != 2 or walk.scales or walk.zero_point is not None:
        return False
    if op.outputs[0].shape != walk.shape or walk.is_transposed or data.shape != walk.shape[::-1]:
        return False
    order = None if op.inputs[1] is None else op.inputs[1].constant
    if order is None or order.reshape(-1).tolist() != [1, 0]:
        return False
    walk.value, walk.shape, walk.is_transposed = data, data.shape, True
    return True


def _gather(walk: Decompression, op: Op) -> bool:
    """Step upstream over a Gather of one matrix of a batch, after all scales; return False for any other Gather."""
    data, indices, axis = op.inputs
    position, shape = number_of(indices), None if data is None else data.shape
    if data is None or shape is None or position is None or number_of(axis) != 0 or walk.position is not None:
        return False
    if walk.scales or walk.zero_point is not None or len(shape) != 3 or shape[1:] != walk.shape:
        return False
    if not -shape[0] <= position < shape[0]:
        return False
    walk.value, walk.shape, walk.position = data, shape, int(position) % shape[0]
    return True


_STEPS = OperationTable(
    {
        Convert: _convert,
        Multiply: _multiply,
        Subtract: _subtract,
        Transpose: _transpose,
        Gather: _gather,
        Reshape: _reshape,
        Squeeze: _reshape,
        Unsqueeze: _reshape,
    }
)


def _source_of(value: Value) -> Value | None:
    """Return the compressed constant that a value is computed from by conversions, scales and zero points."""
    while value.producer is not None and value.producer.is_a(Convert, Multiply, Subtract):
        operands = [operand for operand in value.producer.inputs if operand is not None]
        value = next((operand for operand in operands if operand.shape == value.shape), operands[0])
    return value if value.element_type.name in COMPRESSED_TYPES and _const_of(value) is not None else None
