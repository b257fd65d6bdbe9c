"""Samples of STFT-15."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.signals._sums import normal, pairs, transform
from tests.support.sample import ErrorSample, In, Sample, const, param


def naive(transposed: bool) -> Callable[[Array, Array, Array, Array], Array]:
    """Return an oracle that transforms one frame after the other."""

    def oracle(signal: Array, window: Array, frame_size: Array, frame_step: Array) -> Array:
        size, step = int(frame_size), int(frame_step)
        full = np.zeros(size)
        begin = (size - len(window)) // 2
        full[begin : begin + len(window)] = window
        starts = range(0, signal.shape[-1] - size + 1, step)
        frames = [signal[..., start : start + size] * full for start in starts]
        stack = np.stack([transform(frame, [frame.ndim - 1], None, -1)[..., : size // 2 + 1] for frame in frames], -2)
        return pairs(np.swapaxes(stack, -1, -2) if transposed else stack)

    return oracle


def sample(signal: In, window: int, size: In, step: In, transposed: bool = False, **more: object) -> Sample:
    inputs = [signal, param(np.abs(normal(window)) + 0.1, signal.type.name), size, step]
    shapes = more.get("shapes", ())
    assert isinstance(shapes, (list, tuple))
    loose = 1e-4 if signal.type.bits > 16 else 4e-2
    return Sample("STFT", 15, inputs, {"transpose_frames": transposed}, oracle=naive(transposed), shapes=shapes,
                  rtol=loose, atol=loose, openvino=str(more.get("openvino", "")))  # fmt: skip


SAMPLES = [
    sample(param(normal(56)), 7, const(11), const(3), shapes=[["20..50", "7"], ["5..", "?"], ["?", "..9"]]),
    sample(param(normal(56)), 7, const(11), const(3), True),
    sample(param(normal(3, 56)), 7, const(11), const(3)),
    sample(param(normal(3, 56)), 7, const(11), const(3), True, shapes=[["..4,20..", "7"]]),
    sample(param(normal(16)), 8, const(8), const(8)),
    sample(param(normal(2, 9)), 1, const(9, "i32"), const(20, "i32")),
    sample(param(normal(2, 20)), 4, param(6), param(1)),
    sample(param(normal(20), "f16"), 4, const(8), const(2)),
    sample(param(normal(20), "f64"), 4, const(8), const(2)),
]

SIZES = [const(11), const(3)]
PLAIN = {"transpose_frames": False}

ERRORS = [
    ErrorSample("STFT", 15, ["f32[2,2,56]", "f32[7]", *SIZES], PLAIN, part="signal", says="rank 3"),
    ErrorSample("STFT", 15, ["i32[56]", "i32[7]", *SIZES], PLAIN, part="signal", says="i32"),
    ErrorSample("STFT", 15, ["f32[56]", "f16[7]", *SIZES], PLAIN, part="window", says="f16"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[12]", *SIZES], PLAIN, part="window", says="at most 11"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[0]", *SIZES], PLAIN, part="window", says="at least 1"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[7,1]", *SIZES], PLAIN, part="window", says="rank 2"),
    ErrorSample("STFT", 15, ["f32[5]", "f32[2]", *SIZES], PLAIN, part="frame_size", says="only 5"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[7]", const(0), const(3)], PLAIN, part="frame_size", says="0"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[7]", const(11), const(-3)], PLAIN, part="frame_step", says="-3"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[7]", const([11]), const(3)], PLAIN, part="frame_size", says="rank 1"),
    ErrorSample("STFT", 15, ["f32[56]", "f32[7]", const(11.0), const(3)], PLAIN, part="frame_size", says="f32"),
    ErrorSample("STFT", 15, [param(normal(5)), param(normal(2)), param(7), param(1)], PLAIN, code="IR701",
        says="only 5"),
]  # fmt: skip
