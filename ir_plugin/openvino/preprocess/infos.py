"""What a user says about tensors and models, as `openvino.preprocess.InputTensorInfo` and its siblings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import InputError, require, wrong_type
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.openvino.preprocess.arguments import as_integers, as_layout, as_length, as_type
from ir_plugin.openvino.preprocess.colors import name_of, planes
from ir_plugin.openvino.preprocess.formats import ColorFormat
from ir_plugin.tensors import Dimension, ElementType, Layout, PartialShape, Shape

_TOGETHER = "shall not be used together"


class InputModelInfo:
    """The layout of an input of the model."""

    def __init__(self) -> None:
        self._layout: Layout | None = None

    def set_layout(self, layout: Layout | str) -> InputModelInfo:
        """Set the layout that the model expects, and return this object."""
        self._layout = as_layout(layout, "layout")
        return self


class OutputModelInfo:
    """The layout of an output of the model."""

    def __init__(self) -> None:
        self._layout: Layout | None = None

    def set_layout(self, layout: Layout | str) -> OutputModelInfo:
        """Set the layout that the model returns, and return this object."""
        self._layout = as_layout(layout, "layout")
        return self


class OutputTensorInfo:
    """The type and layout of the tensor that a user gets."""

    def __init__(self) -> None:
        self._type: ElementType | None = None
        self._layout: Layout | None = None

    def set_element_type(self, type: ElementType) -> OutputTensorInfo:
        """Set the element type, and return this object."""
        self._type = as_type(type)
        return self

    def set_layout(self, layout: Layout | str) -> OutputTensorInfo:
        """Set the layout, and return this object."""
        self._layout = as_layout(layout, "layout")
        return self


class InputTensorInfo:
    """The type, shape, layout and color format of the tensor that a user gives."""

    def __init__(self) -> None:
        self._type: ElementType | None = None
        self._layout: Layout | None = None
        self._shape: PartialShape | None = None
        self._spatial: tuple[Dimension, Dimension] | None = None
        self._color = ColorFormat.UNDEFINED
        self._names: tuple[str, ...] = ()
        self._memory_type: str | None = None

    def set_element_type(self, type: ElementType) -> InputTensorInfo:
        """Set the element type, and return this object; another type than the model's is converted."""
        self._type = as_type(type)
        return self

    def set_layout(self, layout: Layout | str) -> InputTensorInfo:
        """Set the layout, and return this object; another layout than the model's is converted."""
        self._layout = as_layout(layout, "layout")
        return self

    def set_shape(self, shape: PartialShape | Sequence[int]) -> InputTensorInfo:
        """Set the shape, and return this object; steps have to lead to the shape of the model."""
        dims = shape if isinstance(shape, PartialShape) else PartialShape(as_integers(shape, "shape"))
        if self._spatial is not None:
            raise InputError(
                f"'set_spatial_static_shape', 'set_spatial_dynamic_shape', 'set_shape/set_from' {_TOGETHER}"
            )
        self._shape = PartialShape(dims)
        return self

    def set_spatial_static_shape(self, height: int, width: int) -> InputTensorInfo:
        """Set height and width, and return this object; the layout names their dimensions."""
        sizes = Dimension(as_length(height, "height")), Dimension(as_length(width, "width"))
        return self._set_spatial("set_spatial_static_shape", sizes)

    def set_spatial_dynamic_shape(self) -> InputTensorInfo:
        """Let height and width be of any length, and return this object."""
        return self._set_spatial("set_spatial_dynamic_shape", (Dimension(), Dimension()))

    def _set_spatial(self, name: str, sizes: tuple[Dimension, Dimension]) -> InputTensorInfo:
        if self._shape is not None:
            raise InputError(f"'{name}' and 'set_shape/set_from' {_TOGETHER}")
        self._spatial = sizes
        return self

    def set_color_format(self, format: ColorFormat, sub_names: Sequence[str] = ()) -> InputTensorInfo:
        """Set the color format, with suffixes for the names of the planes, and return this object."""
        require(format, ColorFormat, "a ColorFormat", "format")
        require(sub_names, (list, tuple), "a list of names", "sub_names")
        if not all(isinstance(name, str) for name in sub_names):
            raise wrong_type("sub_names", "a list of names", sub_names)
        count = planes(format)
        if sub_names and count == 1:
            raise InputError(f"Plane names are not allowed for single plane color format '{name_of(format)}'")
        if sub_names and len(sub_names) != count:
            raise InputError(
                f"Number of sub-names ({len(sub_names)}) shall match with number of planes for '{name_of(format)}' "
                f"color format ({count})"
            )
        self._color, self._names = format, tuple(sub_names)
        return self

    def set_memory_type(self, memory_type: str) -> InputTensorInfo:
        """Write a memory type into the runtime information of the input, and return this object."""
        require(memory_type, str, "a text", "memory_type")
        self._memory_type = memory_type
        return self

    def set_from(self, tensor: Any) -> InputTensorInfo:
        """Take element type and shape of a tensor or an array, and return this object."""
        require(tensor, (Tensor, np.ndarray), "a Tensor or an array", "tensor")
        shape = tensor.shape
        self.set_shape(PartialShape(Shape(shape)))
        is_tensor = isinstance(tensor, Tensor)
        return self.set_element_type(tensor.element_type if is_tensor else ElementType(tensor.dtype))
