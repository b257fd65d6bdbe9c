"""The structural difference of two models as data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ir_plugin.api import Core, Model
from ir_plugin.errors import require
from ir_plugin.report.comparison import json_text
from ir_plugin.surgery.changes import Change, compare_graphs

ModelLike: TypeAlias = "Model | str | os.PathLike[str]"


@dataclass(frozen=True)
class Difference:
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

    def to_html(self) -> str:
        """Return the difference as a page."""
        from ir_plugin.report.difference_html import page_of

        return page_of(self)

    def __str__(self) -> str:
        from ir_plugin.report.difference_text import text_of

        return text_of(self)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        return f"<Difference: {counts or 'none'}>"

    def _repr_html_(self) -> str:
        from ir_plugin.report.difference_html import cell_of

        return cell_of(self)


def diff(first: ModelLike, second: ModelLike, *, rt_info: bool = False) -> Difference:
    """Return what differs between two models or files, by structure: layers, edges, attributes, constants, shapes.

    Layers are matched by what they are computed from and what is computed from them; ids, the order of layers and their
    names do not count, tensor names do. A constant in half precision that is decompressed is one constant. Bodies are
    compared too. With `rt_info` runtime information counts as well.
    """
    comparison = compare_graphs(_model(first), _model(second), rt_info)
    return Difference(_name(first), _name(second), comparison.changes, comparison.consequences, comparison.layers)


def _model(source: ModelLike) -> Model:
    require(source, (Model, str, os.PathLike), "a model of ir_plugin or a path", "model")
    return source if isinstance(source, Model) else Core().read_model(Path(source), validate=False)


def _name(source: ModelLike) -> str:
    return source.name if isinstance(source, Model) else os.fspath(source)
