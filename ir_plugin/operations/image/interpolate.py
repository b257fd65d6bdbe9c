"""Interpolate: resize a tensor along some axes. Specification: image/Interpolate-11, Interpolate-4, Interpolate-1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.image.resampling import Axis, Taps, cubic, nearest, neighbours, pillow, triangle
from ir_plugin.operations.shapes import normalize_axes, require_rank, values_of
from ir_plugin.tensors import UNBOUNDED, Array, Bounds, Dimension, PartialShape, Tensor

TOLERANCE = Fraction(1, 10**6)
"""What a scale may fall short of a ratio of two lengths."""


def scaled(length: int, scale: float) -> int:
    """Return how long an axis becomes: `floor(scale * length)`, where the scale may be 1e-6 too small."""
    return length if scale == 1 else math.floor((Fraction(scale) + TOLERANCE) * length)
