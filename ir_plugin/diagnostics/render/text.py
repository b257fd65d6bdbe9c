"""Findings as text: in full with the source line, or one per line for editors and grep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ir_plugin.diagnostics.escape import safe, safe_layer
from ir_plugin.diagnostics.finding import Finding
from ir_plugin.diagnostics.position import Span
from ir_plugin.diagnostics.render.excerpt import excerpt

UNNAMED = "<model>"
"""The file name of a model read from memory."""

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "frame": "1;34", "strong": "1"}
_LONGEST = 1000


def full(findings: Iterable[Finding], color: bool = False) -> str:
    """Return each finding with its source line, carets and notes, and a last line with their number.

    With `color`, terminal colours are always written; text from files never contains escape sequences.
    """
    ordered = list(findings)
    return "".join(f"{full_finding(finding, color)}\n" for finding in ordered) + f"{summary(ordered)}\n"


def concise(findings: Iterable[Finding]) -> str:
    """Return a line for each finding: `file:line:column: IR302 error: message (layer "pool1")`.

    A finding for a whole file is at 1:1, so that every line has the same format.
    """
    return "".join(f"{_concise(finding)}\n" for finding in findings)


def summary(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each severity: `2 errors, 1 warning`."""
    counts = Counter(finding.severity for finding in findings)
    parts = [_count(counts[word], word) for word in ("error", "warning", "note") if counts[word]]
    return ", ".join(parts) or "no findings"


def full_finding(finding: Finding, color: bool = False) -> str:
    """Return a finding in full, with a final newline."""
    heading = _paint(f"{finding.severity}[{safe(finding.code, 24)}]", finding.severity, color)
    message = _paint(f": {safe(finding.message, _LONGEST)}", "strong", color)
    return "".join(f"{line}\n" for line in (heading + message, *_source_lines(finding, color), *_notes(finding, color)))


def _source_lines(finding: Finding, color: bool) -> Iterator[str]:
    span = finding.span
    if not span.file and not span.line:
        return
    pad = _pad(span)
    yield f"{_paint(f'{pad}-->', 'frame', color)} {_where(span)}"
    if not _has_source(span):
        return
    cut = excerpt(span)
    bar = _paint(f"{pad} |", "frame", color)
    yield bar
    yield f"{_paint(f'{span.line} |', 'frame', color)} {cut.line}".rstrip()
    if cut.carets:
        label = f" {safe(finding.label)}" if finding.label else ""
        yield f"{bar} {' ' * cut.before}{_paint('^' * cut.carets + label, finding.severity, color)}"


def _notes(finding: Finding, color: bool) -> Iterator[str]:
    under_carets = _has_source(finding.span) and finding.span.column > 0
    label = finding.label
    notes = {
        word_of(finding): safe_layer(finding.layer) if finding.layer else "",
        "note": "" if under_carets else safe(label),
        "declared": "" if _says(label, "declared", finding.declared) else safe(finding.declared),
        "inferred": "" if _says(label, "inferred", finding.inferred) else safe(finding.inferred),
        "because": safe(finding.because, _LONGEST),
        "help": safe(finding.help, _LONGEST),
    }
    for name, text in notes.items():
        if text:
            yield f"{_paint(f'{_pad(finding.span)} =', 'frame', color)} {_paint(f'{name}:', 'strong', color)} {text}"


def word_of(finding: Finding) -> str:
    """Return what the format of a finding's file calls a layer: `layer`, or `node` in ONNX."""
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
