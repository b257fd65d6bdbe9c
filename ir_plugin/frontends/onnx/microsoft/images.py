"""Pools, crops and windows of onnxruntime: NhwcMaxPool, CropAndResize, UnfoldTensor, and others."""

from __future__ import annotations

from ir_plugin.frontends.onnx.attention.masks import positions
from ir_plugin.frontends.onnx.attention.splitting import length_of
from ir_plugin.frontends.onnx.common import Value, cast, i64, normalized, output, scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import Translated
from ir_plugin.frontends.onnx.rewording import as_operator, first_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@microsoft("GridSample")
def grid_sample(node: OnnxNode) -> Translated:
    """Return ONNX's GridSample-16, bilinear by default."""
    return as_operator(node, "GridSample", 16, node.inputs)


@microsoft("NhwcMaxPool")
def nhwc_max_pool(node: OnnxNode) -> Value:
    """Return a channels-last MaxPool, between two Transposes."""
    rank = node.known_rank(0)
    first = ops.transpose(node.input(0), i64([0, rank - 1, *range(1, rank - 1)]))
    return ops.transpose(first_of(as_operator(node, "MaxPool", 12, [first])), i64([0, *range(2, rank), 1]))


@microsoft("ConvTransposeWithDynamicPads")
def conv_transpose_with_dynamic_pads(node: OnnxNode) -> Value:
    """Return a ConvTranspose without pads, cut by the pads of an input."""
    whole = first_of(as_operator(node, "ConvTranspose", 11, [node.input(0), node.input(1), node.optional(3)]))
    if not node.has(2):
        return whole
    axes = node.known_rank(0) - 2
    pads = cast(node.input(2), ElementType.i64)
    begin, after = ops.split(pads, i64(0), 2).outputs
    spatial = i64(list(range(2, 2 + axes)))
    lengths = ops.gather(ops.shape_of(whole, output_type="i64"), spatial, i64(0))
    return ops.slice(whole, begin, ops.subtract(lengths, after), i64([1] * axes), spatial)


@microsoft("UnfoldTensor")
def unfold_tensor(node: OnnxNode) -> Value:
    """Return the windows along an axis, with their elements on a new last axis."""
    data, rank = node.input(0), node.known_rank(0)
    axis = normalized(node.attributes.int("dim", -1), rank, "dim")
    size, step = node.attributes.int("size"), node.attributes.int("step", 1)
    if size < 1 or step < 1:
        raise OnnxReadError(f"size is {size} and step {step}; both must be 1 or more")
    count = ops.add(ops.divide(ops.subtract(length_of(data, axis), i64(size)), i64(step)), i64(1))
    starts = ops.multiply(positions(count), i64(step))
    windows = ops.gather(data, ops.add(ops.unsqueeze(starts, i64([1])), i64(list(range(size)))), i64(axis))
    order = [*range(axis + 1), *range(axis + 2, rank + 1), axis + 1]
    return ops.transpose(windows, i64(order))


@microsoft("CropAndResize")
def crop_and_resize(node: OnnxNode) -> Value:
    """Return regions [y1, x1, y2, x2] of images, resized to one size; outside the image is another value."""
    mode = node.attributes.text("mode", "bilinear")
    if mode not in ("bilinear", "nearest"):
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be bilinear or nearest")
    images = ops.gather(node.input(0), node.input(2), i64(0))
    corners = ops.split(node.input(1), i64(1), 4).outputs
    sizes = ops.split(cast(node.input(3), ElementType.i64), i64(0), 2).outputs
    rows = _Points(node, 2, corners[0], corners[2], sizes[0], mode)
    columns = _Points(node, 3, corners[1], corners[3], sizes[1], mode)
    shape = ops.concat([ops.unsqueeze(length_of(corners[0], 0), i64([0])), *sizes], 0)
    grid = ops.concat(
        [
            ops.unsqueeze(ops.broadcast(ops.unsqueeze(item, i64([axis])), shape), i64([-1]))
            for item, axis in ((columns.relative, 1), (rows.relative, 2))
        ],
        -1,
    )
    sampled = ops.grid_sample(images, grid, {"align_corners": True, "mode": mode, "padding_mode": "border"})
    inside = ops.logical_and(ops.unsqueeze(rows.inside, i64([2])), ops.unsqueeze(columns.inside, i64([1])))
    outside = scalar(node.attributes.float("extrapolation_value", 0.0), node.input(0))
    return ops.select(ops.unsqueeze(inside, i64([1])), sampled, outside)


class _Points:
    """The positions [regions, size] of crops along one axis: in [-1, 1], and whether they are in the image."""

    def __init__(self, node: OnnxNode, axis: int, first: Output, last: Output, size: Output, mode: str) -> None:
        kind = node.type_of(0)
        end = cast(ops.subtract(length_of(node.input(0), axis), i64(1)), kind)
        steps = ops.maximum(ops.subtract(size, i64([1])), i64([1]))
        begin, extent = ops.multiply(first, end), ops.multiply(ops.subtract(last, first), end)
        middle = ops.multiply(ops.multiply(ops.add(first, last), scalar(0.5, kind)), end)
        numbers = cast(ops.unsqueeze(positions(ops.squeeze(size, i64([0]))), i64([0])), kind)
        spread = ops.add(begin, ops.multiply(numbers, ops.divide(extent, cast(steps, kind))))
        absolute = output(ops.select(ops.greater(size, i64([1])), spread, middle))
        zero = scalar(0, kind)
        self.inside = output(ops.logical_and(ops.greater_equal(absolute, zero), ops.less_equal(absolute, end)))
        if mode == "nearest":
            absolute = output(ops.floor(ops.add(absolute, scalar(0.5, kind))))
        halves = ops.divide(ops.maximum(end, scalar(1, kind)), scalar(2, kind))
        self.relative = output(ops.subtract(ops.divide(absolute, halves), scalar(1, kind)))
