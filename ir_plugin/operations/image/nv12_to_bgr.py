"""NV12toBGR: the colours of an image in NV12 format, blue first. Specification: image/NV12toBGR-8."""

from __future__ import annotations

from ir_plugin.operations.image.nv12_to_rgb import NV12toRGB


class NV12toBGR(NV12toRGB, version=8):
    """As NV12toRGB-8, but blue is the first colour and red the last."""

    reverse = True
