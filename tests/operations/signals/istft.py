"""Samples of ISTFT-16."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.signals._sums import joined, normal
from tests.support.sample import ErrorSample, In, Sample, const, param


def naive(center: bool, normalized: bool) -> Callable[..., Array]:
    """Return an oracle that adds one frame after the other."""

    def oracle(
        data: Array, window: Array, frame_size: Array, frame_step: Array, signal_length: Array | None = None
    ) -> Array:
        size, step, count = int(frame_size), int(frame_step), data.shape[-2]
        full = np.zeros(size)
        begin = (size - len(window)) // 2
        full[begin : begin + len(window)] = window
        total = np.zeros((*data.shape[:-3], (count - 1) * step + size))
        squares = np.zeros(total.shape[-1])
        for i in range(count):
            frame = np.fft.irfft(joined(data[..., i, :]), size) * (np.sqrt(size) if normalized else 1)
            total[..., i * step : i * step + size] += frame * full
            squares[i * step : i * step + size] += full**2
        signal = total / np.where(squares == 0, 1, squares)
        length = (
            (count - 1) * step + (size % 2 if center else size) if signal_length is None else int(signal_length.item())
        )
        signal = signal[..., size // 2 if center else 0 :][..., :length]
        return np.concatenate([signal, np.zeros((*signal.shape[:-1], length - signal.shape[-1]))], axis=-1)

    return oracle


def sample(
    data: In, window: int, size: In, step: In, length: In | None = None, center: bool = False, normalized: bool = False,
    shapes: list[list[str]] | None = None,
) -> Sample:  # fmt: skip
    inputs = [
        data,
        param(np.abs(normal(window)) + 0.2, data.type.name),
        size,
        step,
        *([] if length is None else [length]),
    ]
    loose = 1e-4 if data.type.bits > 16 else 2e-2
    attributes = {"center": center, "normalized": normalized}
    return Sample("ISTFT", 16, inputs, attributes, oracle=naive(center, normalized), rtol=loose, atol=loose,
                  shapes=shapes or [])  # fmt: skip


SAMPLES = [
    sample(param(normal(6, 16, 2)), 7, const(11), const(3),
    shapes=[["?,3..16,2", "7"], ["6,0..16,?", "?"], ["?,?,2", "..9"]]),
    sample(param(normal(4, 6, 16, 2)), 7, const(11), const(3)),
    sample(param(normal(6, 16, 2)), 7, const(11), const(3), center=True, shapes=[["6,?,2", "7"]]),
    sample(param(normal(4, 6, 16, 2)), 7, const(11), const(3), center=True),
    sample(param(normal(6, 16, 2)), 7, const(11), const(3), const(64)),
    sample(param(normal(2, 6, 16, 2)), 7, const(10), const(3), const([30], "i32"), normalized=True),
    sample(param(normal(5, 6, 2)), 8, const(8), const(2), center=True, normalized=True, shapes=[["5,0..16,2", "8"]]),
    sample(param(normal(2, 5, 6, 2)), 8, const(8), const(8)),
    sample(param(normal(2, 5, 3, 2)), 5, const(8, "i32"), const(13, "i32")),
    sample(param(normal(5, 6, 2)), 8, param(8), param(3), param(20)),
    sample(param(normal(5, 6, 2), "f16"), 8, const(8), const(2)),
    sample(param(normal(5, 6, 2), "f64"), 8, const(8), const(2)),
]  # fmt: skip

SIZES = [const(11), const(3)]
PLAIN = {"center": False, "normalized": False}

ERRORS = [
    ErrorSample("ISTFT", 16, ["f32[6,2]", "f32[7]", *SIZES], PLAIN, part="data", says="rank 2"),
    ErrorSample("ISTFT", 16, ["f32[6,16,3]", "f32[7]", *SIZES], PLAIN, part="data", says="last dimension"),
    ErrorSample("ISTFT", 16, ["f32[7,16,2]", "f32[7]", *SIZES], PLAIN, part="data", says="gives 6"),
    ErrorSample("ISTFT", 16, ["f32[6,16,2]", "f16[7]", *SIZES], PLAIN, part="window", says="f16"),
    ErrorSample("ISTFT", 16, ["f32[6,16,2]", "f32[12]", *SIZES], PLAIN, part="window", says="at most 11"),
    ErrorSample("ISTFT", 16, ["f32[6,16,2]", "f32[7]", const(11), const(0)], PLAIN, part="frame_step", says="0"),
    ErrorSample("ISTFT", 16, ["f32[6,16,2]", "f32[7]", *SIZES, const(-4)], PLAIN, part="signal_length", says="-4"),
    ErrorSample("ISTFT", 16, ["f32[6,16,2]", "f32[7]", *SIZES, const([4, 5])], PLAIN, part="signal_length", says="[2]"),
    ErrorSample("ISTFT", 16, [param(normal(6, 4, 2)), param(normal(7)), param(12), param(1)], PLAIN, code="IR701",
        says="gives 7"),
]  # fmt: skip
