"""MelWeightMatrix: weights that turn frequencies into bins of the mel scale. ONNX's MelWeightMatrix-17."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.memory import require
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo

_NAMES = ("num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz", "upper_edge_hertz")


class MelWeightMatrix(Operation, version="extension"):
    """A matrix [dft_length // 2 + 1, num_mel_bins] of triangles of height 1, one for each bin of the mel scale.

    The bins are evenly spaced in mel(f) = 2595 log10(1 + f / 700) from `lower_edge_hertz` to `upper_edge_hertz`, and
    each triangle spans from the centre of the previous bin to the centre of the next. An operation of ours, for ONNX.
    """

    needs_values = (0, 1)

    output_type: ElementType

    def infer(
        self,
        num_mel_bins: TensorInfo,
        dft_length: TensorInfo,
        sample_rate: TensorInfo,
        lower_edge_hertz: TensorInfo,
        upper_edge_hertz: TensorInfo,
    ) -> TensorInfo:
        """Return the output type and the shape, which two of the values determine."""
        inputs = (num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz)
        for position, (name, tensor) in enumerate(zip(_NAMES, inputs, strict=True)):
            require_type(name, tensor, "integer" if position < 3 else "float")
            require_rank(name, tensor.shape, 0)
        bins, length = scalar_of("num_mel_bins", num_mel_bins), scalar_of("dft_length", dft_length)
        rows = Dimension() if length is None else Dimension(max(length, 0) // 2 + 1)
        return TensorInfo(self.output_type, [rows, Dimension() if bins is None else Dimension(max(bins, 0))])

    def evaluate(self, *inputs: Array) -> Array:
        """Return the matrix."""
        count, length, rate = (int(value.item()) for value in inputs[:3])
        low, high = (float(value.item()) for value in inputs[3:])
        if count < 1 or length < 1 or rate < 1:
            raise EvaluationError(
                f"num_mel_bins is {count}, dft_length {length} and sample_rate {rate}; all must be at least 1"
            )
        rows = length // 2 + 1
        require("the weights", [rows, count], 8)
        edges = _edges(count, length, rate, low, high)
        if edges.min() < 0 or edges.max() >= rows:
            raise EvaluationError(f"the edges {low:g} and {high:g} Hz are outside of 0 to {rate / 2:g}")
        result: Array = _triangles(edges, rows).astype(self.output_type.dtype)
        return result


def _edges(count: int, length: int, rate: int, low: float, high: float) -> Array:
    """Return the rows at which the triangles begin, peak and end."""
    first, last = (2595 * np.log10(1 + edge / 700) for edge in (low, high))
    mels = np.arange(count + 2) * ((last - first) / (count + 2)) + first
    hertz = 700 * (10 ** (mels / 2595) - 1)
    edges: Array = ((length + 1) * hertz // rate).astype(np.int64)
    return edges


def _triangles(edges: Array, rows: int) -> Array:
    rises, peaks, ends = edges[:-2], edges[1:-1], edges[2:]
    at = np.arange(rows)[:, None]
    up = np.where(peaks == rises, at == peaks, (at - rises) / np.maximum(peaks - rises, 1))
    down = (ends - at) / np.maximum(ends - peaks, 1)
    before = (at >= rises) & (at <= peaks)
    after = (at >= peaks) & (at < ends)
    result: Array = np.where(after, down, np.where(before, up, 0.0))
    return result
