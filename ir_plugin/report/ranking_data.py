"""The quantizers of a model, ranked by how much worse they are than their number of levels allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import isfinite, log10
from typing import Any

from ir_plugin.report.strict_json import json_text

_GOOD = 6.0
"""The decibels that a quantizer may lose without being called bad: its range fits other inputs, too."""
_SHARE_WEIGHT = 1 / 4
_MIN_SHARE = 1e-2
_NO_SHARE = 1e-6


@dataclass(frozen=True)
class RankedQuantizer:
    """A quantizer, its noise, and what the output gains if it is undone."""

    name: str
    layer: str
    """The layer whose output is quantized, or that reads the quantized weight."""
    kind: str
    role: str
    steps: str
    granularity: str
    sqnr: float
    """The signal-to-quantization-noise ratio in decibels."""
    best_sqnr: float
    """The SQNR of the best range for as many levels, per channel for weights if most weights are per channel."""
    lost: float
    """Decibels between the two, on average of the channels of a weight if that is more."""
    usual_lost: float
    """The same without the 1 % of the numbers that are farthest off."""
    output_sqnr: float
    """The signal-to-noise ratio of the model's output with this quantizer undone."""
    output_gain: float
    """The decibels that the output gains by that."""
    output_share: float
    """How much the output changes by that, as a part of its noise; at most 1."""
    clipped: float
    """The part of the numbers beyond the range."""
    cause: str

    @property
    def score(self) -> float:
        """The decibels lost, less a quarter of those by which the quantizer's part of the output's noise is small.

        A quantizer that only has few levels loses little, however noisy it is; one that the output does not depend on
        has a small part. What a few numbers beyond a range lose counts as far as they reach the output.
        """
        lost = self.usual_lost + (self.lost - self.usual_lost) * self.output_share
        least = _MIN_SHARE if self.output_share else _NO_SHARE
        return lost + _SHARE_WEIGHT * 10 * log10(max(self.output_share, least))

    @property
    def is_bad(self) -> bool:
        """Whether it loses more than the 6 dB that a range for other inputs explains."""
        return self.lost > _GOOD


@dataclass(frozen=True)
class RankingData:
    """The quantizers of a model, the worst first."""

    model: str
    reference: str
    output_sqnr: float
    """The signal-to-noise ratio of the output of the model in decibels."""
    quantizers: tuple[RankedQuantizer, ...]
    unranked: tuple[str, ...] = ()
    """Quantizers that have no noise to measure: their numbers before are not known, or they did not run."""

    def __iter__(self) -> Iterator[RankedQuantizer]:
        return iter(self.quantizers)

    def __len__(self) -> int:
        return len(self.quantizers)

    def __getitem__(self, key: int | str) -> RankedQuantizer:
        """Return the entry at a position, or of a name."""
        if isinstance(key, int):
            return self.quantizers[key]
        entry = next((quantizer for quantizer in self.quantizers if quantizer.name == key), None)
        if entry is None:
            raise KeyError(key)
        return entry

    @property
    def worst(self) -> RankedQuantizer | None:
        """The first quantizer, or None."""
        return self.quantizers[0] if self.quantizers else None

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data."""
        return {
            "model": self.model,
            "reference": self.reference,
            "output_sqnr": self.output_sqnr,
            "quantizers": [
                {"rank": rank, **asdict(quantizer), "score": quantizer.score, "is_bad": quantizer.is_bad}
                for rank, quantizer in enumerate(self.quantizers, 1)
            ],
            "unranked": list(self.unranked),
        }

    def to_json(self) -> str:
        """Return the ranking as a JSON document, with non-finite numbers as text."""
        return json_text(self.to_dict())

    def __repr__(self) -> str:
        worst = "" if self.worst is None else f", worst {self.worst.name!r}"
        return f"<Ranking: {len(self)} quantizers{worst}>"


def shown_decibels(value: float) -> str:
    """Return decibels as text."""
    if isfinite(value):
        return f"{value:.1f}"
    return "∞" if value > 0 else "-∞"
