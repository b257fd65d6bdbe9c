"""ImageDecoder: the pixels of an encoded image. ONNX's ImageDecoder-20."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np

from ir_plugin.errors import UnsupportedError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.image.decoding import decoded
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class ImageDecoder(Operation, version="extension"):
    """The pixels [height, width, channels] of an image file, whose bytes are `encoded_stream`.

    PNG, BMP, PNM and TIFF of 8 bits are decoded here; other formats, and colours to grey, by the package Pillow. Bytes
    that cannot be decoded give no pixels.
    `pixel_format` is rgb, bgr or grayscale. An operation of ours, for ONNX.
    """

    pixel_format: str

    def infer(self, encoded_stream: TensorInfo) -> TensorInfo:
        """Return u8 and a shape of which only the channels are known."""
        require_type("encoded_stream", encoded_stream, "u8")
        require_rank("encoded_stream", encoded_stream.shape, 1)
        return TensorInfo(ElementType.u8, [Dimension(), Dimension(), 1 if self.pixel_format == "grayscale" else 3])

    def evaluate(self, encoded_stream: Array) -> Array:
        """Return the pixels."""
        channels = 1 if self.pixel_format == "grayscale" else 3
        data = encoded_stream.tobytes()
        try:
            pixels = decoded(data)
        except ValueError:
            return np.zeros((0, 0, channels), np.uint8)
        if pixels is None or (channels == 1 and pixels.shape[2] != 1):
            pixels = _by_pillow(data, channels)
        if self.pixel_format == "bgr":
            pixels = pixels[..., ::-1]
        return np.ascontiguousarray(np.broadcast_to(pixels, (*pixels.shape[:2], channels)))


def _by_pillow(data: bytes, channels: int) -> Array:
    """Return the pixels that Pillow decodes, none for bytes that it cannot decode."""
    pillow = _pillow()
    try:
        with pillow.open(BytesIO(data)) as image:
            pixels = np.array(image.convert("L" if channels == 1 else "RGB"))
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return np.zeros((0, 0, channels), np.uint8)
    return pixels[..., None] if channels == 1 else pixels


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as fault:
        raise UnsupportedError(
            f"images of this format are decoded with the package Pillow, which cannot be imported ({fault}); "
            "pip install Pillow"
        ) from None
    return Image
