"""A difference as text: a line for each change."""

from __future__ import annotations

from ir_plugin.diagnostics.escape import safe
from ir_plugin.openvino.surgery.changes import Change
from ir_plugin.report.difference_data import DifferenceData

SIGNS = {"added": "+", "removed": "-"}
_LONGEST = 160
_WORDS = {
    "removed": "removed",
    "added": "added",
    "type": "of another type",
    "attribute": "attribute",
    "rewired": "rewired",
    "constant": "constant",
    "output": "output",
    "names": "tensor name",
    "rt_info": "runtime information",
}
_PLURALS = {"attribute", "constant", "output", "tensor name"}


def sign(change: Change) -> str:
    """Return `+` for an added layer, `-` for a removed one, else `~`."""
    return SIGNS.get(change.kind, "~")


def layer(change: Change) -> str:
    """Return the layer of a change, with its name in the second model where that is another one."""
    inside = "".join(f"{safe(name, 60)} › " for name in change.path)
    renamed = f' ("{safe(change.other_name, 60)}")' if change.other_name else ""
    return f'{inside}"{safe(change.name, 80)}"{renamed} {safe(change.type, 60)}'


def what(change: Change) -> str:
    """Return the differences as text."""
    before, after = safe(change.before, _LONGEST), safe(change.after, _LONGEST)
    if change.kind in SIGNS:
        return before or after
    if change.kind == "constant":
        return _constant(change, before, after)
    part = {"names": f"tensor names of {change.part}", "rt_info": f"rt_info {change.part}", "type": "type"}.get(
        change.kind, change.part
    )
    return f"{safe(part, 80)}: {before} → {after}"


def _constant(change: Change, before: str, after: str) -> str:
    head = before if before == after else f"{before} → {after}"
    count = f"{change.differing:,} element{'' if change.differing == 1 else 's'}"
    if change.max_abs is None or change.max_rel is None:
        return f"{head}, {count}" if change.differing else head
    if not change.differing:
        return f"{head}, equal values"
    return f"{head}, {count} by up to {change.max_abs:.3g} ({change.max_rel:.3g} relative)"


def verdict(difference: DifferenceData) -> str:
    """Return the number of changes of each kind in one sentence."""
    if not difference:
        return f"the models are equal: {difference.layers[0]:,} layers"
    counts = [_count(number, _WORDS[kind]) for kind, number in difference.counts.items()]
    return f"{_count(len(difference), 'difference')}: {', '.join(counts)}{_consequences(difference)}"


def _consequences(difference: DifferenceData) -> str:
    count = len(difference.consequences)
    return f"; {_count(count, 'output')} of another type or shape in consequence" if count else ""


def _count(number: int, word: str) -> str:
    plural = number != 1 and (word in _PLURALS or word == "difference")
    return f"{number:,} {word}{'s' if plural else ''}"


def line_of(change: Change) -> str:
    """Return a change as one line."""
    return f"{sign(change)} {layer(change)}: {what(change)}".removesuffix(": ")


def text_of(difference: DifferenceData) -> str:
    """Return the difference as plain text."""
    return "\n".join([*map(line_of, difference), verdict(difference)])
