"""Cast: conversions of ONNX that Convert does not say, of strings and to powers of two. ONNX's Cast-25."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.type.conversion import converted
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.containers import vector_of
from ir_plugin.tensors.packing import to_type

_LARGEST = 127
"""The exponent of the largest number of f8e8m0; the smallest has the same with a minus."""


class Cast(Operation, version="extension"):
    """Convert elements to `destination_type`, also from and to strings, and to f8e8m0 by `round_mode`.

    Texts are read as numbers, `INF`, `-INF` and `NaN` in any letter case among them; numbers are written as Python
    writes them. `round_mode` is up, down or nearest. With `saturate` numbers out of range give the largest number of
    f8e8m0, else NaN. An operation of ours, for ONNX; where Convert says the same, the ONNX front end uses that.
    """

    widen = False

    destination_type: ElementType
    saturate: bool
    round_mode: str

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return `destination_type` and the shape of the input."""
        return TensorInfo(self.destination_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the converted elements."""
        target = self.destination_type
        if data.dtype == np.object_:
            return data if target is ElementType.string else _numbers(data, target)
        if target is ElementType.string:
            return _texts(data)
        if target is ElementType.f8e8m0:
            return to_type(self._powers(data.astype(np.float32)), target)
        return converted(data, target)

    def _powers(self, data: Array) -> Array:
        """Return the powers of two of the numbers, NaN for those that have none."""
        mantissa, exponent = np.frexp(data)
        power = exponent - 1
        if self.round_mode == "up":
            power = power + (mantissa > 0.5)
        elif self.round_mode == "nearest":
            power = power + (mantissa >= 0.75)
        is_small, is_large = power < -_LARGEST, power > _LARGEST
        result = np.ldexp(np.float32(1), np.clip(power, -_LARGEST, _LARGEST))
        if self.saturate:
            result = np.where(
                np.isposinf(data), np.float32(2.0**_LARGEST), np.where(data <= 0, np.float32(2.0**-_LARGEST), result)
            )
        else:
            result = np.where(np.isinf(data) | is_small | is_large | (data <= 0), np.float32(np.nan), result)
        powers: Array = np.where(np.isnan(data), np.float32(np.nan), result)
        return powers


def _numbers(texts: Array, target: ElementType) -> Array:
    """Return the numbers that texts say."""
    values = [_number(text, position, target) for position, text in enumerate(texts.reshape(-1).tolist())]
    if target.is_integer:
        wrapped = np.array([int(value) & (2**64 - 1) for value in values], np.uint64)
        return converted(wrapped, target).reshape(texts.shape)
    return converted(np.array(values, np.float64), target).reshape(texts.shape)


def _number(text: str, position: int, target: ElementType) -> float:
    """Return the number that a text says; whole numbers are exact."""
    try:
        if not target.is_integer:
            return float(text)
        return int(text) if text.strip().lstrip("+-").isdigit() else int(float(text))
    except (ValueError, OverflowError):
        raise EvaluationError(f"element {position} is {text[:40]!r}, which is no {target.name}") from None


def _texts(data: Array) -> Array:
    """Return the numbers as texts."""
    wide = data if data.dtype.kind in "biuf" else data.astype(np.float32)
    return vector_of(map(str, wide.reshape(-1))).reshape(data.shape)
