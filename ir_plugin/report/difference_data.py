"""The structural difference of two models as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ir_plugin.openvino.surgery.changes import Change
from ir_plugin.report.strict_json import json_text


@dataclass(frozen=True)
class DifferenceData:
    """The changes from one model to another, in the order of the first; false where the models are equal."""

    first: str
    second: str
    changes: tuple[Change, ...]
    consequences: tuple[Change, ...] = ()
    """Outputs whose type or shape changes only because of `changes` before them."""
    layers: tuple[int, int] = (0, 0)
    """The number of layers of both models."""

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __getitem__(self, position: int) -> Change:
        return self.changes[position]

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes of each kind."""
        return dict(Counter(change.kind for change in self.changes))

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return {
            "first": self.first,
            "second": self.second,
            "equal": not self.changes,
            "layers": list(self.layers),
            "counts": self.counts,
            "changes": [asdict(change) for change in self.changes],
            "consequences": [asdict(change) for change in self.consequences],
        }

    def to_json(self) -> str:
        """Return the difference as a JSON document, with non-finite numbers as text."""
        return json_text(self.to_dict())

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        return f"<Difference: {counts or 'none'}>"
