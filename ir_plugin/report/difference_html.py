"""A difference as HTML: the verdict and a table."""

from __future__ import annotations

from ir_plugin.openvino.surgery.changes import Change
from ir_plugin.report.difference_data import DifferenceData
from ir_plugin.report.difference_text import layer, sign, verdict, what
from ir_plugin.report.page import page, text

_STYLE = (
    ".ir-plugin-diff td { white-space: normal; vertical-align: top; text-align: left; } "
    ".ir-plugin-diff tr.added td { background: #2e9d4e22; } .ir-plugin-diff tr.removed td { background: #d6454522; } "
    ".ir-plugin-diff tr.follows td { opacity: .65; }"
)
_MAX_IN_A_CELL = 200


def page_of(difference: DifferenceData) -> str:
    """Return the difference as a page."""
    head = f"<h1>{text(difference.first)} → {text(difference.second)}</h1>"
    return page(f"{difference.first} → {difference.second}", head + _fragment(difference, None), _STYLE)


def cell_of(difference: DifferenceData) -> str:
    """Return the difference as HTML for a notebook, with its first changes."""
    return f"<style>{_STYLE}</style>{_fragment(difference, _MAX_IN_A_CELL)}"


def _fragment(difference: DifferenceData, most: int | None) -> str:
    shown = difference.changes[:most]
    rows = [_row(change, change.kind) for change in shown]
    if most is None:
        rows += [_row(change, "follows") for change in difference.consequences]
    more = f"<p>… {len(shown)} of {len(difference):,} changes</p>" if len(shown) < len(difference) else ""
    table = f"<table>{''.join(rows)}</table>" if rows else ""
    return f'<div class="ir-plugin-diff"><p><b>{text(verdict(difference))}</b></p>{table}{more}</div>'


def _row(change: Change, kind: str) -> str:
    cells = (sign(change), "in consequence" if kind == "follows" else change.kind, layer(change), what(change))
    return f'<tr class="{kind}">{"".join(f"<td>{text(cell)}</td>" for cell in cells)}</tr>'
