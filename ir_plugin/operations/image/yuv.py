"""Images from YUV planes, with one chroma pixel for four of luma. Specification: image/I420toRGB-8 and others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import UNBOUNDED, Array, Dimension, PartialShape, TensorInfo


class FromPlanes(Operation):
    """An image with three colours per pixel, from one tensor of all planes or a tensor for each plane."""

    names: ClassVar[tuple[str, ...]] = ()
    """The inputs of a layer with one input for each plane."""
    channels: ClassVar[tuple[int, ...]] = ()
    """The number of channels of each of them."""
    reverse: ClassVar[bool] = False
    """Whether blue is the first colour, and red the last."""

    def _infer(self, *planes: TensorInfo | None) -> TensorInfo:
        """Return the type of the planes and the shape of the image."""
        connected = [plane for plane in planes if plane is not None]
        if len(connected) not in (1, len(self.names)):
            expected = f"1 or {len(self.names)}: {', '.join(self.names)}"
            raise ShapeError("", f"the layer has {len(connected)} inputs; it must have {expected}")
        for name, plane in zip(self.names, connected, strict=False):
            require_type(name, plane, "u8", "float")
        element_type = merge_types(*connected)
        first = self.names[0]
        if len(connected) == 1:
            batch, height, width, _ = _checked(first, connected[0].shape, 1)
            if height.is_static and height.lower % 3:
                raise ShapeError(first, f"{first} has the height {height}, which must be a multiple of 3")
            height = fraction(height, 2, 3)
        else:
            batch, height, width = self._image([plane.shape for plane in connected])
        _require_even(first, height, width)
        return TensorInfo(element_type, [batch, height, width, 3])

    def _image(self, shapes: list[PartialShape]) -> PartialShape:
        """Return batch, height and width on which the planes agree."""
        agreed = _checked(self.names[0], shapes[0], self.channels[0])[:3]
        for name, shape, channels in zip(self.names[1:], shapes[1:], self.channels[1:], strict=True):
            batch, height, width, _ = _checked(name, shape, channels)
            image = PartialShape([batch, height * 2, width * 2])
            merged = agreed.merge(image)
            if merged is None:
                raise ShapeError(
                    name, f"{name} has the shape {shape} of an image {image}; the other planes make {agreed}"
                )
            agreed = merged
        return agreed

    def _colours(self, y: Array, u: Array, v: Array) -> Array:
        """Return the image of the planes Y [batch, height, width], U and V [batch, height / 2, width / 2]."""
        kind = np.float64 if y.dtype == np.float64 else np.float32
        light = kind(1.164) * (y.astype(kind) - kind(16))
        u, v = (_doubled(plane.astype(kind) - kind(128)) for plane in (u, v))
        colours = [light + kind(1.596) * v, light - kind(0.391) * u - kind(0.813) * v, light + kind(2.018) * u]
        return as_pixels(np.stack(colours[::-1] if self.reverse else colours, axis=-1), y)


def as_pixels(values: Array, like: Array) -> Array:
    """Return values clipped to [0, 255], rounded where pixels are integers."""
    values = values.clip(0, 255)
    whole: Array = np.rint(values).astype(like.dtype) if like.dtype.kind == "u" else values
    return whole


def split(array: Array) -> tuple[Array, Array]:
    """Return luma [batch, height, width] and the rest [batch, elements] of a tensor of all planes."""
    batch, rows, width = array.shape[:3]
    height = rows * 2 // 3
    return array[:, :height, :, 0], array[:, height:].reshape(batch, (rows - height) * width)


def _doubled(plane: Array) -> Array:
    return plane.repeat(2, axis=1).repeat(2, axis=2)


def _checked(name: str, shape: PartialShape, channels: int) -> PartialShape:
    require_rank(name, shape, 4)
    if shape.ndim is None:
        return PartialShape([-1, -1, -1, channels])
    if not shape[3].contains(channels):
        raise ShapeError(name, f"{name} has the shape {shape}; its last dimension must be {channels}")
    return shape.replace(3, channels)


def image_of(name: str, shape: PartialShape) -> tuple[Dimension, Dimension, Dimension]:
    """Return batch, height and width of an image with three colours; raises unless height and width are even."""
    batch, height, width, _ = _checked(name, shape, 3)
    _require_even(name, height, width)
    return batch, height, width


def _require_even(name: str, height: Dimension, width: Dimension) -> None:
    for axis, length in (("height", height), ("width", width)):
        if length.is_static and length.lower % 2:
            raise ShapeError(name, f"the {axis} of the image is {length}; it must be even")


def fraction(length: Dimension, times: int, over: int) -> Dimension:
    """Return the whole lengths among `length * times / over`."""
    upper = UNBOUNDED if length.upper == UNBOUNDED else length.upper * times // over
    return Dimension.between(-(-length.lower * times // over), upper)


class I420toRGB(FromPlanes, version=8):
    """An image [N, H, W, 3], in [0, 255], from luma `arg_y` and chroma `arg_u` and `arg_v`.

    In one tensor luma has the upper two thirds of the rows, and all of U comes before all of V; else the planes are
    [N, H, W, 1] and [N, H/2, W/2, 1]. Whole numbers are rounded, halves to even.
    """

    names = ("arg_y", "arg_u", "arg_v")
    channels = (1, 1, 1)

    def infer(self, arg_y: TensorInfo, arg_u: TensorInfo | None = None, arg_v: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the planes and the shape of the image."""
        return self._infer(arg_y, arg_u, arg_v)

    def evaluate(self, arg_y: Array, arg_u: Array | None = None, arg_v: Array | None = None) -> Array:
        """Return the image."""
        if arg_u is not None and arg_v is not None:
            return self._colours(arg_y[..., 0], arg_u[..., 0], arg_v[..., 0])
        y, rest = split(arg_y)
        batch, height, width = y.shape
        chroma = rest.reshape(batch, 2, height // 2, width // 2)
        return self._colours(y, chroma[:, 0], chroma[:, 1])


class I420toBGR(I420toRGB, version=8):
    """As I420toRGB-8, but blue is the first colour and red the last."""

    reverse = True


class NV12toRGB(FromPlanes, version=8):
    """An image [N, H, W, 3], in [0, 255], from luma `arg_y` and chroma `arg_uv`, U and V beside each other.

    In one tensor luma has the upper two thirds of the rows; else the planes are [N, H, W, 1] and [N, H/2, W/2, 2].
    Whole numbers are rounded, halves to even.
    """

    names = ("arg_y", "arg_uv")
    channels = (1, 2)

    def infer(self, arg_y: TensorInfo, arg_uv: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the planes and the shape of the image."""
        return self._infer(arg_y, arg_uv)

    def evaluate(self, arg_y: Array, arg_uv: Array | None = None) -> Array:
        """Return the image."""
        if arg_uv is not None:
            return self._colours(arg_y[..., 0], arg_uv[..., 0], arg_uv[..., 1])
        y, rest = split(arg_y)
        batch, height, width = y.shape
        chroma = rest.reshape(batch, height // 2, width // 2, 2)
        return self._colours(y, chroma[..., 0], chroma[..., 1])


class NV12toBGR(NV12toRGB, version=8):
    """As NV12toRGB-8, but blue is the first colour and red the last."""

    reverse = True
