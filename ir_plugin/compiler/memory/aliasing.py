"""Aliases of Concat inputs: their producers write them straight into the output of the Concat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ir_plugin.compiler.graph import Value
from ir_plugin.compiler.memory.live_ranges import LiveRange

if TYPE_CHECKING:
    from ir_plugin.compiler.step import Step


class BufferAlias(NamedTuple):
    """The value that owns the memory of another one, and the offset in it, in bytes."""

    owner: Value
    offset: int


def alias_concat_inputs(steps: Sequence[Step]) -> dict[Value, BufferAlias]:
    """Return the aliases of Concat inputs that kernels write, and record their positions in `Op.aliased_inputs`.

    An input is aliased only where one Concat reads it once and it is no result. The output of a Concat may itself be
    an alias in the output of another.
    """
    written = {value for step in steps if step.writes for value in step.op.outputs[: len(step.outputs)]}
    aliases: dict[Value, BufferAlias] = {}
    for step in steps:
        kernel = step.static_kernel
        if kernel is None or not kernel.pieces or step.op.outputs[0].is_result:
            continue
        output, inputs = step.op.outputs[0], kernel.inputs
        for position, (value, offset) in enumerate(zip(inputs, kernel.pieces, strict=True)):
            fits = value in written and value not in aliases and not value.is_result and value.nbytes
            if fits and inputs.count(value) == 1 and value.channels_last is output.channels_last:
                aliases[value] = BufferAlias(output, offset)
                step.op.aliased_inputs.add(position)
    return {value: _root(alias, aliases) for value, alias in aliases.items()}


def _root(alias: BufferAlias, aliases: Mapping[Value, BufferAlias]) -> BufferAlias:
    while alias.owner in aliases:
        above = aliases[alias.owner]
        alias = BufferAlias(above.owner, alias.offset + above.offset)
    return alias


def extend_owners(live_ranges: Sequence[LiveRange], aliases: Mapping[Value, BufferAlias]) -> list[LiveRange]:
    """Drop the live ranges of aliases, and extend the range of each owner to cover its aliases."""
    ranges = {live_range.value: live_range for live_range in live_ranges if live_range.value not in aliases}
    for live_range in live_ranges:
        alias = aliases.get(live_range.value)
        if alias is not None:
            owner = ranges[alias.owner]
            ranges[alias.owner] = replace(
                owner, first=min(owner.first, live_range.first), last=max(owner.last, live_range.last)
            )
    return sorted(ranges.values(), key=lambda live_range: live_range.first)
