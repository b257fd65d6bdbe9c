"""Findings as text: in full with the source line, or one a line for editors and grep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ir_plugin.diagnostics.escape import safe, safe_layer
from ir_plugin.diagnostics.finding import Finding, Span
from ir_plugin.diagnostics.render.excerpt import excerpt

UNNAMED = "<model>"
"""What stands for the name of a file where a model was read from memory."""

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "frame": "1;34", "strong": "1"}
_LONGEST = 1000


def full(findings: Iterable[Finding], color: bool = False) -> str:
    """Return each finding with its source line, carets and notes, and a last line that counts them.

    With `color`, terminal colours are written whatever the terminal; text from files never brings its own.
    """
    shown = list(findings)
    return "".join(f"{one(finding, color)}\n" for finding in shown) + f"{summary(shown)}\n"


def concise(findings: Iterable[Finding]) -> str:
    """Return one line a finding: `file:line:column: IR302 error: message (layer "pool1")`.

    A finding about a file as a whole stands at 1:1, so that every line has the same form.
    """
    return "".join(f"{_concise(finding)}\n" for finding in findings)


def summary(findings: Iterable[Finding]) -> str:
    """Return how many findings of each severity there are: `2 errors, 1 warning`."""
    counts = Counter(finding.severity for finding in findings)
    parts = [_count(counts[word], word) for word in ("error", "warning", "note") if counts[word]]
    return ", ".join(parts) or "no findings"


def one(finding: Finding, color: bool = False) -> str:
    """Return one finding in full, ending with a newline."""
    heading = _paint(f"{finding.severity}[{safe(finding.code, 24)}]", finding.severity, color)
    message = _paint(f": {safe(finding.message, _LONGEST)}", "strong", color)
    return "".join(f"{line}\n" for line in (heading + message, *_place(finding, color), *_notes(finding, color)))


def _place(finding: Finding, color: bool) -> Iterator[str]:
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
        "layer": safe_layer(finding.layer) if finding.layer else "",
        "note": "" if under_carets else safe(label),
        "declared": "" if _says(label, "declared", finding.declared) else safe(finding.declared),
        "inferred": "" if _says(label, "inferred", finding.inferred) else safe(finding.inferred),
        "because": safe(finding.because, _LONGEST),
        "help": safe(finding.help, _LONGEST),
    }
    for name, text in notes.items():
        if text:
            yield f"{_paint(f'{_pad(finding.span)} =', 'frame', color)} {_paint(f'{name}:', 'strong', color)} {text}"


def _concise(finding: Finding) -> str:
    span = finding.span
    place = f"{safe(span.file) or UNNAMED}:{max(span.line, 1)}:{max(span.column, 1)}"
    layer = f' (layer "{safe(finding.layer.name, 120)}")' if finding.layer else ""
    detail = f": {safe(finding.label)}" if finding.label else ""
    message = safe(finding.message, _LONGEST)
    return f"{place}: {safe(finding.code, 24)} {finding.severity}: {message}{detail}{layer}"


def _where(span: Span) -> str:
    numbers = [str(number) for number in (span.line, span.column if span.line else 0) if number]
    return ":".join([safe(span.file) or UNNAMED, *numbers])


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
