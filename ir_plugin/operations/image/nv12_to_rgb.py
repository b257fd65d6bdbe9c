"""NV12toRGB: the colours of an image in NV12 format. Specification: image/NV12toRGB-8."""

from __future__ import annotations

from ir_plugin.operations.image.yuv import FromPlanes, split
from ir_plugin.tensors import Array, TensorInfo


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
