"""BGRtoNV12: an image with blue first in NV12 format. Specification: image/BGRtoNV12-17."""

from __future__ import annotations

from ir_plugin.operations.image.rgb_to_nv12 import RGBtoNV12


class BGRtoNV12(RGBtoNV12, version=17):
    """As RGBtoNV12-17, but blue is the first colour and red the last."""

    reverse = True
