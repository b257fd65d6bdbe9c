"""Steps of preprocessing and of postprocessing: each appends nodes to the outputs of the step before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ir_plugin.errors import CallbackError, Error, InputError
from ir_plugin.model import Output
from ir_plugin.openvino.preprocess.arguments import listed
from ir_plugin.openvino.preprocess.channels import reverse_channels
from ir_plugin.openvino.preprocess.formats import PaddingMode, ResizeAlgorithm
from ir_plugin.openvino.preprocess.graph import Context, Ports, Step, constant, marked, operation, transposed
from ir_plugin.openvino.preprocess.layouts import axis_of, permutation, permuted, unsqueezed
from ir_plugin.operations.arithmetic.binary import Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.image.interpolate import Interpolate
from ir_plugin.operations.movement.pad import Pad1
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import ElementType, Layout

_HINT = "Suggesting to convert current image to RGB/BGR color format using 'convert_color'"
_CUBE = {ResizeAlgorithm.RESIZE_BICUBIC_PILLOW: -0.5}
"""The coefficient that Pillow, and OpenVINO's CPU for Pillow's modes whatever an IR says, takes."""
_PADDED = {PaddingMode.REFLECT: "reflected from tensor", PaddingMode.SYMMETRIC: "symmetrically added from tensor"}


def mean(values: Sequence[float]) -> Step:
    """Return the step that subtracts one value, or one for each channel."""
    return _normalization("mean", Subtract, values)


def scale(values: Sequence[float]) -> Step:
    """Return the step that divides by one value, or by one for each channel."""
    return _normalization("scale", Divide, values)


def _normalization(word: str, definition: OperationClass, values: Sequence[float]) -> Step:
    def run(ports: Ports, context: Context) -> Ports:
        port = _single(ports, f"Can't apply {word} preprocessing for multi-plane input.")
        shape = [1] if len(values) == 1 else _shape_of_channels(port, len(values), context.layout)
        _require_real(port, word.capitalize(), "scaling")
        operand = constant(values, port.element_type.name)
        reshaped = constant(operand.node.operation.evaluate().astype("f8").reshape(shape), port.element_type.name)
        return [marked(operation(definition, port, reshaped))]

    return Step(f"{word} {listed(values)}", run)


def _shape_of_channels(port: Output, count: int, layout: Layout) -> list[int]:
    shape = port.partial_shape
    axis = axis_of(layout, "C", shape)
    if shape[axis].is_static and shape[axis] != count:
        raise InputError(
            f"Number of channels and mean/values size mismatch: Channels = {shape[axis]}, mean/scale = {count}, "
            f"shape = {shape}, layout = {layout}"
        )
    return [count if position == axis else 1 for position in range(len(shape))]


def _require_real(port: Output, step: str, doing: str) -> None:
    if not port.element_type.is_real:
        raise InputError(
            f"{step} preprocessing can be applied to 'float' inputs. Consider using of 'convert_element_type' before "
            f"{doing}. Current type is: {port.element_type.name}"
        )


def _single(ports: Ports, what: str) -> Output:
    if len(ports) != 1:
        raise InputError(f"{what} {_HINT}")
    return ports[0]


def pad(begin: Sequence[int], end: Sequence[int], values: Sequence[float], mode: PaddingMode) -> Step:
    """Return the step that pads each dimension with elements before and after its data."""

    def run(ports: Ports, _: Context) -> Ports:
        port = _single(ports, "Can't pad multi-plane input.")
        _require_real(port, "Pad", "padding")
        if len(values) != 1:
            raise InputError(f"a padding has one value; {len(values)} are given")
        bounds = [constant(begin, "i64"), constant(end, "i64"), constant(values[0], port.element_type.name)]
        return [operation(Pad1, port, *bounds, pad_mode=mode.name.lower())]

    added = _PADDED.get(mode, f"with {listed(values)}")
    return Step(f"pad(begin {listed(begin)}, end {listed(end)}, {added})", run)


def convert_type(type: ElementType) -> Step:
    """Return the preprocessing step that converts elements to a type, by default the model's."""

    def run(ports: Ports, context: Context) -> Ports:
        target = type if type.is_static else context.target_type
        if not all(port.element_type.is_static for port in ports):
            raise InputError("Can't insert 'convert_element_type' for dynamic source tensor type.")
        return [_converted(port, target) for port in ports]

    return Step(f"convert type ({type.name})", run)


def convert_result_type(type: ElementType) -> Step:
    """Return the postprocessing step that converts elements to a type, by default the output tensor's."""

    def run(ports: Ports, context: Context) -> Ports:
        target = type if type.is_static else context.target_type
        if target.is_dynamic and ports[0].element_type.is_static:
            raise InputError(
                "Can't convert to dynamic/unknown element type, consider using of OutputTensorInfo.set_element_type"
            )
        return [_converted(ports[0], target)]

    return Step(f"convert type ({type.name})", run)


def _converted(port: Output, target: ElementType) -> Output:
    return port if port.element_type is target else operation(Convert, port, destination_type=target)


def resize(algorithm: ResizeAlgorithm, size: tuple[int, int] | None) -> Step:
    """Return the step that resizes an image, by default to the height and width of the model."""

    def run(ports: Ports, context: Context) -> Ports:
        port = _single(ports, "Can't resize multi-plane input.")
        if not (context.layout.has_name("H") and context.layout.has_name("W")):
            raise InputError(
                "Can't add resize for layout without W/H specified. Use 'set_layout' API to define layout of image "
                "data, like `NCHW`"
            )
        shape = port.partial_shape
        if shape.ndim is None:
            raise InputError("Resize operation is not supported for fully dynamic shape")
        axes = [axis_of(context.layout, name, shape) for name in "HW"]
        sizes = constant(size or [_model_length(context, name) for name in "HW"], "i64")
        zeros = [0] * len(shape)
        return [
            operation(
                Interpolate, port, sizes, constant(axes, "i64"),
                mode=algorithm.name.removeprefix("RESIZE_").lower(), shape_calculation_mode="sizes",
                pads_begin=zeros, pads_end=zeros, cube_coeff=_CUBE.get(algorithm, -0.75),
            )
        ]  # fmt: skip

    is_explicit = size is not None and min(size) > 0
    return Step(f"resize to ({size[0]}, {size[1]})" if is_explicit and size else "resize to model width/height", run)


def _model_length(context: Context, name: str) -> int:
    if context.model_shape.ndim is None:
        raise InputError("Resize is not fully specified while target model shape is dynamic")
    dim = context.model_shape[axis_of(context.target_layout, name, context.model_shape)]
    if dim.is_dynamic:
        word = "height" if name == "H" else "width"
        raise InputError(f"Dynamic resize: Model {word} dimension shall be static")
    return dim.get_length()


def crop(begin: Sequence[int], end: Sequence[int]) -> Step:
    """Return the step that cuts a block from an image; negative bounds count from the end."""
    text = f"Crop ([ {', '.join(map(str, begin))} ],[ {', '.join(map(str, end))} ])"
    if len(begin) != len(end):
        raise InputError(
            f"{text} begin/end coordinates must have the same size. Begin size={len(begin)}, end size={len(end)}"
        )

    def run(ports: Ports, _: Context) -> Ports:
        port = _single(ports, "Can't crop multi-plane input.")
        axes = constant(range(len(begin)), "i64")
        bounds = [constant(values, "i32") for values in (begin, end, [1] * len(begin))]
        return [operation(Slice, port, *bounds, axes)]

    return Step(text, run)


def convert_layout(layout: Layout, *, unsqueeze: bool) -> Step:
    """Return the step that transposes to a layout, by default the model's or the output tensor's."""

    def run(ports: Ports, context: Context) -> Ports:
        port = _single(ports, "Can't convert layout for multi-plane input.")
        target = context.target_layout if layout.empty else layout
        shape, current, added = port.partial_shape, context.layout, 0
        if unsqueeze:
            shape, current, added = unsqueezed(current, shape, target)
        axes = permutation(current, shape, target)
        if not axes:
            context.layout = context.layout if layout.empty else layout
            return ports
        if added:
            port = operation(Unsqueeze, port, constant(range(added), "i64"))
        context.layout = target
        return [transposed(port, axes)]

    return Step(f"convert layout {layout}", run)


def permute(dims: Sequence[int]) -> Step:
    """Return the step that puts dimensions into another order."""

    def run(ports: Ports, context: Context) -> Ports:
        port = _single(ports, "Can't convert layout for multi-plane input.")
        context.layout = permuted(context.layout, dims)
        return [transposed(port, list(dims), "u64")]

    return Step(f"convert layout {listed(dims)}", run)


def reverse() -> Step:
    """Return the step that reverses the channels."""
    return Step("reverse channels", lambda ports, context: [marked(reverse_channels(ports, context))])


def custom(build: Callable[[Output], Any]) -> Step:
    """Return the step of a function that takes an output and returns an output."""

    def run(ports: Ports, _: Context) -> Ports:
        port = _single(ports, "Can't apply custom preprocessing step for multi-plane input.")
        try:
            result = build(port)
        except Error:
            raise
        except Exception as fault:
            raise CallbackError.of(fault) from fault
        if not isinstance(result, Output):
            raise CallbackError(
                f"a custom step returns an output, not {type(result).__name__}; write node.output(0), or decorate the "
                "function with utils.decorators.custom_preprocess_function"
            )
        return [result]

    return Step("custom", run)
