"""Findings as text for people, and as data for editors, code hosts and CI."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.finding import Finding, Findings
from ir_plugin.diagnostics.render.json import to_json
from ir_plugin.diagnostics.render.junit import to_junit
from ir_plugin.diagnostics.render.sarif import to_sarif
from ir_plugin.diagnostics.render.text import concise, full, summary
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError

Format = Literal["full", "concise", "json", "sarif", "junit"]

FORMATS: tuple[str, ...] = get_args(Format)
"""The names of the formats, those for people first."""

__all__ = ["FORMATS", "Format", "concise", "full", "render", "summary", "to_json", "to_junit", "to_sarif"]


def render(
    findings: Iterable[Finding],
    format: str = "full",
    *,
    files: Iterable[str] = (),
    color: bool = False,
    width: int | None = None,
    fixable: int = 0,
) -> str:
    """Return the findings, sorted by position, in one of `FORMATS`; every text ends with a newline or is empty.

    `files` are all checked files, for formats that also list files without findings. The full text has at most
    `width` columns, and ends with the number of findings that are `fixable`.
    """
    ordered = Findings(findings).sorted()
    match format:
        case "full":
            return full(ordered, color, width, fixable)
        case "concise":
            return concise(ordered)
        case "json":
            return to_json(ordered)
        case "sarif":
            return to_sarif(ordered)
        case "junit":
            return to_junit(ordered, files)
        case _:
            hint = did_you_mean(format, FORMATS) or f"known are {', '.join(FORMATS)}"
            raise InputError(f'unknown format "{safe(format, 60)}": {hint}')
