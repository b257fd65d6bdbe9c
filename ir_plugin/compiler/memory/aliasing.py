"""Values that are written where a Concat would copy them: a part of its output is their memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ir_plugin.compiler.graph import Value
from ir_plugin.compiler.memory.live_ranges import Life

if TYPE_CHECKING:
    from ir_plugin.compiler.plan import Step


class Home(NamedTuple):
    """The value of which the memory is used, and where in it, in bytes."""

    owner: Value
    offset: int


def find_homes(steps: Sequence[Step]) -> dict[Value, Home]:
    """Return the homes of inputs of Concats that prepared steps write, and note them at the Concats.

    An input has one home, so that it is read only once by the Concat and is no result; the output of a Concat may
    itself have its home in another's.
    """
    written = {value for step in steps if step.writes for value in step.call.outputs[: len(step.outputs)]}
    found: dict[Value, Home] = {}
    for step in steps:
        if step.prepared is None or not step.prepared.pieces or step.call.outputs[0].is_result:
            continue
        output, inputs = step.call.outputs[0], step.prepared.inputs
        for position, (value, offset) in enumerate(zip(inputs, step.prepared.pieces, strict=True)):
            fits = value in written and value not in found and not value.is_result and value.nbytes
            if fits and inputs.count(value) == 1 and value.channels_last is output.channels_last:
                found[value] = Home(output, offset)
                step.call.placed.add(position)
    return {value: _root(home, found) for value, home in found.items()}


def _root(home: Home, homes: Mapping[Value, Home]) -> Home:
    while home.owner in homes:
        above = homes[home.owner]
        home = Home(above.owner, home.offset + above.offset)
    return home


def merge(lives: Sequence[Life], homes: Mapping[Value, Home]) -> list[Life]:
    """Return lives in which an owner's lasts as long as those of all that live in its memory, which have none."""
    found = {life.value: life for life in lives if life.value not in homes}
    for life in lives:
        home = homes.get(life.value)
        if home is not None:
            owner = found[home.owner]
            found[home.owner] = replace(owner, first=min(owner.first, life.first), last=max(owner.last, life.last))
    return sorted(found.values(), key=lambda life: life.first)
