"""Statistics of a tensor's values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_plugin.tensors import Array, ElementType

BINS = 16
_BARS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Statistics:
    """Type and shape, and the range, mean and histogram of the finite values."""

    type: str
    shape: tuple[int, ...]
    size: int
    min: float | None = None
    mean: float | None = None
    max: float | None = None
    nan: int = 0
    inf: int = 0
    zeros: int = 0
    histogram: tuple[int, ...] = ()

    @staticmethod
    def of(array: Array, element_type: ElementType = ElementType.dynamic) -> Statistics:
        """Return the statistics of an array of `element_type`, by default its dtype; strings have only type and shape.

        `element_type` is needed for types of fewer than eight bits, which have no dtype.
        """
        type = (element_type if element_type.is_static else ElementType.from_dtype(array.dtype)).name
        if array.dtype.kind in "OUS" or array.size == 0:
            return Statistics(type, array.shape, array.size)
        with np.errstate(all="ignore"):
            values = array.astype(np.float64).reshape(-1)
            finite = values[np.isfinite(values)]
            nan = int(np.isnan(values).sum())
            zeros = int((values == 0).sum())
            inf = values.size - finite.size - nan
            if not finite.size:
                return Statistics(type, array.shape, array.size, nan=nan, inf=inf, zeros=zeros)
            low, mean, high = float(finite.min()), float(finite.mean()), float(finite.max())
        return Statistics(
            type, array.shape, array.size, low, mean, high, nan, inf, zeros, _histogram(finite, low, high)
        )

    @property
    def is_finite(self) -> bool:
        """Whether there are no NaNs and no infinities."""
        return not (self.nan or self.inf)

    @property
    def sparsity(self) -> float:
        """The share of zeros."""
        return self.zeros / self.size if self.size else 0.0

    @property
    def bars(self) -> str:
        """The histogram as a line of block characters."""
        most = max(self.histogram, default=0)
        return "".join(_BARS[-(-8 * count // most)] for count in self.histogram) if most else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as plain data."""
        return {
            "type": self.type,
            "shape": list(self.shape),
            "min": self.min,
            "mean": self.mean,
            "max": self.max,
            "nan": self.nan,
            "inf": self.inf,
            "sparsity": self.sparsity,
            "histogram": list(self.histogram),
        }


def _histogram(finite: Array, low: float, high: float) -> tuple[int, ...]:
    """Return counts in equal bins from `low` to `high`, or one bin if all values are equal."""
    width = high - low
    if not (0 < width < float("inf")):
        return (finite.size,)
    bins = np.minimum((finite - low) * (BINS / width), BINS - 1).astype(np.intp)
    return tuple(np.bincount(bins, minlength=BINS).tolist())


def shown_number(value: float | None) -> str:
    """Return a number with four digits, or an empty string for None."""
    return "" if value is None else f"{value:.4g}"


def shown_shape(shape: tuple[int, ...]) -> str:
    """Return `1x3x224x224`, or `scalar`."""
    return "x".join(map(str, shape)) or "scalar"
