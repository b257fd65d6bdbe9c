"""GroupQueryAttention of onnxruntime: heads of the query share keys and values, which a cache keeps."""

from __future__ import annotations

from ir_plugin.frontends.onnx.attention.masks import both, masked, positions, window
from ir_plugin.frontends.onnx.attention.rotary import angles, rotated
from ir_plugin.frontends.onnx.attention.scores import Scaling, attended
from ir_plugin.frontends.onnx.attention.splitting import joined_heads, length_of, split_heads
from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, output, scalar, type_of
from ir_plugin.frontends.onnx.faults import OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@microsoft("GroupQueryAttention")
def group_query_attention(node: OnnxNode) -> list[Value | None]:
    """Return attention over the keys and values so far, and these."""
    _refuse(node)
    query, key, value = _heads(node)
    length = length_of(query, 2)
    total = cast(as_scalar(node.input(6)), ElementType.i64)
    ends = output(ops.add(cast(ops.reshape(node.input(5), i64([-1]), special_zero=False), ElementType.i64), i64(1)))
    is_first = ops.equal(total, length)
    past = output(ops.select(is_first, i64(0), ops.subtract(ends, length)))
    rows = output(ops.add(positions(length), ops.unsqueeze(past, i64([1]))))
    if node.attributes.flag("do_rotary", 0):
        query, key = (_turned(node, item, rows) for item in (query, key))
    if node.has(3):
        key, value = (_joined(node.input(index), new, past, total) for index, new in ((3, key), (4, value)))
    left = node.attributes.int("local_window_size", -1)
    seen = window(output(ops.unsqueeze(rows, i64([1]))), positions(length_of(key, 2)), left - 1 if left > 0 else -1, 0)
    mask = both(None, seen)
    if node.has(10):
        mask = masked(mask, _as_long(node.input(10), key))
    scaling = Scaling(
        node.attributes.float("scale", 0.0) or None, node.attributes.float("softcap", 0.0), _sink(node, query)
    )
    return [joined_heads(attended(query, key, value, mask, scaling)), key, value]


def _refuse(node: OnnxNode) -> None:
    """Raise for what is not supported."""
    for index, what in ((12, "quantized caches"), (14, "normalized queries"), (16, "packed lengths")):
        if node.has(index):
            raise OnnxUnsupportedError(f"input {index}: {what} are not supported")
    if node.wants(3):
        raise OnnxUnsupportedError("the output 3 (output_qk) is not supported")


def _heads(node: OnnxNode) -> tuple[Output, Output, Output]:
    """Split query, key and value into heads; the first input may hold all three, packed in this order."""
    count, shared = node.attributes.int("num_heads"), node.attributes.int("kv_num_heads")
    if node.has(1):
        return (
            split_heads(node.input(0), count),
            split_heads(node.input(1), shared),
            split_heads(node.input(2), shared),
        )
    heads = split_heads(node.input(0), count + 2 * shared)
    query, key, value = ops.variadic_split(heads, i64(1), i64([count, shared, shared])).outputs
    return query, key, value


def _turned(node: OnnxNode, data: Output, rows: Output) -> Output:
    """Return data turned by their positions."""
    numbers = cast(node.input(9), ElementType.i64) if node.has(9) else rows
    cosines, sines = (angles(node.input(index), numbers) for index in (7, 8))
    return rotated(data, cosines, sines, interleaved=node.attributes.flag("rotary_interleaved", 0))


def _joined(cache: Output, new: Output, past: Output, total: Output) -> Output:
    """Return the cache with new positions after each sample's past; its length is the maximum of cache and total."""
    before, length = length_of(cache, 2), length_of(new, 2)
    columns = positions(output(ops.maximum(before, total)))
    bounds = output(ops.unsqueeze(past, i64([1])))
    after = ops.add(ops.subtract(columns, bounds), before)
    last = ops.subtract(ops.add(before, length), i64(1))
    chosen = ops.select(ops.less(columns, bounds), columns, ops.minimum(after, last))
    extended = ops.transpose(ops.concat([cache, new], 2), i64([0, 2, 1, 3]))
    return output(ops.transpose(ops.gather(extended, chosen, i64(1), 1), i64([0, 2, 1, 3])))


def _as_long(bias: Output, key: Output) -> Output:
    """Return a bias as long as the keys."""
    total = ops.unsqueeze(length_of(key, 2), i64([0]))
    missing = ops.maximum(ops.subtract(total, ops.unsqueeze(length_of(bias, 3), i64([0]))), i64([0]))
    ends = ops.concat([i64([0, 0, 0]), missing], 0)
    padded = ops.pad(bias, i64([0, 0, 0, 0]), ends, "constant", scalar(0, bias))
    return output(ops.slice(padded, i64([0]), total, i64([1]), i64([3])))


def _sink(node: OnnxNode, query: Output) -> Output | None:
    """Return the scores of the position that is in the sum of the softmax only."""
    if node.has(11):
        return cast(ops.reshape(node.input(11), i64([1, -1, 1, 1]), special_zero=False), type_of(query))
    if node.attributes.flag("smooth_softmax", 0):
        return output(ops.reshape(scalar(0, query), i64([1, 1, 1, 1]), special_zero=False))
    return None
