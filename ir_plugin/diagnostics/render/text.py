"""Findings as text: in full with the source line, or one per line for editors and grep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from ir_plugin.diagnostics.escape import safe, safe_layer
from ir_plugin.diagnostics.finding import Finding
from ir_plugin.diagnostics.position import Span
from ir_plugin.diagnostics.render.excerpt import Excerpt, excerpt

UNNAMED = "<model>"
"""The file name of a model read from memory."""

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "frame": "1;34", "strong": "1"}
_LONGEST, _LONGEST_HELP = 1000, 4000
_IN_FULL = 3
"""The most findings of one kind in a file that are shown in full if there are many."""
_MANY = 6
_MAX_LISTED = 20
"""The most further findings of a kind that a terminal shows, a line for each."""
_NARROWEST = 40


def full(findings: Iterable[Finding], color: bool = False, width: int | None = None, fixable: int = 0) -> str:
    """Return each finding with its source line, carets and notes, and a last line with their number.

    Of many findings of a kind in a file only the first ones are shown so, the others in a line each. Lines have at
    most `width` columns, except for paths. With `color`, terminal colours are always written; text from files never
    contains escape sequences.
    """
    ordered = list(findings)
    kinds = Counter(map(_kind, ordered))
    shown: Counter[tuple[str, str]] = Counter()
    parts = []
    more: dict[tuple[str, str], list[Finding]] = {}
    for finding in ordered:
        kind = _kind(finding)
        shown[kind] += 1
        if kinds[kind] > _MANY and shown[kind] > _IN_FULL:
            more.setdefault(kind, []).append(finding)
        else:
            parts.append(full_finding(finding, color, width))
    parts += [_listed(group, color, width) for group in more.values()]
    return "".join(f"{part}\n" for part in parts) + f"{summary(ordered, fixable)}\n"


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.span.file, finding.code


def _listed(findings: Sequence[Finding], color: bool, width: int | None) -> str:
    """Return findings of one kind in a file as a line each, the first ones only if there is a `width`."""
    first = findings[0]
    heading = _paint(f"{first.severity}[{safe(first.code, 24)}]", first.severity, color)
    where = f" in {safe(first.span.file)}" if first.span.file else ""
    lines = [f"{heading}{_paint(f': {len(findings):,} more{where}', 'strong', color)}"]
    listed = findings if width is None else findings[:_MAX_LISTED]
    lines += [_cut(_entry(finding), width) for finding in listed]
    if len(listed) < len(findings):
        lines.append(_cut(f"  … and {len(findings) - len(listed):,} more; --format concise lists all", width))
    return "".join(f"{line}\n" for line in lines)


def _entry(finding: Finding) -> str:
    wrong = safe(finding.label or finding.message, _LONGEST)
    layer = f", {safe_layer(finding.layer)}" if finding.layer else ""
    line = f"{finding.span.line}: " if finding.span.line else ""
    return f"  {line}{wrong}{layer}"


def _cut(text: str, width: int | None) -> str:
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"


def _wrapped(head: str, text: str, indent: int, width: int | None) -> list[str]:
    """Return a text after a head as lines of at most `width` columns, the first without the head."""
    if width is None or len(head) + len(text) <= width:
        return [text]
    lines = wrap(
        text, max(width, _NARROWEST), initial_indent=head, subsequent_indent=" " * indent, break_on_hyphens=False
    )
    return [lines[0][len(head) :], *lines[1:]]


def concise(findings: Iterable[Finding]) -> str:
    """Return a line for each finding: `file:line:column: IR302 error: message (layer "pool1")`.

    A finding for a whole file is at 1:1, so that every line has the same format.
    """
    return "".join(f"{_concise(finding)}\n" for finding in findings)


def summary(findings: Iterable[Finding], fixable: int = 0) -> str:
    """Return the number of findings of each severity: `2 errors, 1 warning, 2 fixable with --fix`."""
    counts = Counter(finding.severity for finding in findings)
    parts = [_count(counts[word], word) for word in ("error", "warning", "note") if counts[word]]
    parts += [f"{fixable:,} fixable with --fix"] if fixable else []
    return ", ".join(parts) or "no findings"


def full_finding(finding: Finding, color: bool = False, width: int | None = None) -> str:
    """Return a finding in full, with a final newline."""
    head = f"{finding.severity}[{safe(finding.code, 24)}]"
    message = _wrapped(head, f": {safe(finding.message, _LONGEST)}", 4, width)
    first = _paint(head, finding.severity, color) + _paint(message[0], "strong", color)
    following = [_paint(line, "strong", color) for line in message[1:]]
    lines = (first, *following, *_source_lines(finding, color, width), *_notes(finding, color, width))
    return "".join(f"{line}\n" for line in lines)


def _source_lines(finding: Finding, color: bool, width: int | None) -> Iterator[str]:
    span = finding.span
    if not span.file and not span.line:
        return
    pad = _pad(span)
    yield f"{_paint(f'{pad}-->', 'frame', color)} {_where(span)}"
    if not _has_source(span):
        return
    room = None if width is None else max(width, _NARROWEST) - len(pad) - 3
    cut = excerpt(span) if room is None else excerpt(span, room - 2)
    bar = _paint(f"{pad} |", "frame", color)
    yield bar
    yield f"{_paint(f'{span.line} |', 'frame', color)} {cut.line}".rstrip()
    if cut.carets:
        for line in _carets(cut, safe(finding.label), room):
            yield f"{bar} {' ' * (len(line) - len(line.lstrip()))}{_paint(line.lstrip(), finding.severity, color)}"


def _carets(cut: Excerpt, label: str, room: int | None) -> list[str]:
    """Return the carets followed by the label, which moves to the next line if it does not fit in `room` columns."""
    carets = " " * cut.before + "^" * cut.carets
    if not label:
        return [carets]
    if room is None or len(carets) + 1 + len(label) <= room:
        return [f"{carets} {label}"]
    indent = max(min(cut.before, room - len(label)), 0)
    return [carets, *wrap(label, room, initial_indent=" " * indent, break_on_hyphens=False)]


def _notes(finding: Finding, color: bool, width: int | None) -> Iterator[str]:
    under_carets = _has_source(finding.span) and finding.span.column > 0
    label = finding.label
    notes = {
        word_of(finding): safe_layer(finding.layer) if finding.layer else "",
        "note": "" if under_carets else safe(label),
        "declared": "" if _says(label, "declared", finding.declared) else safe(finding.declared),
        "inferred": "" if _says(label, "inferred", finding.inferred) else safe(finding.inferred),
        "because": safe(finding.because, _LONGEST),
        "help": safe(finding.help, _LONGEST_HELP),
    }
    pad = _pad(finding.span)
    for name, text in notes.items():
        if text:
            first, *rest = _wrapped(f"{pad} = {name}: ", text, len(pad) + 5, width)
            yield f"{_paint(f'{pad} =', 'frame', color)} {_paint(f'{name}:', 'strong', color)} {first}"
            yield from rest


def word_of(finding: Finding) -> str:
    """Return the word for a layer in the format of a finding's file: `layer`, or `node` in ONNX."""
    return "node" if finding.layer is not None and not finding.layer.id else "layer"


def _concise(finding: Finding) -> str:
    span = finding.span
    position = f"{safe(span.file) or UNNAMED}:{max(span.line, 1)}:{max(span.column, 1)}"
    layer = f' ({word_of(finding)} "{safe(finding.layer.name, 120)}")' if finding.layer else ""
    detail = f": {safe(finding.label)}" if finding.label else ""
    message = safe(finding.message, _LONGEST)
    return f"{position}: {safe(finding.code, 24)} {finding.severity}: {message}{detail}{layer}"


def _where(span: Span) -> str:
    numbers = [str(number) for number in (span.line, span.column if span.line else 0) if number]
    inside = f": {safe(span.path)}" if span.path else ""
    return ":".join([safe(span.file) or UNNAMED, *numbers]) + inside


def _pad(span: Span) -> str:
    return " " * len(str(span.line))


def _has_source(span: Span) -> bool:
    return span.line > 0 and bool(span.text)


def _says(label: str, word: str, value: str) -> bool:
    return re.search(rf"\b{word} {re.escape(value)}(?![\w.])", label) is not None


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _paint(text: str, style: str, color: bool) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if color else text
