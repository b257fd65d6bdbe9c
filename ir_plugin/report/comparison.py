"""A comparison, as data: one entry an output of a layer, in the order of execution."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ir_plugin.report.measures import Measures, Tolerance


@dataclass(frozen=True)
class ComparedConstant:
    """A constant that a layer reads, and how far it is from the reference's."""

    name: str
    max_abs: float


@dataclass(frozen=True)
class ComparedOutput:
    """One output of a layer, held against the reference's."""

    name: str
    id: str
    type: str
    output: int
    element_type: str
    shape: tuple[int, ...]
    measures: Measures | None
    """None where it cannot be measured: the shapes differ."""
    reference_shape: tuple[int, ...]
    agrees: bool
    inputs_agree: bool
    """Whether all it was computed from agrees: if so, and it does not agree itself, it is the culprit."""
    constants: tuple[ComparedConstant, ...] = ()
    """The constants among its inputs that differ."""
    through: tuple[str, ...] = ()
    """Layers between it and the outputs compared before, for which the reference has no value."""
    magnifies: bool = False
    """Whether it differs only because its inputs do, within the tolerance: given the reference's inputs it agrees."""

    @property
    def is_culprit(self) -> bool:
        """Whether it differs though its inputs agree, and not only because of what they differ by in the tolerance."""
        return self.inputs_agree and not self.agrees and not self.magnifies

    @property
    def label(self) -> str:
        """The layer's name, with the number of an output that is not the first."""
        return self.name if self.output == 0 else f"{self.name}:{self.output}"


@dataclass(frozen=True)
class Comparison:
    """How a run of a model compares with a reference, layer by layer."""

    model: str
    reference: str
    fed: bool
    """Whether each layer got the reference's inputs, so that errors do not add up."""
    tolerance: Tolerance
    outputs: tuple[ComparedOutput, ...]
    unmatched: tuple[str, ...] = ()
    """Layers for which the reference has no value."""
    planned: bool = False
    """Whether the layers were run as a call runs them, with prepared kernels, rather than by their plain `evaluate`."""

    @property
    def agrees(self) -> bool:
        """Whether something was compared, and every output is within the tolerance."""
        return bool(self.outputs) and self.first is None

    @property
    def first(self) -> ComparedOutput | None:
        """The first output over the tolerance; None where there is none."""
        return next((output for output in self.outputs if not output.agrees), None)

    @property
    def culprits(self) -> tuple[ComparedOutput, ...]:
        """The outputs over the tolerance whose inputs agree."""
        return tuple(output for output in self.outputs if output.is_culprit)

    def __iter__(self) -> Iterator[ComparedOutput]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __getitem__(self, name: str) -> ComparedOutput:
        """Return the entry of a layer, `name:1` for its second output."""
        found = next((output for output in self.outputs if output.label == name), None)
        if found is None:
            raise KeyError(name)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "model": self.model,
            "reference": self.reference,
            "fed": self.fed,
            "planned": self.planned,
            "tolerance": asdict(self.tolerance),
            "agrees": self.agrees,
            "first": None if self.first is None else self.first.label,
            "culprits": [output.label for output in self.culprits],
            "unmatched": list(self.unmatched),
            "outputs": [_plain(output) for output in self.outputs],
        }

    def to_json(self) -> str:
        """Return the comparison as a JSON document; what is not finite is written as text."""
        return json.dumps(strict_json(self.to_dict()), indent=1, allow_nan=False)

    def to_html(self) -> str:
        """Return the comparison as a page."""
        from ir_plugin.report.comparison_html import page_of

        return page_of(self)

    def __str__(self) -> str:
        from ir_plugin.report.comparison_text import text_of

        return text_of(self)

    def __repr__(self) -> str:
        state = "agrees" if self.agrees else "nothing to compare"
        if self.first is not None:
            state = f"differs first at {self.first.label!r}"
        return f"<Comparison: {len(self.outputs)} outputs with {self.reference}, {state}>"

    def _repr_html_(self) -> str:
        from ir_plugin.report.comparison_html import cell_of

        return cell_of(self)


def _plain(output: ComparedOutput) -> dict[str, Any]:
    found = asdict(output)
    measures = found.pop("measures") or {}
    return {"label": output.label, **found, "is_culprit": output.is_culprit, **measures}


def strict_json(value: Any) -> Any:
    """Return plain data that JSON can say: infinities and NaN as text."""
    if isinstance(value, dict):
        return {str(key): strict_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict_json(item) for item in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
