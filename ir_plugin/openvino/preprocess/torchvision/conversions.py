"""The transforms of torchvision as steps of preprocessing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentValueError
from ir_plugin.model import Output
from ir_plugin.openvino.preprocess.formats import ColorFormat, ResizeAlgorithm
from ir_plugin.openvino.preprocess.graph import constant, operation
from ir_plugin.openvino.preprocess.inputs import InputInfo
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.movement.pad import Pad1
from ir_plugin.tensors import ElementType, Layout

_TYPES = {
    "float": "f32", "int": "i32", "bool": "boolean", "float16": "f16", "float32": "f32", "float64": "f64",
    "uint8": "u8", "int8": "i8", "int32": "i32", "int64": "i64", "DoubleTensor": "f64", "FloatTensor": "f32",
    "IntTensor": "i32", "LongTensor": "i64", "BoolTensor": "boolean",
}  # fmt: skip
"""Element types by the names of torch's, and of Python's."""
_ALGORITHMS = {
    "NEAREST": ResizeAlgorithm.RESIZE_NEAREST,
    "BILINEAR": ResizeAlgorithm.RESIZE_BILINEAR_PILLOW,
    "BICUBIC": ResizeAlgorithm.RESIZE_BICUBIC_PILLOW,
}


@dataclass
class State:
    """The input of a model, and the shape, layout, height and width of the image between two transforms."""

    info: InputInfo
    shape: list[int]
    layout: Layout
    size: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.size = self.shape[self.axis("H")], self.shape[self.axis("W")]

    def axis(self, name: str) -> int:
        """Return the axis of a dimension."""
        return self.layout.get_index_by_name(name)


def convert(transform: Any, state: State) -> None:
    """Add the steps of a transform."""
    name = type(transform).__name__
    if name not in _CONVERTERS:
        raise ArgumentValueError(f"{name} is not supported; supported are {', '.join(_CONVERTERS)}")
    _CONVERTERS[name](transform, state)


def _normalize(transform: Any, state: State) -> None:
    if transform.inplace:
        raise ArgumentValueError("Inplace Normalization is not supported.")
    state.info.preprocess().mean(transform.mean).scale(transform.std)


def _convert_type(transform: Any, state: State) -> None:
    dtype = transform.dtype
    name = dtype.__name__ if isinstance(dtype, type) else str(dtype).removeprefix("torch.")
    if name not in _TYPES:
        raise ArgumentValueError(f"ConvertImageDtype to {dtype} is not supported; supported are {', '.join(_TYPES)}")
    state.info.preprocess().convert_element_type(ElementType(_TYPES[name]))


def _grayscale(transform: Any, state: State) -> None:
    count = transform.num_output_channels
    state.shape[state.axis("C")] = count
    state.info.preprocess().convert_color(ColorFormat.GRAY)
    if count != 1:
        shape = list(state.shape)
        state.info.preprocess().custom(lambda port: operation(Broadcast, port, constant(shape, "i64"), mode="numpy"))


def _pad(transform: Any, state: State) -> None:
    left, top, right, bottom = _sides(transform.padding)
    begin, end = [0] * len(state.shape), [0] * len(state.shape)
    for pads, rows, columns in ((begin, top, left), (end, bottom, right)):
        pads[state.axis("H")], pads[state.axis("W")] = rows, columns
    mode, fill = transform.padding_mode, transform.fill
    if mode == "constant" and isinstance(fill, tuple):
        raise ArgumentValueError("Different fill values for R, G, B channels are not supported.")

    def pad(port: Output) -> Output:
        inputs = [port, constant(begin, "i64"), constant(end, "i64")]
        if mode == "constant":
            inputs.append(constant(np.uint8(fill), port.element_type.name))
        return operation(Pad1, *inputs, pad_mode=mode)

    state.info.preprocess().custom(pad)
    state.size = state.size[0] + top + bottom, state.size[1] + left + right


def _sides(padding: Any) -> tuple[int, int, int, int]:
    """Return the columns and rows that are added left, at the top, right and at the bottom."""
    if isinstance(padding, int):
        return padding, padding, padding, padding
    if len(padding) == 2:
        return padding[0], padding[1], padding[0], padding[1]
    left, top, right, bottom = padding
    return left, top, right, bottom


def _to_tensor(transform: Any, state: State) -> None:
    del transform
    state.info.tensor().set_element_type(ElementType.u8).set_layout("NHWC").set_color_format(ColorFormat.RGB)
    steps = state.info.preprocess()
    if state.layout == Layout("NHWC"):
        batch, height, width, channels = state.shape
        state.shape, state.layout = [batch, channels, height, width], Layout("NCHW")
        steps.convert_layout(state.layout)
    steps.convert_element_type(ElementType.f32).scale(255.0)


def _center_crop(transform: Any, state: State) -> None:
    target = _size(transform.size, "CenterCrop")
    begin = [int((length - length_after) / 2) for length, length_after in zip(state.size, target, strict=True)]
    end = [min(low + length_after, most - 1) for low, length_after, most in zip(begin, target, state.size, strict=True)]
    if state.layout == Layout("NCHW"):
        state.info.preprocess().crop([0, 0, *begin], [*state.shape[:-2], *end])
    else:
        state.info.preprocess().crop([0, *begin, 0], [state.shape[0], *end, state.shape[-1]])
    state.size = target


def _resize(transform: Any, state: State) -> None:
    if transform.max_size:
        raise ArgumentValueError("Resize with max_size is not supported")
    algorithm = _ALGORITHMS.get(transform.interpolation.name)
    if algorithm is None:
        raise ArgumentValueError(f"Interpolation mode {transform.interpolation} is not supported.")
    height, width = _size(transform.size, "Resize")
    if isinstance(transform.size, int):
        current_height, current_width = state.size
        if current_height > current_width:
            height = int(transform.size * (current_height / current_width))
        elif current_width > current_height:
            width = int(transform.size * (current_width / current_height))
    state.shape[state.axis("H")] = state.shape[state.axis("W")] = -1
    state.info.tensor().set_layout("NCHW").set_shape(state.shape)
    state.info.preprocess().resize(algorithm, height, width)
    state.size = height, width


def _size(size: Any, name: str) -> tuple[int, int]:
    if isinstance(size, Number):
        return int(size), int(size)  # type: ignore[call-overload]
    if not isinstance(size, Sequence) or len(size) not in (1, 2):
        raise ArgumentValueError(f"Incorrect size type for {name} operation")
    return size[0], size[-1]


_CONVERTERS: dict[str, Callable[[Any, State], None]] = {
    "CenterCrop": _center_crop,
    "ConvertImageDtype": _convert_type,
    "Grayscale": _grayscale,
    "Normalize": _normalize,
    "Pad": _pad,
    "Resize": _resize,
    "ToTensor": _to_tensor,
}
