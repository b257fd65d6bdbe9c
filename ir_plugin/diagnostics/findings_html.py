"""Findings as a table in HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ir_plugin.diagnostics.escape import safe

_MAX_FINDINGS = 100
_LEFT = ' style="text-align:left;vertical-align:top"'
_COLUMNS = ("finding", "line", "layer", "what is wrong", "help")


def findings_table(findings: Sequence[Sequence[str]]) -> str:
    """Return a table of the cells of at most a hundred findings."""
    if not findings:
        return "<div>no findings</div>"
    head = "".join(f"<th{_LEFT}>{name}</th>" for name in _COLUMNS)
    body = "".join(f"<tr>{_row(finding)}</tr>" for finding in findings[:_MAX_FINDINGS])
    more = f"<small>{_MAX_FINDINGS} of {len(findings):,} findings</small>" if len(findings) > _MAX_FINDINGS else ""
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"


def _row(cells: Sequence[str]) -> str:
    return "".join(f"<td{_LEFT}>{escape(safe(cell, 600))}</td>" for cell in cells)
