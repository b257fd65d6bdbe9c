"""ISTFT: a signal from the Fourier transforms of its frames. Specification: signals/ISTFT-16."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.operations.signals.fourier import as_complex, resized
from ir_plugin.operations.signals.frames import common_type, filled_window, positive_scalar, require_window
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class ISTFT(Operation, version=16):
    """The signal whose frames have the transforms `data` [..., frame_size // 2 + 1, frames, 2].

    Frames are multiplied by `window`, added where they overlap, and divided by the sum of squared windows where that is
    not 0. With `normalized` the result is multiplied by the root of `frame_size`. Its length is (frames - 1) *
    frame_step + frame_size; with `center`, which cuts half a frame off the beginning, (frames - 1) * frame_step; or
    `signal_length` if connected.

    Differs from the page: with `center` and an odd `frame_size` the signal is one element longer. Example: 16 frames
    of 11 elements, 3 apart, give 46 elements, not 45.
    """

    needs_values = (2, 3, 4)

    center: bool
    normalized: bool

    def infer(
        self,
        data: TensorInfo,
        window: TensorInfo,
        frame_size: TensorInfo,
        frame_step: TensorInfo,
        signal_length: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the common type and the length of the signal."""
        element_type = common_type("data", data, window)
        require_rank("data", data.shape, 3, 4)
        size, step = positive_scalar("frame_size", frame_size), positive_scalar("frame_step", frame_step)
        require_window(window, size)
        length = None if signal_length is None else _length(signal_length)
        if data.shape.ndim is None:
            return TensorInfo(element_type, None)
        _check(data.shape, size)
        if length is None:
            length = self._default(data.shape[-2], size, step)
        return TensorInfo(element_type, [*data.shape[:-3], length])

    def _default(self, frames: Dimension, size: int | None, step: int | None) -> Dimension:
        if size is None or step is None:
            return Dimension()
        extra = size % 2 if self.center else size
        return frames.map(lambda count: max(count - 1, 0) * step + extra)

    def evaluate(
        self, data: Array, window: Array, frame_size: Array, frame_step: Array, signal_length: Array | None = None
    ) -> Array:
        """Return the signal."""
        size, step, count = int(frame_size.item()), int(frame_step.item()), data.shape[-2]
        length = self._default(Dimension(count), size, step).lower
        if signal_length is not None:
            length = int(signal_length.item())
        weights = filled_window(window, size)
        start = size // 2 if self.center else 0
        count = min(count, -(-(start + length) // step))
        if count == 0 or data.size == 0:
            return np.zeros((*data.shape[:-3], length), data.dtype)
        frames = np.fft.irfft(as_complex(data[..., :count, :]).swapaxes(-1, -2), size) * weights
        if self.normalized:
            frames = frames * np.sqrt(frames.dtype.type(size))
        total = _overlap_add(frames, step)
        squares = _overlap_add(np.broadcast_to(weights * weights, (count, size)), step)
        signal = np.divide(total, squares, out=total, where=squares != 0)
        return resized(signal[..., start:], [signal.ndim - 1], [length])


def _length(signal_length: TensorInfo) -> Dimension:
    require_type("signal_length", signal_length, "i32", "i64")
    require_rank("signal_length", signal_length.shape, 0, 1)
    value = scalar_of("signal_length", signal_length)
    if value is not None and value < 0:
        raise ShapeError("signal_length", f"signal_length is {value}; it must be 0 or more")
    return Dimension() if value is None else Dimension(value)


def _check(shape: PartialShape, size: int | None) -> None:
    if not shape[-1].contains(2):
        raise ShapeError(
            "data", f"data has the shape {shape}; its last dimension must be 2, a real and an imaginary part"
        )
    if size is not None and not shape[-3].contains(size // 2 + 1):
        raise ShapeError(
            "data",
            f"data has {shape[-3]} results per frame; frame_size {size} gives {size // 2 + 1} (half of it plus 1)",
        )


def _overlap_add(frames: Array, step: int) -> Array:
    """Return the sum of overlapping frames [..., count, size], each `step` elements after the previous one."""
    *batch, count, size = frames.shape
    total = np.zeros((*batch, (count - 1) * step + size), frames.dtype)
    for start in range(0, size, step):
        piece = frames[..., start : start + step]
        windows = np.lib.stride_tricks.sliding_window_view(total[..., start:], piece.shape[-1], axis=-1, writeable=True)
        windows[..., ::step, :][..., :count, :] += piece
    return total
