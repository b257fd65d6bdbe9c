"""ImageDecoder: the pixels of an encoded image. ONNX's ImageDecoder-20."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np

from ir_plugin.errors import UnsupportedError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo


class ImageDecoder(Operation, version="extension"):
    """The pixels [height, width, channels] of an image file, whose bytes are `encoded_stream`.

    The package Pillow decodes; formats are those that it knows, and bytes that it cannot decode give no pixels.
    `pixel_format` is RGB, BGR or Grayscale. An operation of ours, for ONNX.
    """

    pixel_format: str

    def infer(self, encoded_stream: TensorInfo) -> TensorInfo:
        """Return u8 and a shape of which only the channels are known."""
        require_type("encoded_stream", encoded_stream, "u8")
        require_rank("encoded_stream", encoded_stream.shape, 1)
        return TensorInfo(ElementType.u8, [Dimension(), Dimension(), 1 if self.pixel_format == "Grayscale" else 3])

    def evaluate(self, encoded_stream: Array) -> Array:
        """Return the pixels."""
        pillow = _pillow()
        channels = 1 if self.pixel_format == "Grayscale" else 3
        try:
            with pillow.open(BytesIO(encoded_stream.tobytes())) as image:
                pixels = np.array(image.convert("L" if channels == 1 else "RGB"))
        except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
            return np.zeros((0, 0, channels), np.uint8)
        if channels == 1:
            return pixels[..., None]
        return np.ascontiguousarray(pixels[..., ::-1]) if self.pixel_format == "BGR" else pixels


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as fault:
        raise UnsupportedError(
            f"images are decoded with the package Pillow, which cannot be imported ({fault}); pip install Pillow"
        ) from None
    return Image
