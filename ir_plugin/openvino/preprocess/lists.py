"""Lists of steps, as `openvino.preprocess.PreProcessSteps` and `PostProcessSteps`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.openvino.preprocess import steps
from ir_plugin.openvino.preprocess.arguments import as_floats, as_integers, as_layout, as_length, as_type
from ir_plugin.openvino.preprocess.colors import convert_color
from ir_plugin.openvino.preprocess.formats import ColorFormat, PaddingMode, ResizeAlgorithm
from ir_plugin.openvino.preprocess.graph import Step
from ir_plugin.openvino.preprocess.layouts import permuted
from ir_plugin.tensors import Dimension, ElementType, Layout, PartialShape

_LONGEST = 2**31 - 1


class PreProcessSteps:
    """The steps between the tensor that a user gives and the input of the model; each call returns this object."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._orders: list[tuple[int, ...]] = []
        self._last_layout: Layout | None = None
        self._orders_since: list[tuple[int, ...]] = []

    def mean(self, value: float | Sequence[float]) -> PreProcessSteps:
        """Subtract a number, or one number for each channel."""
        return self._add(steps.mean(as_floats(value, "value")))

    def scale(self, value: float | Sequence[float]) -> PreProcessSteps:
        """Divide by a number, or by one number for each channel."""
        return self._add(steps.scale(as_floats(value, "value")))

    def convert_element_type(self, type: ElementType = ElementType.dynamic) -> PreProcessSteps:
        """Convert to an element type, by default the model's."""
        return self._add(steps.convert_type(as_type(type)))

    def convert_color(self, dst_format: ColorFormat) -> PreProcessSteps:
        """Convert to a color format."""
        require(dst_format, ColorFormat, "a ColorFormat", "dst_format")
        return self._add(convert_color(dst_format))

    def convert_layout(self, dst_layout: Layout | str | Sequence[int]) -> PreProcessSteps:
        """Transpose to a layout (an empty one means the model's), or by a permutation of the dimensions."""
        if isinstance(dst_layout, (str, Layout)):
            self._last_layout = as_layout(dst_layout, "dst_layout")
            self._orders_since.clear()
            return self._add(steps.convert_layout(self._last_layout, unsqueeze=True))
        order = _order(dst_layout)
        if not order:
            return self
        self._orders.insert(0, order)
        self._orders_since.append(order)
        return self._add(steps.permute(order))

    def reverse_channels(self) -> PreProcessSteps:
        """Reverse the channels."""
        return self._add(steps.reverse())

    def resize(
        self, alg: ResizeAlgorithm, dst_height: int | None = None, dst_width: int | None = None
    ) -> PreProcessSteps:
        """Resize to a height and a width, by default the model's."""
        require(alg, ResizeAlgorithm, "a ResizeAlgorithm", "alg")
        if (dst_height is None) != (dst_width is None):
            raise ArgumentTypeError("resize takes a height and a width, or neither")
        if dst_height is None or dst_width is None:
            return self._add(steps.resize(alg, None))
        size = as_length(dst_height, "dst_height"), as_length(dst_width, "dst_width")
        if max(size) > _LONGEST:
            raise InputError(f"Resize: Width/Height dimensions cannot be greater than {_LONGEST}")
        return self._add(steps.resize(alg, size))

    def crop(self, begin: Sequence[int], end: Sequence[int]) -> PreProcessSteps:
        """Cut a block out, from the first bounds to before the second."""
        return self._add(steps.crop(as_integers(begin, "begin"), as_integers(end, "end")))

    def pad(
        self, pads_begin: Sequence[int], pads_end: Sequence[int], value: float | Sequence[float], mode: PaddingMode
    ) -> PreProcessSteps:
        """Pad each dimension with elements before and after its data."""
        require(mode, PaddingMode, "a PaddingMode", "mode")
        begin, end = as_integers(pads_begin, "pads_begin"), as_integers(pads_end, "pads_end")
        return self._add(steps.pad(begin, end, as_floats(value, "value"), mode))

    def custom(self, operation: Callable[..., Any]) -> PreProcessSteps:
        """Build nodes with a function that takes an output and returns an output."""
        require(operation, Callable, "a function", "operation")  # type: ignore[arg-type]
        return self._add(steps.custom(operation))

    def _add(self, step: Step) -> PreProcessSteps:
        self._steps.append(step)
        return self

    def _propagated(self, layout: Layout) -> Layout:
        """Return the layout after the steps that convert it."""
        result = layout if self._last_layout is None else self._last_layout
        for order in self._orders_since:
            result = permuted(result, order)
        return result

    def _before_orders(self, shape: PartialShape, layout: Layout) -> tuple[PartialShape, Layout]:
        """Return the shape and layout from which the permutations produce `shape` and `layout`."""
        if shape.ndim is None:
            return shape, layout
        for order in self._orders:
            dims, back = [Dimension()] * len(shape), list(order)
            for position, dim in enumerate(order):
                if dim >= len(dims):
                    raise InputError(f"Convert dimension {dim} is out of bounds.")
                dims[dim] = shape[position] if position < len(shape) else Dimension()
                if dim < len(back):
                    back[dim] = position
            shape, layout = PartialShape(dims), permuted(layout, back)
        return shape, layout


class PostProcessSteps:
    """The steps between an output of the model and the tensor that a user gets; each call returns this object."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def convert_element_type(self, type: ElementType = ElementType.dynamic) -> PostProcessSteps:
        """Convert to an element type, by default the tensor's."""
        return self._add(steps.convert_result_type(as_type(type)))

    def convert_layout(self, dst_layout: Layout | str | Sequence[int]) -> PostProcessSteps:
        """Transpose to a layout (an empty one means the tensor's), or by a permutation of the dimensions."""
        if isinstance(dst_layout, (str, Layout)):
            return self._add(steps.convert_layout(as_layout(dst_layout, "dst_layout"), unsqueeze=False))
        order = _order(dst_layout)
        return self._add(steps.permute(order)) if order else self

    def custom(self, operation: Callable[..., Any]) -> PostProcessSteps:
        """Build nodes with a function that takes an output and returns an output."""
        require(operation, Callable, "a function", "operation")  # type: ignore[arg-type]
        return self._add(steps.custom(operation))

    def _add(self, step: Step) -> PostProcessSteps:
        self._steps.append(step)
        return self


def _order(dims: Any) -> tuple[int, ...]:
    order = as_integers(dims, "dims")
    if any(dim < 0 for dim in order):
        raise ArgumentTypeError(f"argument 'dims': positions of dimensions are needed, not {dims!r}")
    return order
