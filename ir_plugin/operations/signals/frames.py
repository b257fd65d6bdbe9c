"""Frames of a signal: sizes, steps and windows."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, ElementType, TensorInfo


def common_type(name: str, data: TensorInfo, window: TensorInfo) -> ElementType:
    """Return the common floating-point type of data and window."""
    require_type(name, data, "float")
    require_type("window", window, "float")
    return merge_types(data, window, part="window")


def positive_scalar(name: str, tensor: TensorInfo) -> int | None:
    """Return the value of a positive i32 or i64 scalar, or None if it is unknown."""
    require_type(name, tensor, "i32", "i64")
    require_rank(name, tensor.shape, 0)
    value = scalar_of(name, tensor)
    if value is not None and value < 1:
        raise ShapeError(name, f"{name} is {value}; it must be above 0")
    return value


def require_window(window: TensorInfo, frame_size: int | None) -> None:
    """Raise unless the window can be 1-D, with at least one element and at most as many as a frame."""
    require_rank("window", window.shape, 1)
    length = window.shape[0]
    if length.upper == 0 or (frame_size is not None and length.lower > frame_size):
        most = "" if frame_size is None else f" and at most {frame_size}, as frame_size"
        raise ShapeError("window", f"window has {length} elements; it must have at least 1{most}")


def filled_window(window: Array, frame_size: int) -> Array:
    """Return the window zero-padded on both sides to the length of a frame, the longer side last."""
    missing = frame_size - window.size
    return np.pad(window, (missing // 2, missing - missing // 2))
