"""The data of a comparison: an entry for each output of a layer, in execution order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ir_plugin.report.measures import Measures, Tolerance
from ir_plugin.report.strict_json import json_text


@dataclass(frozen=True)
class ComparedConstant:
    """A constant that a layer reads, and how far it is from the reference's."""

    name: str
    max_abs: float
    rounded_to: str = ""
    """The element type whose rounding alone makes the difference, such as f16; empty for any other difference."""


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
    """None if the shapes differ."""
    reference_shape: tuple[int, ...]
    agrees: bool
    inputs_agree: bool
    """Whether all it was computed from agrees; an output that differs nevertheless is a culprit."""
    constants: tuple[ComparedConstant, ...] = ()
    """The differing constants among its inputs."""
    through: tuple[str, ...] = ()
    """Layers without a reference value, between it and the outputs compared before."""
    magnifies: bool = False
    """Whether it agrees when computed from the reference's inputs and constants, whose differences it magnifies."""
    is_tie: bool = False
    """Whether it differs only because elements of equal value are selected in another order, here or upstream."""

    @property
    def is_culprit(self) -> bool:
        """Whether it differs though its inputs agree but for ties, and does not merely magnify their differences."""
        return self.differs and self.inputs_agree and not self.magnifies

    @property
    def differs(self) -> bool:
        """Whether it is over the tolerance for another reason than a tie."""
        return not self.agrees and not self.is_tie

    @property
    def label(self) -> str:
        """The layer's name, followed by the index of any output but the first."""
        return self.name if self.output == 0 else f"{self.name}:{self.output}"


@dataclass(frozen=True)
class ComparisonData:
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
    """Whether the layers were run by the compiled plan, rather than by their plain `evaluate`."""
    constants: tuple[ComparedConstant, ...] = ()
    """The stored constants that differ from the reference's."""
    constant_count: int = 0
    """The number of stored constants that were compared."""

    @property
    def agrees(self) -> bool:
        """Whether there are compared outputs, all within the tolerance but for ties."""
        return bool(self.outputs) and self.first is None

    @property
    def first(self) -> ComparedOutput | None:
        """The first culprit, else the first output over the tolerance that is no tie, or None."""
        differing = next((output for output in self.outputs if output.differs), None)
        return next(iter(self.culprits), differing)

    @property
    def culprits(self) -> tuple[ComparedOutput, ...]:
        """The outputs over the tolerance whose inputs agree."""
        return tuple(output for output in self.outputs if output.is_culprit)

    @property
    def ties(self) -> tuple[ComparedOutput, ...]:
        """The outputs that differ only by ties."""
        return tuple(output for output in self.outputs if output.is_tie)

    def __iter__(self) -> Iterator[ComparedOutput]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __getitem__(self, name: str) -> ComparedOutput:
        """Return the entry of a layer, `name:1` for its second output."""
        entry = next((output for output in self.outputs if output.label == name), None)
        if entry is None:
            raise KeyError(name)
        return entry

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
            "ties": [output.label for output in self.ties],
            "unmatched": list(self.unmatched),
            "constants": [asdict(constant) for constant in self.constants],
            "constant_count": self.constant_count,
            "outputs": [_plain(output) for output in self.outputs],
        }

    def to_json(self) -> str:
        """Return the comparison as a JSON document, with non-finite numbers as text."""
        return json_text(self.to_dict())

    def __repr__(self) -> str:
        state = "agrees" if self.agrees else "nothing to compare"
        if self.first is not None:
            state = f"differs first at {self.first.label!r}"
        return f"<Comparison: {len(self.outputs)} outputs with {self.reference}, {state}>"


def _plain(output: ComparedOutput) -> dict[str, Any]:
    entry = asdict(output)
    measures = entry.pop("measures") or {}
    return {"label": output.label, **entry, "is_culprit": output.is_culprit, **measures}
