"""Findings for the weights file as a whole: missing, truncated, partly unused, or used twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.reader.foreign import foreign
from ir_plugin.reader.reading import ConstantRange, Reading

_ALIGNMENT = 64
"""Shorter gaps of zero bytes are padding."""
_START = 65536
"""The bytes that tell whether a file is something else."""


def report_weights(reading: Reading) -> None:
    """Report what is wrong with the weights, after all constants are read."""
    constants = reading.constants
    if constants.without_weights:
        _report_missing(reading, constants.without_weights)
    if constants.out_of_bounds:
        _report_outside(reading, constants.out_of_bounds)
    if not reading.strict:
        return
    ordered = sorted(constants.in_bounds, key=lambda constant: (constant.offset, -constant.size))
    overlap = _report_overlaps(reading, ordered)
    if constants.is_complete and not overlap and not constants.out_of_bounds and not constants.without_weights:
        _report_unused(reading, ordered)


def _report_missing(reading: Reading, constants: Sequence[ConstantRange]) -> None:
    first, count = constants[0], len(constants)
    expected = reading.weights.path or "given as the argument `weights`"
    message = "the constant needs the weights file, which is missing"
    because = f"{count} constants need it" if count > 1 else ""
    help = f"expected: {expected}"
    reading.report("IR401", message, first.data, attribute="offset", layer=first.node.ref(), because=because, help=help)


def _report_outside(reading: Reading, constants: Sequence[ConstantRange]) -> None:
    """Report a truncated file once, and other constants beyond the end one by one."""
    length = len(reading.weights)
    ordered = sorted(constants, key=lambda constant: constant.offset)
    is_truncated = len(ordered) > 1 and ordered[0].offset <= length and not any(_gaps(ordered, ordered[0].offset))
    for reported in [min(constants, key=lambda constant: constant.offset)] if is_truncated else constants:
        message = f"the constant ends at byte {reported.end}; the weights have {length} bytes"
        because = f"offset {reported.offset} + size {reported.size} = {reported.end}"
        help = "the weights file is truncated or belongs to another model, or offset and size are wrong"
        if is_truncated:
            because = f"{len(constants)} constants lie beyond the end, up to byte {max(late.end for late in constants)}"
            help = "the weights file is truncated or belongs to another model"
        kind = foreign(bytes(reading.weights.packed(0, _START)))
        if kind is not None and kind.is_stand_in:
            help = f"the weights file is {kind.name}; {kind.help}"
        where = reported.node.ref('attribute "offset"')
        reading.report("IR402", message, reported.data, attribute="offset", layer=where, because=because, help=help)


def _gaps(ordered: Iterable[ConstantRange], start: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges that no constant covers, up to the last constant."""
    reach = start
    for constant in ordered:
        if constant.offset > reach:
            yield reach, constant.offset
        reach = max(reach, constant.end)


def _report_overlaps(reading: Reading, ordered: Sequence[ConstantRange]) -> bool:
    overlap = False
    longest: ConstantRange | None = None
    previous: ConstantRange | None = None
    for constant in ordered:
        shared = previous is not None and (previous.offset, previous.size) == (constant.offset, constant.size)
        if longest is not None and constant.offset < longest.used_end and not shared and constant.size:
            count = min(longest.used_end, constant.used_end) - constant.offset
            message = f'the constant shares {count} bytes with "{_name(longest)}"'
            because = (
                f"one is [{longest.offset}, {longest.used_end}), the other [{constant.offset}, {constant.used_end})"
            )
            where = constant.node.ref('attribute "offset"')
            reading.report("IR406", message, constant.data, attribute="offset", layer=where, because=because)
            overlap = True
        previous = constant
        if longest is None or constant.used_end > longest.used_end:
            longest = constant
    return overlap


def _name(constant: ConstantRange) -> str:
    return constant.node.name


def _report_unused(reading: Reading, ordered: Sequence[ConstantRange]) -> None:
    length = len(reading.weights)
    last = max((constant.end for constant in ordered), default=0)
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
