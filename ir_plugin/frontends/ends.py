"""The ends of a model that is converted: other types and shapes of inputs, and tensors at which the model is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError
from ir_plugin.tensors import ElementType, PartialShape


class InputEnd(NamedTuple):
    """A tensor that becomes an input; without a name, the input at this position. None keeps the type or shape."""

    name: str | None = None
    shape: PartialShape | None = None
    element_type: ElementType | None = None


@dataclass(frozen=True)
class Ends:
    """The inputs and outputs of a conversion; without outputs the model keeps its own."""

    inputs: Sequence[InputEnd] = ()
    outputs: Sequence[str] = ()

    def by_name(self, names: Sequence[str]) -> dict[str, InputEnd]:
        """Return the inputs by name; those without one are the first of the model's, whose names these are."""
        if len(self.inputs) > len(names) and any(end.name is None for end in self.inputs):
            raise InputError(f"{len(self.inputs)} inputs are described; the model has {len(names)}")
        named: dict[str, InputEnd] = {}
        for position, end in enumerate(self.inputs):
            name = names[position] if end.name is None else end.name
            if name in named:
                raise InputError(f"the input {name!r} is described twice")
            named[name] = end._replace(name=name)
        return named


WHOLE = Ends()
"""The default: the model's own inputs and outputs."""


def no_tensor(name: str, available: Sequence[str]) -> InputError:
    """Return the error for a tensor that the model lacks."""
    names = list(dict.fromkeys(available))
    near = did_you_mean(name, names) or f"it has {', '.join(map(repr, names[:8]))}{', …' * (len(names) > 8)}"
    return InputError(f"the model has no tensor {name!r}; {near}")
