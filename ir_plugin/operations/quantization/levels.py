"""Levels of u8 in place of floats: what compiler passes make of FakeQuantize."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array


class Quantize(Operation):
    """Round x to levels: `x * inverse + shift`, rounded with halves to even, cut to [low, high], as u8.

    `inverse` and `shift` are numbers, or arrays of the data's rank that vary along the channels.
    """

    type = "Quantize"
    is_internal = True

    inverse: Array
    shift: Array
    low: float
    high: float

    def evaluate(self, data: Array) -> Array:
        """Return the levels; NaN gets the lowest."""
        rounded = np.rint(data * self.inverse + self.shift)
        levels: Array = np.fmin(np.fmax(rounded, np.float32(self.low)), np.float32(self.high)).astype(np.uint8)
        return levels


class Dequantize(Operation):
    """Dequantize levels: `level * scale + offset`, in f32."""

    type = "Dequantize"
    is_internal = True

    scale: float
    offset: float

    def evaluate(self, levels: Array) -> Array:
        """Return the numbers."""
        numbers: Array = levels.astype(np.float32) * np.float32(self.scale) + np.float32(self.offset)
        return numbers


class QuantizeDequantize(Operation):
    """Round x to levels and back, in f32: a FakeQuantize with one set of limits."""

    type = "QuantizeDequantize"
    is_internal = True

    inverse: float
    shift: float
    low: float
    high: float
    scale: float
    offset: float

    @property
    def numbers(self) -> Array:
        """The six attributes in their order, as f32."""
        numbers = (self.inverse, self.shift, self.low, self.high, self.scale, self.offset)
        return np.array(numbers, np.float32)

    def evaluate(self, data: Array) -> Array:
        """Return the rounded numbers."""
        rounded: Array = data.copy()
        round_to_levels(rounded, *self.numbers)
        return rounded


def round_to_levels(
    x: Array, inverse: float, shift: float, low: float, high: float, scale: float, offset: float
) -> None:
    """Round an array in place to levels, `x * inverse + shift` in [low, high], and then to what these mean."""
    np.multiply(x, inverse, out=x)
    np.add(x, shift, out=x)
    np.rint(x, out=x)
    np.maximum(x, low, out=x)
    np.minimum(x, high, out=x)
    np.multiply(x, scale, out=x)
    np.add(x, offset, out=x)


class MeanOfLevels(Operation):
    """Return the mean over all pixels of what levels [N, C, H, W] mean: the mean level times a scale plus an offset."""

    type = "MeanOfLevels"
    is_internal = True

    scale: float
    offset: float

    def of_sums(self, sums: Array, pixels: int) -> Array:
        """Return the dequantized means of `pixels` pixels from the sums of their levels."""
        means: Array = sums.astype(np.float32) * np.float32(self.scale / pixels) + np.float32(self.offset)
        return means

    def evaluate(self, levels: Array) -> Array:
        """Return the means [N, C, 1, 1]."""
        return self.of_sums(levels.sum((2, 3), np.int64, keepdims=True), levels.shape[2] * levels.shape[3])


class OnLevels(Operation):
    """Apply a binary operation to f32 and to what levels mean."""

    type = "OnLevels"
    is_internal = True

    operation: Operation
    scale: float
    offset: float

    def evaluate(self, first: Array, second: Array) -> Array:
        """Return the operation's result in f32; operands of u8 are dequantized first."""
        meaning = Dequantize(scale=self.scale, offset=self.offset)
        first, second = (meaning.evaluate(array) if array.dtype == np.uint8 else array for array in (first, second))
        return np.asarray(self.operation.evaluate(first, second))
