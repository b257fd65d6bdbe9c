"""Convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.convolution.binary_convolution import BinaryConvolution
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.convolution.group_convolution_backprop_data import GroupConvolutionBackpropData
from ir_plugin.operations.pooling.adaptive import region_bounds
from ir_plugin.operations.pooling.adaptive_avg_pool import AdaptiveAvgPool
from ir_plugin.operations.pooling.adaptive_max_pool import AdaptiveMaxPool
from ir_plugin.operations.pooling.avg_pool import AvgPool
from ir_plugin.operations.pooling.max_pool import MaxPool, lowest
from ir_plugin.operations.pooling.pools import Pool
from ir_plugin.operations.windows import Windows
from ir_plugin.tensors import ElementType

_AUTO_PADS = {"same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER"}


def _pads(layer: Layer, windows: Windows, kernel: Sequence[int]) -> dict[str, Any]:
    """Return the attributes of a node that say its pads."""
    if not windows.is_same:
        return {"pads": [*windows.pads_begin, *windows.pads_end]}
    spatial = layer.shape()[2:]
    if any(dim.is_dynamic for dim in spatial):
        return {"auto_pad": _AUTO_PADS[windows.auto_pad]}
    begin, end = windows.pads([dim.get_length() for dim in spatial], kernel)
    return {"pads": [*begin, *end]}


def _kernel(layer: Layer, lead: int) -> list[int]:
    """Return the lengths of the filters' windows."""
    shape = layer.shape(1)[lead:]
    if any(dim.is_dynamic for dim in shape):
        raise NotExpressibleError(f"the filters have the shape {layer.shape(1)}, whose windows are open")
    lengths = [dim.get_length() for dim in shape]
    if 0 in lengths:
        raise NotExpressibleError("the filters have no elements")
    return lengths


@writes(Convolution)
def convolution(layer: Layer) -> str:
    """Return Conv."""
    windows = layer.operation.windows(layer.rank() - 2)
    return layer.emit(
        "Conv", layer.inputs[0], layer.inputs[1], strides=list(windows.strides), dilations=list(windows.dilations),
        **_pads(layer, windows, _kernel(layer, 2)),
    )  # fmt: skip


@writes(GroupConvolution)
def group_convolution(layer: Layer) -> str:
    """Return Conv with groups; the filters' first two axes are joined."""
    windows = layer.operation.windows(layer.rank() - 2)
    return layer.emit(
        "Conv", layer.inputs[0], _joined(layer, 0), strides=list(windows.strides), dilations=list(windows.dilations),
        group=_groups(layer), **_pads(layer, windows, _kernel(layer, 3)),
    )  # fmt: skip


def _groups(layer: Layer) -> int:
    groups = layer.shape(1)[0]
    if groups.is_dynamic:
        raise NotExpressibleError("the number of groups is not known")
    return groups.get_length()


def _joined(layer: Layer, axis: int) -> str:
    """Return filters [G, A, B, …] with the groups joined to the axis after them."""
    dims = [layer.dim(1, at) for at in range(layer.rank(1))]
    return layer.reshape(layer.inputs[1], layer.arithmetic("Mul", dims[0], dims[1 + axis]), *dims[2:])


@writes(ConvolutionBackpropData)
def convolution_backprop_data(layer: Layer) -> str:
    """Return ConvTranspose without pads, of which the output is a part."""
    return _transposed(layer, layer.inputs[1], 1, _kernel(layer, 2))


@writes(GroupConvolutionBackpropData)
def group_convolution_backprop_data(layer: Layer) -> str:
    """Return ConvTranspose with groups."""
    return _transposed(layer, _joined(layer, 0), _groups(layer), _kernel(layer, 3))


def _transposed(layer: Layer, filters: str, group: int, kernel: list[int]) -> str:
    """Return ConvTranspose; where the output's lengths are given, of all that is reached, cropped or padded."""
    operation = layer.operation
    axes = layer.rank() - 2
    windows = operation.windows(axes)
    common: dict[str, Any] = {"strides": list(windows.strides), "dilations": list(windows.dilations), "group": group}
    extra = list(operation.output_padding) or [0] * axes
    plain = all(more < max(stride, 1) for more, stride in zip(extra, windows.strides, strict=True))
    if not layer.has(2) and plain:
        return layer.emit(
            "ConvTranspose", layer.inputs[0], filters, pads=[*windows.pads_begin, *windows.pads_end],
            output_padding=extra, **common,
        )  # fmt: skip
    declared = layer.integers(2) if layer.has(2) else None
    _, begin, lengths = operation.placed(layer.lengths()[2:], kernel, declared)
    reached = [
        stride * (length - 1) + (size - 1) * dilation + 1
        for stride, length, size, dilation in zip(
            windows.strides, layer.lengths()[2:], kernel, windows.dilations, strict=True
        )
    ]
    whole = layer.emit("ConvTranspose", layer.inputs[0], filters, **common)
    ends = [b + length for b, length in zip(begin, lengths, strict=True)]
    missing = [max(end - length, 0) for end, length in zip(ends, reached, strict=True)]
    if any(missing):
        whole = layer.emit("Pad", whole, layer.list_of(*[0] * (axes + 4), *missing))
    spatial = layer.list_of(*range(2, axes + 2))
    return layer.emit("Slice", whole, layer.list_of(*begin), layer.list_of(*ends), spatial)


@writes(BinaryConvolution)
def binary_convolution(layer: Layer) -> str:
    """Return Conv of signs in place of bits."""
    operation = layer.operation
    windows = operation.windows()
    if any(layer.shape()[axis].is_dynamic for axis in (2, 3)) and windows.is_same:
        raise NotExpressibleError("the pads depend on lengths that are open")
    kernel = _kernel(layer, 2)
    begin, end = windows.pads([0 if dim.is_dynamic else dim.get_length() for dim in layer.shape()[2:]], kernel)
    outside = 0.0 if operation.pad_value == 0 else 1.0 if operation.pad_value == 1 else -1.0
    data = _signs(layer, layer.inputs[0])
    if any((*begin, *end)):
        pads = layer.list_of(0, 0, *begin, 0, 0, *end)
        data = layer.emit("Pad", data, pads, layer.constant(outside))
    if layer.info(1).element_type is ElementType.u1:
        from ir_plugin.operations.convolution.binary_convolution import _from_least_significant

        filters = layer.constant(2.0 * _from_least_significant(layer.constant_values(1)) - 1.0)
    else:
        filters = _signs(layer, layer.inputs[1])
    return layer.emit("Conv", data, filters, strides=list(windows.strides), dilations=list(windows.dilations))


def _signs(layer: Layer, value: str) -> str:
    is_set = layer.emit("Greater", value, layer.like(0, value))
    return layer.emit("Where", is_set, layer.constant(1.0), layer.constant(-1.0))


def _layout(layer: Layer) -> tuple[list[int | str], list[int | str]]:
    """Return the pads before and after with which rounding down gives all windows of a pooling."""
    spatial = layer.shape()[2:]
    operation: Pool = layer.operation
    if all(dim.is_static for dim in spatial):
        layout = operation.layout([1, 1, *(dim.get_length() for dim in spatial)])
        ends: list[int | str] = []
        extents = _extents(operation, layout.windows)
        for axis, dim in enumerate(spatial):
            reached = (layout.outputs[axis] - 1) * layout.windows.strides[axis] + extents[axis]
            ends.append(max(reached - dim.get_length() - layout.begin[axis], 0))
        return list(layout.begin), ends
    windows = operation.windows(len(spatial))
    is_floor = operation.rounding_type == "floor"
    if windows.is_same and (is_floor or not _skips(operation, windows)):
        pairs = [_same_pads(layer, windows, axis) for axis in range(len(spatial))]
        return [begin for begin, _ in pairs], [end for _, end in pairs]
    if windows.is_same or (operation.rounding_type == "ceil_torch" and _may_begin_in_pads(operation, windows)):
        raise NotExpressibleError("the pads depend on spatial lengths that are open")
    if is_floor:
        return list(windows.pads_begin), list(windows.pads_end)
    return list(windows.pads_begin), [_reach(layer, windows, axis) for axis in range(len(spatial))]


def _skips(operation: Pool, windows: Windows) -> bool:
    """Return whether there are elements between windows."""
    return any(by > extent for by, extent in zip(windows.strides, _extents(operation, windows), strict=True))


def _same_pads(layer: Layer, windows: Windows, axis: int) -> tuple[int | str, int | str]:
    """Return the fewest pads before and after an axis with which a window begins at every stride."""
    extent, stride, length = _extents(layer.operation, windows)[axis], windows.strides[axis], layer.dim(0, axis + 2)
    steps = layer.arithmetic("Div", layer.arithmetic("Sub", length, 1), stride)
    reached = layer.arithmetic("Add", layer.arithmetic("Mul", steps, stride), extent)
    total = layer.arithmetic("Max", layer.arithmetic("Sub", reached, length), 0)
    small = layer.arithmetic("Div", total, 2)
    large = layer.arithmetic("Sub", total, small)
    return (small, large) if windows.auto_pad == "same_upper" else (large, small)


def _may_begin_in_pads(operation: Pool, windows: Windows) -> bool:
    """Return whether a last window that is counted by rounding up may begin in the pads at the end."""
    extents = _extents(operation, windows)
    return any(by + pad > extent for by, pad, extent in zip(windows.strides, windows.pads_end, extents, strict=True))


def _extents(operation: Pool, windows: Windows) -> list[int]:
    """Return the lengths from the first to the last element of a window."""
    return [(size - 1) * by + 1 for size, by in zip(operation.kernel, windows.dilations, strict=True)]


def _are_wide(pads: Sequence[int | str], sizes: Sequence[int]) -> bool:
    """Return whether pads before and after the axes may be as long as a window, of these sizes, or longer."""
    return any(isinstance(pad, str) or pad >= size for pad, size in zip(pads, [*sizes, *sizes], strict=True))


def _reach(layer: Layer, windows: Windows, axis: int) -> int | str:
    """Return the pads after an axis up to the end of the last window, whose number is rounded up."""
    extent, stride = _extents(layer.operation, windows)[axis], windows.strides[axis]
    padded = layer.arithmetic("Add", layer.dim(0, axis + 2), windows.pads_begin[axis])
    room = layer.arithmetic("Max", layer.arithmetic("Add", padded, windows.pads_end[axis] - extent), 0)
    steps = layer.arithmetic("Div", layer.arithmetic("Add", room, stride - 1), stride)
    reached = layer.arithmetic("Add", layer.arithmetic("Mul", steps, stride), extent)
    return layer.arithmetic("Max", layer.arithmetic("Sub", reached, padded), 0)


def _open_pads(layer: Layer) -> dict[str, Any] | None:
    """Return attributes by which ONNX pads open lengths and rounds as the layer does, None where there are none."""
    operation: Pool = layer.operation
    windows = operation.windows(layer.rank() - 2)
    if all(dim.is_static for dim in layer.shape()[2:]):
        return None
    if windows.is_same:
        is_plain = not _skips(operation, windows) and all(by == 1 for by in windows.dilations)
        return {"auto_pad": _AUTO_PADS[windows.auto_pad]} if is_plain else None
    pads = [*windows.pads_begin, *windows.pads_end]
    ends_in_pads = operation.rounding_type == "ceil" and _may_begin_in_pads(operation, windows)
    if ends_in_pads or _are_wide(pads, operation.kernel):
        return None
    ceil_mode = None if operation.rounding_type == "floor" else 1
    return {"pads": pads, "ceil_mode": ceil_mode}


@writes(MaxPool, widens=True)
def max_pool(layer: Layer) -> list[str]:
    """Return MaxPool of numbers of which the lowest finite one is the least; indices count from `axis` on."""
    operation = layer.operation
    value = layer.inputs[0]
    least = layer.like(lowest(layer.type_of(value).dtype), value)
    if layer.type_of(value).is_floating:
        value = layer.emit("Where", layer.emit("Greater", value, least), value, least)
    windows = operation.windows(layer.rank() - 2)
    common: dict[str, Any] = {
        "kernel_shape": list(operation.kernel),
        "strides": list(windows.strides),
        "dilations": list(windows.dilations),
    }
    has_indices = len(layer.node.outputs) > 1 and bool(layer.node.outputs[1].target_inputs)
    pads = _open_pads(layer)
    if pads is None:
        begin, end = _layout(layer)
        is_wide = _are_wide([*begin, *end], operation.kernel)
        if is_wide and has_indices:
            raise NotExpressibleError("pads as long as a window move the indices")
        if is_wide:
            value = layer.emit("Pad", value, layer.vector(0, 0, *begin, 0, 0, *end), least)
        pads = {} if is_wide else {"pads": [*begin, *end]}
    if not has_indices:
        return [layer.emit("MaxPool", value, **pads, **common), ""]
    maxima, indices = layer.emit_all("MaxPool", value, count=2, **pads, **common)
    return [maxima, _indices_from_axis(layer, maxima, indices)]


def _indices_from_axis(layer: Layer, maxima: str, indices: str) -> str:
    """Return indices that count from the layer's axis on; of windows without a number above the least they are 0."""
    axis = layer.axis(layer.operation.axis)
    counted: int | str = 1
    for at in range(axis, layer.rank()):
        counted = layer.arithmetic("Mul", counted, layer.dim(0, at))
    spatial: int | str = 1
    for at in range(2, layer.rank()):
        spatial = layer.arithmetic("Mul", spatial, layer.dim(0, at))
    has_number = layer.emit("Greater", maxima, layer.like(lowest(layer.type_of(maxima).dtype), maxima))
    size = layer.vector(spatial)
    first = layer.emit("Mul", layer.emit("Div", indices, size), size)
    indices = layer.emit("Where", has_number, indices, first)
    return layer.emit("Mod", indices, layer.vector(counted)) if axis else indices


@writes(AvgPool)
def avg_pool(layer: Layer) -> str:
    """Return AveragePool: pads that count are elements, and what lies beyond them does not."""
    operation, value = layer.operation, layer.inputs[0]
    windows = operation.windows(layer.rank() - 2)
    element_type = layer.type_of(value)
    if not element_type.is_floating:
        value = layer.cast(value, ElementType.f64)
    common: dict[str, Any] = {"kernel_shape": list(operation.kernel), "strides": list(windows.strides)}
    if any(by != 1 for by in windows.dilations):
        common["dilations"] = list(windows.dilations)
    pads = _open_pads(layer)
    has_pads = any(windows.pads_begin) or any(windows.pads_end) or windows.is_same
    if pads is not None and (operation.exclude_pad or not has_pads):
        return layer.emit("AveragePool", value, **pads, **common)
    if pads is not None and windows.is_same:
        return layer.emit("AveragePool", value, count_include_pad=1, **pads, **common)
    begin, end = _layout(layer)
    counts_pads = not operation.exclude_pad and (any(begin) or has_pads)
    if counts_pads:
        if any((*begin, *end)):
            value = layer.emit("Pad", value, layer.vector(0, 0, *begin, 0, 0, *end))
        return layer.emit("AveragePool", value, **common)
    if _are_wide([*begin, *end], _extents(operation, windows)):
        raise NotExpressibleError("a window lies in the pads alone, whose mean ONNX leaves open")
    return layer.emit("AveragePool", value, pads=[*begin, *end], **common)


@writes(AdaptiveAvgPool, widens=True)
def adaptive_avg_pool(layer: Layer) -> str:
    """Return the product with a matrix of means for each axis, in f64."""
    value = layer.inputs[0]
    outputs, lengths = layer.integers(1), layer.shape()[2:]
    element_type = layer.type_of(value)
    for axis, (count, dim) in enumerate(zip(outputs, lengths, strict=True)):
        if dim.is_dynamic:
            raise NotExpressibleError("the regions depend on spatial lengths that are open")
        length = dim.get_length()
        starts, ends = region_bounds(length, count)
        positions = np.arange(length)[:, None]
        inside = (positions >= starts) & (positions < ends)
        matrix = layer.constant(inside / np.maximum(ends - starts, 1), ElementType.f64)
        order = [*(at for at in range(layer.rank()) if at != axis + 2), axis + 2]
        moved = layer.emit("MatMul", layer.transpose(layer.cast(value, ElementType.f64), order), matrix)
        value = layer.transpose(moved, [order.index(at) for at in range(len(order))])
    return layer.cast(value, element_type)


@writes(AdaptiveMaxPool)
def adaptive_max_pool(layer: Layer) -> list[str]:
    """Return the maxima of elements gathered for each region, and the first of their positions."""
    outputs, lengths = layer.integers(1), layer.lengths()
    spatial = lengths[2:]
    bounds = [region_bounds(length, count) for length, count in zip(spatial, outputs, strict=True)]
    rows = []
    for cell in np.ndindex(*outputs):
        spans = [np.arange(starts[at], ends[at]) for (starts, ends), at in zip(bounds, cell, strict=True)]
        grid = np.meshgrid(*spans, indexing="ij")
        rows.append(np.ravel_multi_index([axis.reshape(-1) for axis in grid], spatial))
    if not rows:
        raise NotExpressibleError("there are no regions")
    longest = max(map(len, rows))
    table = np.array([np.concatenate([row, np.full(longest - len(row), row[0])]) for row in rows], np.int64)
    flat = layer.reshape(layer.inputs[0], *lengths[:2], prod(spatial))
    gathered = layer.emit("Gather", flat, layer.constant(table), axis=2)
    best = layer.emit("ArgMax", gathered, axis=3, keepdims=1)
    positions = layer.emit("Expand", layer.constant(table), layer.emit("Shape", gathered))
    target = [*lengths[:2], *outputs]
    maxima = layer.reshape(layer.emit("GatherElements", gathered, best, axis=3), *target)
    return [maxima, layer.reshape(layer.emit("GatherElements", positions, best, axis=3), *target)]
