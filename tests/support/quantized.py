"""Quantized layers as NNCF writes them, built with OpenVINO's API, and data that no rounding of limits moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from openvino import opset13 as ops

from ir_plugin.tensors import Array

SCALE = 0.05
"""The step of the levels of `quantized` data."""


def rounded(x: Any, zero: int = 128, levels: int = 256, scale: Any = SCALE) -> Any:
    """Return x rounded to `levels` levels, of which `zero` means 0."""
    low = np.asarray(-zero * np.asarray(scale, np.float64), np.float32)
    high = np.asarray((levels - 1 - zero) * np.asarray(scale, np.float64), np.float32)
    return ops.fake_quantize(x, low, high, low, high, levels)


def integer_weights(shape: Sequence[int], seed: int = 7, zero: int | None = None) -> Any:
    """Return i8 weights times a scale for each channel of the first axes; u8 with a zero point where there is one."""
    rng = np.random.default_rng(seed)
    limits = (-127, 128) if zero is None else (max(zero - 128, 0), min(zero + 128, 256))
    levels = rng.integers(*limits, shape).astype(np.int8 if zero is None else np.uint8)
    weights = ops.convert(ops.constant(levels), np.float32)
    if zero is not None:
        weights = ops.subtract(weights, ops.constant(np.float32(zero)))
    lead = 2 if len(shape) == 5 else 1
    scales = rng.uniform(0.005, 0.02, (*shape[:lead], *(1,) * (len(shape) - lead))).astype(np.float32)
    return ops.multiply(weights, ops.constant(scales))


def on_levels(shape: Sequence[int], seed: int = 1, scale: float = SCALE) -> Array:
    """Return numbers near the middle of steps, so that rounding them does not depend on a limit's last digit."""
    rng = np.random.default_rng(seed)
    return ((rng.integers(-150, 150, shape) + rng.uniform(-0.3, 0.3, shape)) * scale).astype(np.float32)
