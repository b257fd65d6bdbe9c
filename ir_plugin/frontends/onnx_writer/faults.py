"""The error of a layer that ONNX cannot say."""

from __future__ import annotations

from ir_plugin.errors import UnsupportedError


class NotExpressibleError(UnsupportedError):
    """A layer that has no equal in ONNX; the message is the reason, without the layer's name."""
