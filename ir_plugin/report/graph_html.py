"""The page of a graph: one file with the layout library, the scripts and the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from ir_plugin.diagnostics import Finding
from ir_plugin.diagnostics.escape import safe
from ir_plugin.report.graph_data import GraphView, LayerKey, plain
from ir_plugin.report.page import data, page, text

_SCRIPTS = ("groups.js", "layout.js", "draw.js", "panel.js", "search.js", "graph.js")
"""The page's scripts in order of dependence."""


def page_of(
    title: str, views: Sequence[GraphView], findings: Sequence[Finding] = (), runs: Mapping[LayerKey, Any] | None = None
) -> str:
    """Return the page; `runs` holds the facts of a run by layer."""
    document = {
        "title": safe(title, 200),
        "graphs": [plain(view, runs or {}) for view in views],
        "loose": [
            {"code": finding.code, "severity": finding.severity, "message": safe(finding.message, 400)}
            for finding in findings
            if finding.layer is None
        ],
        "errors": sum(finding.severity == "error" for finding in findings),
        "warnings": sum(finding.severity == "warning" for finding in findings),
        "timed": any("ms" in facts for facts in (runs or {}).values()),
    }
    body = _asset("graph.html").replace("{{title}}", text(title, 200))
    scripts = (
        f'<script id="data" type="application/json">{data(document)}</script>'
        f"<script>{_vendored('dagre.min.js')}</script>"
        + "".join(f"<script>{_asset(name)}</script>" for name in _SCRIPTS)
    )
    return page(title, body + scripts, _asset("graph.css"))


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text("utf-8")


def _vendored(name: str) -> str:
    return (resources.files(__package__) / "vendor" / name).read_text("utf-8")
