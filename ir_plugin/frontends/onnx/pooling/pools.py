"""MaxPool, AveragePool and LpPool: pools with windows."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.windows import Window, window_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_I64 = ElementType.i64


def _rounding(node: OnnxNode) -> str:
    return "ceil_torch" if node.attributes.flag("ceil_mode", 0) else "floor"


@translates("MaxPool", 1)
def max_pool(node: OnnxNode) -> list[Value]:
    """Return MaxPool-14, whose indices count all elements of the data."""
    window = window_of(node, node.attributes.ints("kernel_shape"))
    pool = ops.max_pool(
        node.input(0),
        window.strides,
        window.dilations,
        window.begin,
        window.end,
        window.kernel,
        _rounding(node),
        window.auto_pad,
        "i64",
        0,
    )
    values, indices = pool.outputs
    if not node.wants(1):
        return [values]
    return [values, _column_major(node, indices) if node.attributes.flag("storage_order", 0) else indices]


def _column_major(node: OnnxNode, indices: Output) -> Value:
    """Return positions that count the spatial axes from the first, of positions that count them from the last."""
    rank, lengths = node.known_rank(0), shape_of(node.input(0))
    spatial = [ops.gather(lengths, i64(axis), i64(0)) for axis in range(2, rank)]
    rest: Value = indices
    step: Value = i64(1)
    positions: list[Value] = []
    for length in reversed(spatial):
        positions.append(ops.floor_mod(rest, length))
        rest = ops.divide(rest, length)
    result: Value = i64(0)
    for position, length in zip(reversed(positions), spatial, strict=True):
        result = ops.add(result, ops.multiply(position, step))
        step = ops.multiply(step, length)
    return ops.add(result, ops.multiply(rest, step))


@translates("AveragePool", 1)
def average_pool(node: OnnxNode) -> Value:
    """Return AvgPool-16; pads count only where the node says so."""
    window = window_of(node, node.attributes.ints("kernel_shape"))
    excludes = not node.attributes.flag("count_include_pad", 0)
    if not excludes and node.attributes.flag("ceil_mode", 0) and any(window.begin + window.end):
        return _of_padded(node.input(0), window)
    return _averaged(node.input(0), window, excludes, _rounding(node))


def _of_padded(data: Value, window: Window) -> Value:
    """Return the means of windows that are rounded up, in which only elements of the data and the pads count."""
    begin, end, axes = i64([0, 0, *window.begin]), i64([0, 0, *window.end]), len(window.kernel)
    bare = Window(window.kernel, window.strides, window.dilations, [0] * axes, [0] * axes, "explicit")
    means = _averaged(ops.pad(data, begin, end, "constant", scalar(0, data)), bare, False, "ceil_torch")
    if not any(window.end):
        return means
    spatial = ops.slice(shape_of(data), i64([2]), i64([2 + axes]), i64([1]))
    before = [length + stride - 1 for length, stride in zip(window.begin, window.strides, strict=True)]
    counts = ops.divide(ops.add(spatial, i64(before)), i64(window.strides))
    return ops.slice(means, i64([0] * axes), counts, i64([1] * axes), i64(list(range(2, 2 + axes))))


def _averaged(data: Value, window: Window, exclude_pad: bool, rounding: str) -> Value:
    return ops.avg_pool(
        data,
        window.strides,
        window.begin,
        window.end,
        window.kernel,
        exclude_pad,
        rounding,
        window.auto_pad,
        window.dilations,
    )


@translates("LpPool", 1)
def lp_pool(node: OnnxNode) -> Value:
    """Return the roots of the sums of powers in each window, of AvgPool-16's means."""
    data, window = node.input(0), window_of(node, node.attributes.ints("kernel_shape"))
    if node.attributes.flag("ceil_mode", 0) and not window.is_same:
        window = _with_last_windows(node, window)
    count = 1
    for length in window.kernel:
        count *= length
    power = _order(node)
    means = _averaged(_raised(data, power), window, False, "floor")
    return _raised(ops.multiply(means, scalar(count, data)), 1 / power)


@translates("GlobalLpPool", 1)
def global_lp_pool(node: OnnxNode) -> Value:
    """Return the root of the sum of powers over all spatial axes."""
    data, power = node.input(0), _order(node)
    return _raised(ops.reduce_sum(_raised(data, power), _spatial(node), keep_dims=True), 1 / power)


def _order(node: OnnxNode) -> float:
    """Return the order of the norm, a float in the first versions."""
    power = float(node.attributes.float("p", 2.0) if node.since < 2 else node.attributes.int("p"))
    if power <= 0:
        raise OnnxReadError(f"the attribute 'p' is {power:g}; it must be more than 0")
    return power


def _raised(data: Value, power: float) -> Value:
    """Return the absolute values of the data to a power."""
    if power == 2:
        return ops.multiply(data, data)
    if power == 0.5:
        return ops.sqrt(data)
    return ops.abs(data) if power == 1 else ops.power(ops.abs(data), scalar(power, output(data)))


def _with_last_windows(node: OnnxNode, window: Window) -> Window:
    """Return the window with end pads that complete every window that begins in the data or its begin pads."""
    shape = node.input(0).tensor_info.shape
    if shape.ndim is None or not all(dim.is_static for dim in shape[2:]):
        raise OnnxUnsupportedError("ceil_mode needs known spatial lengths")
    lengths = [dim.get_length() for dim in shape[2:]]
    ends = [
        _end(length + before, after, extent, stride)
        for length, before, after, extent, stride in zip(
            lengths, window.begin, window.end, window.extents(), window.strides, strict=True
        )
    ]
    return Window(window.kernel, window.strides, window.dilations, window.begin, ends, "explicit")


def _end(length: int, after: int, extent: int, stride: int) -> int:
    count = -(-(length + after - extent) // stride) + 1
    if (count - 1) * stride >= length:
        count -= 1
    return max((count - 1) * stride + extent - length, 0)


def _spatial(node: OnnxNode) -> Output:
    """Return the axes from the third on."""
    rank = node.rank(0)
    if rank is not None:
        return i64(list(range(2, rank)))
    count = ops.shape_of(shape_of(node.input(0)), output_type="i64")
    return output(ops.range(i64(2), ops.squeeze(count, i64([0])), i64(1), "i64"))


@translates("GlobalAveragePool", 1)
def global_average_pool(node: OnnxNode) -> Value:
    """Return ReduceMean-1 over all spatial axes."""
    return ops.reduce_mean(node.input(0), _spatial(node), keep_dims=True)


@translates("GlobalMaxPool", 1)
def global_max_pool(node: OnnxNode) -> Value:
    """Return ReduceMax-1 over all spatial axes."""
    return ops.reduce_max(node.input(0), _spatial(node), keep_dims=True)


@translates("MaxUnpool", 9)
def max_unpool(node: OnnxNode) -> Value:
    """Return zeros with the data at the positions that a pool took them from.

    The positions index the shape that the window gives, also where `output_shape` names a larger one.
    """
    data, indices = node.input(0), cast(node.input(1), _I64)
    lengths = _unpooled(data, window_of(node, node.attributes.ints("kernel_shape")))
    size = ops.reduce_prod(lengths, i64([0]), keep_dims=True)
    at, values = (ops.reshape(value, i64([-1]), special_zero=False) for value in (indices, data))
    zeros = ops.broadcast(scalar(0, data), size)
    result = ops.reshape(ops.scatter_elements_update(zeros, at, values, i64(0)), lengths, special_zero=False)
    if not node.has(2):
        return result
    after = ops.subtract(cast(node.input(2), _I64), lengths)
    zeros_before = i64([0] * (node.known_rank(0)))
    return ops.pad(result, zeros_before, after, "constant", scalar(0, data))


def _unpooled(data: Output, window: Window) -> Value:
    """Return the shape of the data that a pool with this window has made `data` of."""
    lengths = shape_of(data)
    outer = ops.slice(lengths, i64([0]), i64([2]), i64([1]))
    spatial = ops.slice(lengths, i64([2]), i64([2 + len(window.kernel)]), i64([1]))
    parts: Sequence[tuple[int, int, int]] = list(zip(window.kernel, window.begin, window.end, strict=True))
    rest = [kernel - before - after for kernel, before, after in parts]
    grown = ops.multiply(ops.subtract(spatial, i64([1])), i64(window.strides))
    return ops.concat([outer, ops.add(grown, i64(rest))], 0)
