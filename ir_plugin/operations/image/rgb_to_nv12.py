"""RGBtoNV12: an image in NV12 format. Specification: image/RGBtoNV12-17."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.image.yuv import fraction, image_of
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class RGBtoNV12(Operation, version=17):
    """Luma and chroma, in [0, 255], of an image [N, H, W, 3] of even height and width.

    Two outputs, [N, H, W, 1] and [N, H/2, W/2, 2], or one with luma above chroma, [N, H*3/2, W, 1]. The page does not
    say which chroma four pixels have in common: here, as in OpenVINO's reference, the mean of theirs. Whole numbers are
    rounded, halves up, for each pixel and again for the mean of four. OpenVINO's CPU cannot run it.
    """

    reverse: ClassVar[bool] = False
    """Whether blue is the first colour, and red the last."""

    single_plane: bool

    def infer(self, arg: TensorInfo) -> TensorInfo | tuple[TensorInfo, ...]:
        """Return the type of the image and the shapes of the planes."""
        require_type("arg", arg, "u8", "float")
        batch, height, width = image_of("arg", arg.shape)
        if self.single_plane:
            return arg.with_shape([batch, fraction(height, 3, 2), width, 1])
        chroma = PartialShape([batch, fraction(height, 1, 2), fraction(width, 1, 2), 2])
        return arg.with_shape([batch, height, width, 1]), arg.with_shape(chroma)

    def evaluate(self, arg: Array) -> Array | tuple[Array, ...]:
        """Return the planes."""
        kind = np.float64 if arg.dtype == np.float64 else np.float32
        pixels = arg[..., ::-1] if self.reverse else arg
        r, g, b = (pixels[..., channel].astype(kind) for channel in range(3))
        y = _pixel(kind(0.257) * r + kind(0.504) * g + kind(0.098) * b + kind(16), arg)
        u = _pixel(kind(-0.148) * r - kind(0.291) * g + kind(0.439) * b + kind(128), arg)
        v = _pixel(kind(0.439) * r - kind(0.368) * g - kind(0.071) * b + kind(128), arg)
        chroma = _pixel(np.stack([_quarter(u), _quarter(v)], axis=-1), arg)
        if not self.single_plane:
            return y[..., None], chroma
        batch, height, width = y.shape
        return np.concatenate([y, chroma.reshape(batch, height // 2, width)], axis=1)[..., None]


def _pixel(values: Array, like: Array) -> Array:
    """Return values clipped to [0, 255], rounded where pixels are integers."""
    values = values.clip(0, 255)
    return np.floor(values + 0.5).astype(values.dtype) if like.dtype.kind == "u" else values


def _quarter(plane: Array) -> Array:
    batch, height, width = plane.shape
    mean: Array = plane.reshape(batch, height // 2, 2, width // 2, 2).mean(axis=(2, 4))
    return mean
