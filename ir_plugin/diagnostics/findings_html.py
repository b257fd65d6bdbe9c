"""Findings as a table in HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ir_plugin.diagnostics.escape import safe

if TYPE_CHECKING:
    from ir_plugin.diagnostics.finding import Finding

_MOST = 100
_LEFT = ' style="text-align:left;vertical-align:top"'
_COLUMNS = ("finding", "line", "layer", "what is wrong", "help")


def findings_table(findings: Sequence[Finding]) -> str:
    """Return a table of at most a hundred findings."""
    if not findings:
        return "<div>no findings</div>"
    head = "".join(f"<th{_LEFT}>{name}</th>" for name in _COLUMNS)
    body = "".join(f"<tr>{_row(finding)}</tr>" for finding in findings[:_MOST])
    more = f"<small>{_MOST} of {len(findings):,} findings</small>" if len(findings) > _MOST else ""
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"


def _row(finding: Finding) -> str:
    wrong = "; ".join(text for text in (finding.message, finding.label, finding.because) if text)
    layer = "" if finding.layer is None else str(finding.layer)
    cells = (f"{finding.severity}[{finding.code}]", str(finding.span.line or ""), layer, wrong, finding.help)
    return "".join(f"<td{_LEFT}>{escape(safe(cell, 600))}</td>" for cell in cells)
