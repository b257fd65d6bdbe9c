"""Values that are written where a Concat would copy them: a part of its output is their memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ir_plugin.compiler.graph import Value
from ir_plugin.compiler.memory.live_ranges import LiveRange

if TYPE_CHECKING:
    from ir_plugin.compiler.plan import Step


class BufferAlias(NamedTuple):
    """The value of which the memory is used, and where in it, in bytes."""

    owner: Value
    offset: int


def alias_concat_inputs(steps: Sequence[Step]) -> dict[Value, BufferAlias]:
    """Return the homes of inputs of Concats that prepared steps write, and note them at the Concats.

    An input has one home, so that it is read only once by the Concat and is no result; the output of a Concat may
    itself have its home in another's.
    """
    written = {value for step in steps if step.writes for value in step.op.outputs[: len(step.outputs)]}
    found: dict[Value, BufferAlias] = {}
    for step in steps:
        if step.kernel is None or not step.kernel.pieces or step.op.outputs[0].is_result:
            continue
        output, inputs = step.op.outputs[0], step.kernel.inputs
        for position, (value, offset) in enumerate(zip(inputs, step.kernel.pieces, strict=True)):
            fits = value in written and value not in found and not value.is_result and value.nbytes
            if fits and inputs.count(value) == 1 and value.channels_last is output.channels_last:
                found[value] = BufferAlias(output, offset)
                step.op.aliased_inputs.add(position)
    return {value: _root(alias, found) for value, alias in found.items()}


def _root(alias: BufferAlias, aliases: Mapping[Value, BufferAlias]) -> BufferAlias:
    while alias.owner in aliases:
        above = aliases[alias.owner]
        alias = BufferAlias(above.owner, alias.offset + above.offset)
    return alias


def merge(live_ranges: Sequence[LiveRange], aliases: Mapping[Value, BufferAlias]) -> list[LiveRange]:
    """Return lives in which an owner's lasts as long as those of all that live in its memory, which have none."""
    found = {live_range.value: live_range for live_range in live_ranges if live_range.value not in aliases}
    for live_range in live_ranges:
        alias = aliases.get(live_range.value)
        if alias is not None:
            owner = found[alias.owner]
            found[alias.owner] = replace(
                owner, first=min(owner.first, live_range.first), last=max(owner.last, live_range.last)
            )
    return sorted(found.values(), key=lambda live_range: live_range.first)
