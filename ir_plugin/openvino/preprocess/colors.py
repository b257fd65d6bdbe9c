"""Color formats: their planes, and steps that convert one into another."""

from __future__ import annotations

from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.openvino.preprocess.channels import cut_last_channel, reverse_channels
from ir_plugin.openvino.preprocess.formats import ColorFormat
from ir_plugin.openvino.preprocess.graph import Context, Ports, Step, constant, operation, transposed
from ir_plugin.openvino.preprocess.layouts import axis_of, permutation
from ir_plugin.operations.arithmetic.binary import Multiply
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.round import Round
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.image.yuv import I420toBGR, I420toRGB, NV12toBGR, NV12toRGB
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import ElementType, Layout, PartialShape

_NAMES = {
    ColorFormat.UNDEFINED: "Unknown",
    ColorFormat.NV12_SINGLE_PLANE: "NV12 (single plane)",
    ColorFormat.NV12_TWO_PLANES: "NV12 (multi-plane)",
    ColorFormat.I420_SINGLE_PLANE: "I420 (single plane)",
    ColorFormat.I420_THREE_PLANES: "I420 (multi-plane)",
}
_PLANES = {ColorFormat.NV12_TWO_PLANES: 2, ColorFormat.I420_THREE_PLANES: 3}
_SINGLE = (ColorFormat.NV12_SINGLE_PLANE, ColorFormat.I420_SINGLE_PLANE)
_PAIR = (ColorFormat.RGB, ColorFormat.BGR)
_WITH_SPARE = {ColorFormat.RGBX: ColorFormat.RGB, ColorFormat.BGRX: ColorFormat.BGR}
_WEIGHTS = {ColorFormat.RGB: (0.299, 0.587, 0.114), ColorFormat.BGR: (0.114, 0.587, 0.299)}


def name_of(color: ColorFormat) -> str:
    """Return the name that descriptions and errors show."""
    return _NAMES.get(color, color.name)


def planes(color: ColorFormat) -> int:
    """Return the number of tensors that hold an image."""
    return _PLANES.get(color, 1)


def default_layout(color: ColorFormat) -> Layout:
    """Return the default layout of tensors of a color format."""
    return Layout() if color is ColorFormat.UNDEFINED else Layout("NHWC")


def plane_shape(color: ColorFormat, plane: int, shape: PartialShape, layout: Layout) -> PartialShape:
    """Return the shape of one plane of an image of this shape."""
    if shape.ndim is None:
        return shape
    if color in _PAIR:
        return shape.replace(layout.get_index_by_name("C"), 3)
    if shape.ndim != 4 or color in (ColorFormat.UNDEFINED, ColorFormat.GRAY):
        return shape
    if color in _WITH_SPARE:
        return shape.replace(3, 4)
    if color in _SINGLE:
        return _scaled(shape, 1, 3, 2).replace(3, 1)
    if plane:
        shape = _scaled(_scaled(shape, 1, 1, 2), 2, 1, 2)
    return shape.replace(3, 2 if plane and color is ColorFormat.NV12_TWO_PLANES else 1)


def _scaled(shape: PartialShape, axis: int, times: int, by: int) -> PartialShape:
    dim = shape[axis]
    return shape.replace(axis, dim.get_length() * times // by) if dim.is_static else shape


def convert_color(target: ColorFormat) -> Step:
    """Return the step that converts to a color format."""

    def run(ports: Ports, context: Context) -> Ports:
        if context.color is target:
            return ports
        converted = _converted(ports, context, target)
        context.color = target
        return [converted]

    return Step(f"convert color ({name_of(target)})", run)


def _converted(ports: Ports, context: Context, target: ColorFormat) -> Output:
    source = context.color
    if source.name.startswith(("NV12", "I420")):
        return _from_yuv(ports, source, target)
    if source in _PAIR and target in _PAIR:
        return reverse_channels(ports, context)
    if source in _PAIR and target is ColorFormat.GRAY:
        return _gray(ports[0], context)
    if source in _WITH_SPARE and target in _PAIR:
        cut = cut_last_channel(ports, context)
        return cut if _WITH_SPARE[source] is target else reverse_channels([cut], context)
    raise InputError(f"Source color format '{name_of(source)}' is not convertible to '{name_of(target)}'")


_CONVERSIONS = {definition.type: definition for definition in (I420toBGR, I420toRGB, NV12toBGR, NV12toRGB)}


def _from_yuv(ports: Ports, source: ColorFormat, target: ColorFormat) -> Output:
    family = source.name[:4]
    type = ports[0].element_type
    if target in _PAIR and not (type.is_real or type is ElementType.u8):
        raise InputError(f"{family} images have u8 or floating-point elements, not {type.name}")
    if target in _PAIR:
        return operation(_CONVERSIONS[f"{family}to{target.name}"], *ports)
    if target is ColorFormat.GRAY:
        return _luminance(ports[0]) if source in _SINGLE else ports[0]
    raise InputError(f"Unsupported conversion from {family} to '{name_of(target)}' format:")


def _luminance(port: Output) -> Output:
    """Return the upper two thirds of the rows of a single plane, which are the luminance."""
    shape = operation(ShapeOf, port)
    rows = operation(Gather, shape, constant([1], "i32"), constant(0, "i32"))
    doubled = operation(Multiply, rows, constant([2], "i64"))
    stop = operation(Divide, doubled, constant([3], "i64"))
    once = constant([1], "i32")
    return operation(Slice, port, constant([0], "i32"), stop, once, once)


def _gray(port: Output, context: Context) -> Output:
    """Return the weighted sum of the channels; integers are rounded to the nearest even."""
    shape, element_type = port.partial_shape, port.element_type
    if len(shape) != 4:
        raise InputError(f"Input shape size should be equal to 4, actual size: {len(shape)}")
    channels = axis_of(context.layout, "C", shape)
    if shape[channels] != 3:
        raise InputError(f"Channels dimension should be equal to 3, actual value: {shape[channels]}")
    is_last, front = channels == 3, Layout("NC...")
    if is_last:
        port = transposed(port, permutation(context.layout, shape, front))
    if element_type.is_integral_number:
        port = operation(Convert, port, destination_type="f32")
    zeros, ones = [0, 0], [1, 1]
    weights = constant([[[[weight]] for weight in _WEIGHTS[context.color]]], "f32")
    port = operation(
        Convolution, port, weights, strides=ones, dilations=ones, pads_begin=zeros, pads_end=zeros,
        auto_pad="explicit",
    )  # fmt: skip
    if element_type.is_integral_number:
        rounded = operation(Round, port, mode="half_to_even")
        port = operation(Convert, rounded, destination_type=ElementType(element_type))
    return transposed(port, permutation(front, shape, context.layout)) if is_last else port
