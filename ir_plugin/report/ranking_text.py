"""A ranking of quantizers as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.diagnostics.escape import safe
from ir_plugin.report.page import page, text
from ir_plugin.report.ranking_data import RankedQuantizer, RankingData, shown_decibels

COLUMNS = (">", "quantizer", "of", "steps", "per", ">SQNR dB", ">lost dB", ">output gains dB", "why")
MAX_ROWS = 40
_MAX_NAMES = 4


def row(rank: int, quantizer: RankedQuantizer) -> tuple[str, ...]:
    """Return the cells of a quantizer, as `COLUMNS` names them."""
    numbers = (quantizer.sqnr, quantizer.lost, quantizer.output_gain)
    role = quantizer.role if quantizer.name == quantizer.layer else f"{quantizer.role} of {safe(quantizer.layer, 40)}"
    head = (str(rank), safe(quantizer.name, 60), role, quantizer.steps, quantizer.granularity.removeprefix("per "))
    return *head, *map(shown_decibels, numbers), quantizer.cause


def verdict(ranking: RankingData) -> list[str]:
    """Return the result of a ranking in a few sentences; names from the file are not escaped."""
    lines = []
    worst = ranking.worst
    noise = f"the output has {shown_decibels(ranking.output_sqnr)} dB of signal to noise"
    if worst is None:
        lines.append("no quantizer has a noise that can be measured")
    elif worst.is_bad:
        cause = f": {worst.cause}" if worst.cause else ""
        lines.append(
            f'"{worst.name}" loses {shown_decibels(worst.lost)} dB more than {worst.steps} levels have to{cause}; '
            f"{noise}, and gains {shown_decibels(worst.output_gain)} dB if it is undone"
        )
    else:
        lines.append(f"no quantizer is much worse than its number of levels; {noise}")
    if ranking.unranked:
        names = ", ".join(f'"{name}"' for name in ranking.unranked[:_MAX_NAMES])
        rest = ", …" if len(ranking.unranked) > _MAX_NAMES else ""
        lines.append(
            f"{len(ranking.unranked)} not ranked, as the numbers before are not known: {names}{rest}; "
            "compare with the model before quantization"
        )
    return lines


def text_of(ranking: RankingData) -> str:
    """Return the ranking as plain text."""
    shown = [row(rank, quantizer) for rank, quantizer in enumerate(ranking.quantizers[:MAX_ROWS], 1)]
    rows: list[Sequence[str]] = [[column.lstrip(">") for column in COLUMNS], *shown]
    widths = [max(len(cells[index]) for cells in rows) for index in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip() for cells in rows]
    return "\n".join([*lines, "", *(safe(line, 1000) for line in verdict(ranking))])


def fragment_of(ranking: RankingData, heading: str = "h1") -> str:
    """Return the ranking as an HTML fragment with a heading of this level."""
    classes = [' class="n"' if column.startswith(">") else "" for column in COLUMNS]
    head = "".join(f"<th{cls}>{column.lstrip('>')}</th>" for column, cls in zip(COLUMNS, classes, strict=True))
    rows = "".join(_row(rank, quantizer, classes) for rank, quantizer in enumerate(ranking.quantizers, 1))
    sentences = "".join(f"<p><b>{text(line, 1000)}</b></p>" for line in verdict(ranking))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        f"<{heading}>Quantizers of {text(ranking.model)} against {text(ranking.reference)}</{heading}>{sentences}"
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="quantizers">{table}</div>'
    )


def _row(rank: int, quantizer: RankedQuantizer, classes: Sequence[str]) -> str:
    cells = zip(row(rank, quantizer), classes, strict=True)
    marked = ' class="bad"' if quantizer.is_bad else ""
    return f"<tr{marked}>{''.join(f'<td{cls}>{text(cell)}</td>' for cell, cls in cells)}</tr>"


def page_of(ranking: RankingData) -> str:
    """Return the ranking as a page."""
    return page(f"Quantizers of {ranking.model}", fragment_of(ranking))
