"""Findings as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ir_plugin.diagnostics.render import render

if TYPE_CHECKING:
    from ir_plugin.diagnostics.finding import Finding

_MOST = 100


def findings_cell(findings: Sequence[Finding]) -> str:
    """Return at most a hundred findings as preformatted text."""
    if not findings:
        return "<pre>no findings</pre>"
    more = f"<small>{_MOST} of {len(findings):,} findings</small>" if len(findings) > _MOST else ""
    return f"<pre>{escape(render(findings[:_MOST]).rstrip())}</pre>{more}"
