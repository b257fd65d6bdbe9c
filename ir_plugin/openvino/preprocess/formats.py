"""Enumerations of preprocessing, as in `openvino.preprocess`."""

from __future__ import annotations

from enum import Enum

from ir_plugin.errors import ArgumentValueError


class _Choice(Enum):
    """An enumeration whose members have numbers, as OpenVINO's have."""

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ArgumentValueError(f"{value!r} is no {cls.__name__}; there are {', '.join(cls.__members__)}")


class ColorFormat(_Choice):
    """The arrangement of the colors of an image."""

    UNDEFINED = 0
    NV12_SINGLE_PLANE = 1
    NV12_TWO_PLANES = 2
    I420_SINGLE_PLANE = 3
    I420_THREE_PLANES = 4
    RGB = 5
    BGR = 6
    GRAY = 7
    RGBX = 8
    BGRX = 9


class ResizeAlgorithm(_Choice):
    """The algorithm of a resize."""

    RESIZE_LINEAR = 0
    RESIZE_CUBIC = 1
    RESIZE_NEAREST = 2
    RESIZE_BILINEAR_PILLOW = 3
    RESIZE_BICUBIC_PILLOW = 4


class PaddingMode(_Choice):
    """The values that a padding adds."""

    CONSTANT = 0
    REFLECT = 2
    SYMMETRIC = 3
