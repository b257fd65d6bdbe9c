"""I420toRGB: the colours of an image in I420 format. Specification: image/I420toRGB-8."""

from __future__ import annotations

from ir_plugin.operations.image.yuv import FromPlanes, split
from ir_plugin.tensors import Array, TensorInfo


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
