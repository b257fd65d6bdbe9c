"""Heads of attention: [batch, length, heads * size] as [batch, heads, length, size], and the way back."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, i64, output, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


def split_heads(value: Output, count: int) -> Output:
    """Return [batch, length, heads * size] as [batch, heads, length, size]."""
    return output(ops.transpose(with_heads(value, count), i64([0, 2, 1, 3])))


def with_heads(value: Output, count: int) -> Output:
    """Return [batch, length, heads * size] as [batch, length, heads, size]."""
    last = value.tensor_info.shape[-1]
    if count < 1 or (last.is_static and last.get_length() % count):
        raise OnnxReadError(f"{last} channels cannot be divided into {count} heads")
    size = last.get_length() // count if last.is_static else -1
    return output(ops.reshape(value, i64([0, 0, count, size]), special_zero=True))


def joined_heads(value: Value) -> Output:
    """Return [batch, heads, length, size] as [batch, length, heads * size]."""
    first = output(ops.transpose(value, i64([0, 2, 1, 3])))
    sizes = first.tensor_info.shape[2:]
    if all(dim.is_static for dim in sizes):
        return output(ops.reshape(first, i64([0, 0, sizes[0].get_length() * sizes[1].get_length()]), special_zero=True))
    return output(ops.reshape(first, i64([0, 0, -1]), special_zero=True))


def heads_of(value: Output) -> int:
    """Return the number of heads of [batch, heads, length, size]; raises if it is unknown."""
    count = value.tensor_info.shape[1]
    if not count.is_static:
        raise OnnxUnsupportedError("the number of heads is unknown; it must be known")
    return int(count.get_length())


def repeated_heads(value: Output, count: int) -> Output:
    """Return keys or values whose heads are repeated for `count` heads of the query."""
    own = heads_of(value)
    if own == count:
        return value
    if not own or count % own:
        raise OnnxReadError(f"{count} heads of the query cannot share {own} heads of the key")
    repeated = ops.broadcast(ops.unsqueeze(value, i64([2])), i64([1, 1, count // own, 1, 1]), None, "BIDIRECTIONAL")
    shape = shape_of(value)
    rest = ops.gather(shape, i64([2, 3]), i64(0))
    target = ops.concat([ops.gather(shape, i64([0]), i64(0)), i64([count]), rest], 0)
    return output(ops.reshape(repeated, target, special_zero=False))


def length_of(value: Value, axis: int) -> Output:
    """Return the length of an axis as a scalar."""
    dims = output(value).tensor_info.shape.dims
    if dims is not None and dims[axis].is_static:
        return i64(dims[axis].get_length())
    return output(ops.gather(shape_of(value), i64(axis), i64(0)))


def extended(past: Output | None, value: Output) -> Output:
    """Concatenate past and new values along axis 2."""
    return value if past is None else output(ops.concat([past, value], 2))
