"""Detection: boxes, regions and their pixels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ir_plugin.frontends.onnx_writer.activation import along
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.base import compute
from ir_plugin.operations.convolution.deformable_convolution import DeformableConvolution
from ir_plugin.operations.detection.prior_box import PriorBox
from ir_plugin.operations.detection.prior_box_clustered import PriorBoxClustered
from ir_plugin.operations.detection.region_yolo import RegionYolo
from ir_plugin.operations.detection.reorg_yolo import ReorgYolo
from ir_plugin.operations.detection.roi_align import ROIAlign
from ir_plugin.operations.detection.roi_align_of_products import ROIAlignOfProducts
from ir_plugin.operations.image.bgr_to_nv12 import BGRtoNV12
from ir_plugin.operations.image.rgb_to_nv12 import RGBtoNV12
from ir_plugin.operations.image.yuv import FromPlanes, I420toBGR, I420toRGB, NV12toBGR, NV12toRGB
from ir_plugin.operations.sort.non_max_suppression import NonMaxSuppression
from ir_plugin.tensors import ElementType

f32 = ElementType.f32


@writes(PriorBox, PriorBoxClustered)
def prior_box(layer: Layer) -> str:
    """Return the boxes as a constant, which they are where the sizes of the maps are known."""
    sizes = [layer.constant_values(0), layer.constant_values(1)]
    types = [layer.info(at).element_type for at in (0, 1)]
    info = layer.output_info()
    (boxes,) = compute(layer.operation.specialize(tuple(types), (info.element_type,)), sizes)
    return layer.constant(boxes, info.element_type)


@writes(RegionYolo, widens=True)
def region_yolo(layer: Layer) -> str:
    """Return Sigmoid of coordinates and scores, and Sigmoid or Softmax of classes."""
    operation = layer.operation
    batch, channels, height, width = (layer.dim(0, axis) for axis in range(4))
    size = operation.region_size
    used = operation.regions * size
    data = layer.inputs[0]
    first = layer.slice(data, 1, 0, used)
    regions = layer.reshape(first, batch, operation.regions, size, height, width)
    coords = operation.coords
    cuts = sorted({0, min(coords, 2), coords, coords + 1, size})
    parts = []
    for start, stop in pairwise(cuts):
        part = layer.slice(regions, 2, start, stop)
        if stop <= min(coords, 2) or (start >= coords and (start == coords or not operation.do_softmax)):
            part = layer.emit("Sigmoid", part)
        elif start > coords:
            part = along(layer, "Softmax", part, 2, 5)
        parts.append(part)
    joined = layer.emit("Concat", *parts, axis=2) if len(parts) > 1 else parts[0]
    result = layer.reshape(joined, batch, used, height, width)
    if not operation.do_softmax:
        return result
    if channels != used:
        result = layer.emit("Concat", result, layer.slice(data, 1, used, 2**62), axis=1)
    axis, end = operation.axis % 4, operation.end_axis % 4
    dims = [batch, channels, height, width]
    return layer.reshape(result, *dims[:axis], -1, *dims[end + 1 :])


@writes(ReorgYolo)
def reorg_yolo(layer: Layer) -> str:
    """Return Reshape and Transpose, in the order of Darknet."""
    batch, channels, height, width = layer.lengths()
    s = layer.operation.stride
    blocks = layer.reshape(layer.inputs[0], batch, channels // s**2, height, s, width, s)
    moved = layer.transpose(blocks, [0, 3, 5, 1, 2, 4])
    return layer.reshape(moved, batch, channels * s**2, height // s, width // s)


@writes(I420toRGB, I420toBGR, NV12toRGB, NV12toBGR, widens=True)
def from_planes(layer: Layer) -> str:
    """Return the colours as sums of luma and doubled chroma, limited to [0, 255]."""
    y, u, v = _planes(layer)
    wide = ElementType.f64 if layer.type_of(layer.inputs[0]) is ElementType.f64 else f32
    y, u, v = (layer.cast(plane, wide) for plane in (y, u, v))

    def number(value: float) -> str:
        return layer.constant(value, wide)

    light = layer.emit("Mul", layer.emit("Sub", y, number(16)), number(1.164))
    u, v = (_doubled(layer, layer.emit("Sub", plane, number(128))) for plane in (u, v))
    red = layer.emit("Add", light, layer.emit("Mul", v, number(1.596)))
    green = layer.emit("Sub", light, layer.emit("Mul", u, number(0.391)))
    green = layer.emit("Sub", green, layer.emit("Mul", v, number(0.813)))
    blue = layer.emit("Add", light, layer.emit("Mul", u, number(2.018)))
    operation: FromPlanes = layer.operation
    colours = [layer.unsqueeze(colour, 3) for colour in (red, green, blue)]
    image = layer.emit("Concat", *(colours[::-1] if operation.reverse else colours), axis=3)
    return layer.emit("Clip", image, number(0), number(255))


def _planes(layer: Layer) -> list[str]:
    """Return luma [N, H, W], U and V [N, H / 2, W / 2]."""
    is_nv12 = layer.operation.is_a(NV12toRGB, NV12toBGR)
    if len(layer.inputs) > 1 and not is_nv12:
        return [layer.squeeze(value, 3) for value in layer.inputs]
    if len(layer.inputs) > 1:
        chroma = layer.inputs[1]
        return [layer.squeeze(layer.inputs[0], 3), *_channels(layer, chroma, 3)]
    batch, rows, width, _ = layer.lengths()
    height = rows * 2 // 3
    planes = layer.squeeze(layer.inputs[0], 3)
    y, rest = layer.slice(planes, 1, 0, height), layer.slice(planes, 1, height, rows)
    if is_nv12:
        return [y, *_channels(layer, layer.reshape(rest, batch, height // 2, width // 2, 2), 3)]
    return [y, *_channels(layer, layer.reshape(rest, batch, 2, height // 2, width // 2), 1)]


def _channels(layer: Layer, value: str, axis: int) -> list[str]:
    """Return the two elements along an axis, which is dropped."""
    return [layer.emit("Gather", value, layer.constant(np.int64(at)), axis=axis) for at in (0, 1)]


def _doubled(layer: Layer, plane: str) -> str:
    """Return a plane with each pixel four times."""
    output = layer.output_info().shape
    batch, height, width = (output[axis] for axis in range(3))
    if any(dim.is_dynamic for dim in (batch, height, width)):
        raise NotExpressibleError("the size of the image is open")
    rows, columns = (np.repeat(np.arange(dim.get_length() // 2), 2) for dim in (height, width))
    return layer.emit(
        "Gather", layer.emit("Gather", plane, layer.constant(rows), axis=1), layer.constant(columns), axis=2
    )


@writes(ROIAlign, widens=True)
def roi_align(layer: Layer) -> str:
    """Return RoiAlign of means; the largest samples are other ones in ONNX."""
    operation = layer.operation
    if operation.mode != "avg":
        raise NotExpressibleError("ONNX's RoiAlign takes the largest of other samples")
    return _roi_align(layer, "avg")


def _roi_align(layer: Layer, pooling: str) -> str:
    """Return RoiAlign by means or by the largest products."""
    operation = layer.operation
    modes = {"asymmetric": "output_half_pixel", "half_pixel_for_nn": "", "half_pixel": "half_pixel"}
    mode = modes[operation.aligned_mode]
    rois, scale = layer.inputs[1], float(operation.spatial_scale)
    if operation.aligned_mode == "half_pixel":
        raise NotExpressibleError("ONNX's RoiAlign shifts boxes after scaling them")
    if not mode:
        mode = "half_pixel"
    return layer.emit(
        "RoiAlign", layer.inputs[0], rois, layer.cast(layer.inputs[2], i64), mode=pooling,
        coordinate_transformation_mode=mode, output_height=operation.pooled_h, output_width=operation.pooled_w,
        sampling_ratio=operation.sampling_ratio, spatial_scale=scale,
    )  # fmt: skip


@writes(ROIAlignOfProducts, widens=True)
def roi_align_of_products(layer: Layer) -> str:
    """Return RoiAlign of the largest products."""
    return _roi_align(layer, layer.operation.mode)


@writes(DeformableConvolution, widens=True)
def deformable_convolution(layer: Layer) -> str:
    """Return DeformConv, whose samples outside the image are 0 corner by corner."""
    operation = layer.operation
    if not getattr(operation, "bilinear_interpolation_pad", False):
        raise NotExpressibleError("samples near the edge are cut off as a whole, in ONNX's DeformConv corner by corner")
    windows = operation.windows()
    kernel = [dim.get_length() for dim in layer.shape(2)[2:]]
    begin, end = windows.pads(layer.lengths()[2:], kernel)
    data, offsets, filters = layer.inputs[:3]
    operands = [data, filters, offsets, *(["", layer.inputs[3]] if layer.has(3) else [])]
    return layer.emit(
        "DeformConv", *operands, strides=list(windows.strides), dilations=list(windows.dilations), pads=[*begin, *end],
        group=operation.group, offset_group=operation.deformable_group,
    )  # fmt: skip


@writes(NonMaxSuppression)
def non_max_suppression(layer: Layer) -> list[str]:
    """Return NonMaxSuppression, the gathered scores and their number; all sorted by score where asked for."""
    operation = layer.operation
    if layer.has(5) and (layer.value(5) is None or float(layer.constant_values(5).reshape(-1)[0]) > 0):
        raise NotExpressibleError("ONNX's NonMaxSuppression multiplies no scores")
    boxes, scores = (layer.cast(name, f32) for name in layer.inputs[:2])
    limits = [layer.inputs[at] if layer.has(at) else "" for at in (2, 3, 4)]
    most = layer.reshape(layer.cast(limits[0], i64), 1) if limits[0] else layer.list_of(0)
    overlap = layer.reshape(layer.cast(limits[1], f32), 1) if limits[1] else layer.constant(np.zeros(1))
    least = layer.reshape(layer.cast(limits[2], f32), 1) if limits[2] else layer.constant(np.zeros(1))
    encoding = getattr(operation, "box_encoding", "corner")
    chosen = layer.emit(
        "NonMaxSuppression", boxes, scores, most, overlap, least, center_point_box=int(encoding == "center")
    )
    selected_scores = layer.emit("GatherND", scores, chosen)
    count = layer.length(chosen, 0)
    if operation.sort_result_descending:
        order = layer.emit_all("TopK", selected_scores, count, axis=0, largest=1, sorted=1, count=2)[1]
        chosen = layer.emit("Gather", chosen, order, axis=0)
        selected_scores = layer.emit("Gather", selected_scores, order, axis=0)
    if len(layer.node.outputs) == 1:
        return [chosen]
    pairs = layer.cast(layer.slice(chosen, 1, 0, 2), f32)
    triplets = layer.emit("Concat", pairs, layer.unsqueeze(selected_scores, 1), axis=1)
    return [chosen, triplets, count]


@writes(RGBtoNV12, BGRtoNV12)
def to_nv12(layer: Layer) -> list[str]:
    """Return luma and the means of chroma, in one tensor or two; integers are rounded half up."""
    value = layer.inputs[0]
    is_whole = not layer.type_of(value).is_floating
    pixels = layer.cast(value, ElementType.f64 if layer.type_of(value) is ElementType.f64 else f32)
    colours = [layer.emit("Gather", pixels, layer.constant(np.int64(at)), axis=3) for at in range(3)]
    colours = colours[::-1] if layer.operation.reverse else colours
    weights = ((0.257, 0.504, 0.098, 16), (-0.148, -0.291, 0.439, 128), (0.439, -0.368, -0.071, 128))
    y, u, v = (_pixel(layer, _mixed(layer, colours, row), is_whole) for row in weights)
    batch, height, width, _ = layer.lengths()
    halves = [_quarter(layer, plane, (batch, height // 2, width // 2)) for plane in (u, v)]
    chroma = _pixel(layer, layer.emit("Concat", *(layer.unsqueeze(plane, 3) for plane in halves), axis=3), is_whole)
    if not layer.operation.single_plane:
        return [layer.unsqueeze(y, 3), chroma]
    rest = layer.reshape(chroma, batch, height // 2, width)
    return [layer.unsqueeze(layer.emit("Concat", y, rest, axis=1), 3)]


def _mixed(layer: Layer, colours: list[str], row: tuple[float, ...]) -> str:
    """Return the weighted sum of colours plus an offset."""
    total = ""
    for colour, weight in zip(colours, row, strict=False):
        part = layer.emit("Mul", colour, layer.like(weight, colour))
        total = layer.emit("Add", total, part) if total else part
    return layer.emit("Add", total, layer.like(row[3], total))


def _pixel(layer: Layer, value: str, is_whole: bool) -> str:
    """Return values limited to [0, 255], rounded half up where pixels are integers."""
    limited = layer.emit("Clip", value, layer.like(0, value), layer.like(255, value))
    return layer.emit("Floor", layer.emit("Add", limited, layer.like(0.5, limited))) if is_whole else limited


def _quarter(layer: Layer, plane: str, shape: tuple[int, int, int]) -> str:
    """Return the means of blocks of 2 × 2 pixels."""
    batch, height, width = shape
    return layer.reduce("ReduceMean", layer.reshape(plane, batch, height, 2, width, 2), [2, 4], keep=False)
