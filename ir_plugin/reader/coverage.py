"""The weights file as a whole: missing, cut short, used in part, or used twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.reader.reading import Placed, Reading

_ALIGNMENT = 64
"""Gaps of fewer zero bytes are padding."""


def report_weights(reading: Reading) -> None:
    """Add what is wrong with the weights of a file of which every constant was read."""
    constants = reading.constants
    if constants.homeless:
        _report_missing(reading, constants.homeless)
    if constants.outside:
        _report_outside(reading, constants.outside)
    if not reading.strict:
        return
    placed = sorted(constants.inside, key=lambda found: (found.offset, -found.size))
    overlap = _report_overlaps(reading, placed)
    if constants.is_complete and not overlap and not constants.outside and not constants.homeless:
        _report_unused(reading, placed)


def _report_missing(reading: Reading, homeless: Sequence[Placed]) -> None:
    first, count = homeless[0], len(homeless)
    expected = reading.weights.path or "given as the argument `weights`"
    message = "the constant needs the weights file, which is missing"
    because = f"{count} constants need it" if count > 1 else ""
    help = f"expected: {expected}"
    reading.report("IR401", message, first.data, attribute="offset", layer=first.node.ref(), because=because, help=help)


def _report_outside(reading: Reading, outside: Sequence[Placed]) -> None:
    """Report a file that was cut short once, and constants that lie elsewhere one by one."""
    length = len(reading.weights)
    ordered = sorted(outside, key=lambda found: found.offset)
    cut = len(ordered) > 1 and ordered[0].offset <= length and not any(_gaps(ordered, ordered[0].offset))
    for placed in [min(outside, key=lambda found: found.offset)] if cut else outside:
        message = f"the constant ends at byte {placed.end}; the weights have {length} bytes"
        because = f"offset {placed.offset} + size {placed.size} = {placed.end}"
        help = "the weights file is truncated or belongs to another model, or offset and size are wrong"
        if cut:
            because = f"{len(outside)} constants lie beyond the end, up to byte {max(found.end for found in outside)}"
            help = "the weights file is truncated or belongs to another model"
        where = placed.node.ref('attribute "offset"')
        reading.report("IR402", message, placed.data, attribute="offset", layer=where, because=because, help=help)


def _gaps(ordered: Iterable[Placed], start: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges that none of the constants covers, up to the last one."""
    reach = start
    for placed in ordered:
        if placed.offset > reach:
            yield reach, placed.offset
        reach = max(reach, placed.end)


def _report_overlaps(reading: Reading, ordered: Sequence[Placed]) -> bool:
    found = False
    longest: Placed | None = None
    before: Placed | None = None
    for placed in ordered:
        shared = before is not None and (before.offset, before.size) == (placed.offset, placed.size)
        if longest is not None and placed.offset < longest.used_end and not shared and placed.size:
            count = min(longest.used_end, placed.used_end) - placed.offset
            message = f'the constant shares {count} bytes with "{_name(longest)}"'
            because = f"one is [{longest.offset}, {longest.used_end}), the other [{placed.offset}, {placed.used_end})"
            where = placed.node.ref('attribute "offset"')
            reading.report("IR406", message, placed.data, attribute="offset", layer=where, because=because)
            found = True
        before = placed
        if longest is None or placed.used_end > longest.used_end:
            longest = placed
    return found


def _name(placed: Placed) -> str:
    return placed.node.name


def _report_unused(reading: Reading, ordered: Sequence[Placed]) -> None:
    length = len(reading.weights)
    last = max((placed.end for placed in ordered), default=0)
    gaps = [*_gaps(ordered, 0), *([(last, length)] if last < length else [])]
    gaps = [gap for gap in gaps if not _is_padding(reading, *gap)]
    if not gaps:
        return
    unused = sum(end - begin for begin, end in gaps)
    ranges = ", ".join(f"[{begin}, {end})" for begin, end in gaps[:4]) + (", …" if len(gaps) > 4 else "")
    message = f"{unused} of the {length} bytes of the weights belong to no constant"
    reading.findings.add(
        Finding.of(
            "IR405", message, span=Span(reading.weights.path or "<weights>"), because=f"nothing uses {ranges}",
            help="the file may belong to another model, or a Const layer is missing",
        )
    )  # fmt: skip


def _is_padding(reading: Reading, begin: int, end: int) -> bool:
    return end - begin < _ALIGNMENT and reading.weights.is_zero(begin, end)
