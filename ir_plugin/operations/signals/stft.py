"""STFT: the Fourier transforms of frames of a signal. Specification: signals/STFT-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.signals.fourier import as_pairs
from ir_plugin.operations.signals.frames import common_type, filled_window, positive_scalar, require_window
from ir_plugin.tensors import Array, Dimension, TensorInfo


class STFT(Operation, version=15):
    """Transform each frame of `signal` [..., n]: `frame_size` elements, one frame every `frame_step`.

    Frames are multiplied by `window`, which is zero-padded on both sides if it is shorter. The result has the shape
    [..., frames, frame_size // 2 + 1, 2], or with `transpose_frames` [..., frame_size // 2 + 1, frames, 2]; there are
    (n - frame_size) // frame_step + 1 frames.
    """

    needs_values = (2, 3)

    transpose_frames: bool

    def infer(
        self, signal: TensorInfo, window: TensorInfo, frame_size: TensorInfo, frame_step: TensorInfo
    ) -> TensorInfo:
        """Return the common type and the numbers of frames and of results per frame."""
        element_type = common_type("signal", signal, window)
        require_rank("signal", signal.shape, 1, 2)
        size, step = positive_scalar("frame_size", frame_size), positive_scalar("frame_step", frame_step)
        require_window(window, size)
        if signal.shape.ndim is None:
            return TensorInfo(element_type, None)
        if size is None or step is None:
            return TensorInfo(element_type, [*signal.shape[:-1], -1, -1, 2])
        length = signal.shape[-1]
        if length.upper < size:
            raise ShapeError("frame_size", f"frame_size is {size}; the signal has only {length} elements")
        frames = length.map(lambda longest: max(longest - size, 0) // step + 1)
        results = Dimension(size // 2 + 1)
        inner = [results, frames] if self.transpose_frames else [frames, results]
        return TensorInfo(element_type, [*signal.shape[:-1], *inner, 2])

    def evaluate(self, signal: Array, window: Array, frame_size: Array, frame_step: Array) -> Array:
        """Return the transforms."""
        size, step = int(frame_size.item()), int(frame_step.item())
        frames = np.lib.stride_tricks.sliding_window_view(signal, size, axis=-1)[..., ::step, :]
        transforms = np.fft.rfft(frames * filled_window(window, size))
        return as_pairs(transforms.swapaxes(-1, -2) if self.transpose_frames else transforms)
