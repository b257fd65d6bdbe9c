"""A comparison as HTML: the verdict, a chart of the errors, and a table."""

from __future__ import annotations

from math import isfinite, log10

from ir_plugin.report.comparison_data import ComparedOutput, ComparisonData
from ir_plugin.report.comparison_text import COLUMNS, row, verdict
from ir_plugin.report.page import page, text

_HEIGHT = 120
_DECADES = 9
"""The chart reaches from 1e-8 to 10."""
_CELL_STYLE = (
    ".ir-plugin { --bad: #d64545; --badback: #d6454524; --good: #2e9d4e; --soft: #808890; } "
    ".ir-plugin h1 { font-size: 1.15rem; } .ir-plugin .soft { color: var(--soft); } "
    ".ir-plugin td, .ir-plugin th { text-align: left; white-space: nowrap; padding: .2rem .6rem; } "
    ".ir-plugin td.n, .ir-plugin th.n { text-align: right; } .ir-plugin tr.bad td { background: var(--badback); } "
    ".ir-plugin .bad b { color: var(--bad); } .ir-plugin .good b { color: var(--good); }"
)


def page_of(comparison: ComparisonData) -> str:
    """Return the comparison as a page."""
    return page(f"{comparison.model} against {comparison.reference}", fragment_of(comparison))


def cell_of(comparison: ComparisonData) -> str:
    """Return the comparison as HTML with its own colours, for notebooks of either theme."""
    return f'<div class="ir-plugin"><style>{_CELL_STYLE}</style>{fragment_of(comparison)}</div>'


def fragment_of(comparison: ComparisonData, heading: str = "h1") -> str:
    """Return the comparison as an HTML fragment with a heading of this level."""
    mode = "each layer fed with the reference's inputs" if comparison.fed else "errors accumulated from the inputs on"
    mode += "; layers as planned" if comparison.planned else ""
    tolerance = comparison.tolerance
    atol = "1e-4 of the largest value" if tolerance.atol is None else f"{tolerance.atol:g}"
    sentences = "".join(f"<p><b>{text(line, 1000)}</b></p>" for line in verdict(comparison))
    state = "good" if comparison.agrees else "bad"
    return (
        f"<{heading}>{text(comparison.model)} against {text(comparison.reference)}</{heading}>"
        f'<p class="soft">{mode}; tolerance {tolerance.rtol:g} relative + {atol}</p>'
        f'<div class="{state}">{sentences}</div>{_chart(comparison)}{_table(comparison)}'
    )


def _table(comparison: ComparisonData) -> str:
    classes = [' class="n"' if column.startswith(">") else "" for column in COLUMNS]
    head = "".join(f"<th{cls}>{column.lstrip('>')}</th>" for column, cls in zip(COLUMNS, classes, strict=True))
    rows = "".join(_row(output, classes) for output in comparison.outputs)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="outputs of layers">{table}</div>'


def _row(output: ComparedOutput, classes: list[str]) -> str:
    cells = "".join(f"<td{cls}>{text(cell)}</td>" for cell, cls in zip(row(output), classes, strict=True))
    marked = "" if not output.differs else ' class="bad" style="background: var(--badback, #d6454524)"'
    return f"<tr{marked}>{cells}</tr>"


def _chart(comparison: ComparisonData) -> str:
    """Return the largest relative error of each layer as bars, on a logarithmic scale."""
    outputs = comparison.outputs
    if not outputs:
        return ""
    width = max(2, min(24, 960 // len(outputs)))
    total = width * len(outputs)
    lines = "".join(
        f'<line x1="0" x2="{total}" y1="{y}" y2="{y}" stroke="currentColor" stroke-opacity=".15"/>'
        for y in (_HEIGHT * step // 3 for step in range(4))
    )
    bars = "".join(_bar(output, index * width, width) for index, output in enumerate(outputs))
    note = "largest relative error of each layer, in the order of execution; from 1e-8 at the bottom to 10 at the top"
    return (
        '<figure style="margin:1rem 0;overflow-x:auto">'
        f'<svg width="{total}" height="{_HEIGHT}" role="img" aria-label="{note}">'
        f'{lines}{bars}</svg><figcaption class="soft">{note}</figcaption></figure>'
    )


def _bar(output: ComparedOutput, x: int, width: int) -> str:
    error = output.measures.max_rel if output.measures is not None else float("inf")
    share = 1.0 if not isfinite(error) else 0.0 if error <= 0 else min(max((log10(error) + 8) / _DECADES, 0.01), 1.0)
    height = round(share * _HEIGHT)
    color = "var(--good, #2e9d4e)" if not output.differs else "var(--bad, #d64545)"
    opacity = "1" if not output.differs or output.is_culprit else ".45"
    return (
        f'<rect x="{x}" y="{_HEIGHT - height}" width="{max(width - 1, 1)}" height="{height}" fill="{color}" '
        f'fill-opacity="{opacity}"><title>{text(output.label)}: {error:.3g}</title></rect>'
    )
