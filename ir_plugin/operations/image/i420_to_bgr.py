"""I420toBGR: the colours of an image in I420 format, blue first. Specification: image/I420toBGR-8."""

from __future__ import annotations

from ir_plugin.operations.image.i420_to_rgb import I420toRGB


class I420toBGR(I420toRGB, version=8):
    """As I420toRGB-8, but blue is the first colour and red the last."""

    reverse = True
