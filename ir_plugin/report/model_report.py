"""A model's report: one page with its facts, findings, graph, profile and a comparison, to attach to a pull request."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ir_plugin.diagnostics.render import render
from ir_plugin.openvino.api import Core
from ir_plugin.report import comparison_html, graph_html
from ir_plugin.report.compare import compare
from ir_plugin.report.facts import facts, facts_summary
from ir_plugin.report.graph_data import views
from ir_plugin.report.graph_run import run_facts
from ir_plugin.report.page import page, text
from ir_plugin.report.profile import profile
from ir_plugin.report.profile_html import cell_of as profile_cell
from ir_plugin.validation import Report
from ir_plugin.version import __version__

_MAX_FINDINGS = 200
_STYLE = """
body { max-width: 90rem; margin: 0 auto; padding: 1rem 1.5rem 3rem; } h1 { font-size: 1.5rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
nav a { color: var(--accent); margin-right: 1rem; } .scroll { overflow-x: auto; }
.scroll:focus-visible, iframe:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre { font-size: 12.5px; overflow-x: auto; border: 1px solid var(--line); padding: .6rem .8rem; border-radius: 4px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
iframe { width: 100%; height: min(80vh, 46rem); border: 1px solid var(--line); border-radius: 4px; }
figure { overflow-x: auto; }
@media print { iframe { display: none; } }
"""
Listener = Callable[[str], object]


def model_report(
    model: str | os.PathLike[str],
    inputs: Any = None,
    *,
    reference: Any = None,
    of: str | os.PathLike[str] | None = None,
    run: bool = True,
    runs: int = 5,
    seed: int = 0,
    listener: Listener = str,
) -> str:
    """Return the report of a file as a page that loads nothing from a network.

    A model with errors has its findings, and its graph as far as it can be read. With `run=False` the model is not
    run, so the page has no profile. `reference` and `of` are passed to `compare`; without a reference there is no
    comparison. `listener` receives the name of each step before it starts.
    """
    return _Writer(Path(model), inputs, reference, of, run, runs, seed, listener).page()


@dataclass(frozen=True)
class _Writer:
    """Writes the sections of a report, in the order of the page."""

    path: Path
    inputs: Any
    reference: Any
    of: str | os.PathLike[str] | None
    run: bool
    runs: int
    seed: int
    listener: Listener

    def page(self) -> str:
        """Return the page."""
        self.listener("checking")
        report = Core().validate(self.path)
        sections: dict[str, str] = {"Findings": _findings(report)}
        run_of_layers: Mapping[Any, Any] = {}
        if report.ok:
            sections = {"Model": _facts(self.path)} | sections
            if self.run:
                run_of_layers, sections["Profile"] = self._profile()
            if self.reference is not None:
                sections["Comparison"] = self._comparison()
        if report.model is not None:
            sections["Graph"] = _graph(self.path, report, run_of_layers)
        return _page(self.path, sections)

    def _profile(self) -> tuple[Mapping[Any, Any], str]:
        """Return the facts of a run by layer, and the section of the profile."""
        self.listener("running")
        compiled = Core().compile_model(self.path)
        run_of_layers = run_facts(compiled, self.inputs, self.seed)
        measured = profile(compiled, self.inputs, self.runs, self.seed)
        return run_of_layers, _scrolled("profile", profile_cell(measured))

    def _comparison(self) -> str:
        self.listener("comparing")
        comparison = compare(self.path, self.reference, self.inputs, of=self.of, seed=self.seed)
        return comparison_html.fragment_of(comparison, heading="h3")


def _page(path: Path, sections: Mapping[str, str]) -> str:
    links = "".join(f'<a href="#{name.lower()}">{name}</a>' for name in sections)
    body = "".join(f'<section><h2 id="{name.lower()}">{name}</h2>{html}</section>' for name, html in sections.items())
    head = f"<h1>{text(path.name)}</h1><nav aria-label='sections'>{links}</nav>"
    foot = (
        f'<footer class="soft"><p>Written by ir_plugin {__version__}: ir-plugin report {text(path.name)}</p></footer>'
    )
    return page(path.name, f"<main>{head}{body}</main>{foot}", _STYLE)


def _facts(path: Path) -> str:
    document = facts(Core().read_model(path))
    head = "".join(f"<dt>{label}</dt><dd>{text(line)}</dd>" for label, line in facts_summary(document))
    ports = [
        (port["name"], kind, port["type"], port["shape"])
        for key, kind in (("inputs", "input"), ("outputs", "output"))
        for port in document[key]
    ]
    operations = ", ".join(f"{count} {name}" for name, count in document["operations"].items())
    rows = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in port)}</tr>" for port in ports)
    columns = "".join(f'<th scope="col">{name}</th>' for name in ("name", "", "type", "shape"))
    table = f"<table><thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"
    title = f"{document['name'] or path.name}: IR version {document['version']}, {document['layers']} layers"
    head += f"<dt>operations</dt><dd>{text(operations, 4000)}</dd>"
    return f"<p><b>{text(title)}</b></p><dl>{head}</dl>{_scrolled('inputs and outputs', table)}"


def _findings(report: Report) -> str:
    count = len(report.findings)
    if not count:
        return '<p class="good"><b>No findings.</b></p>'
    shown = report.findings.sorted()[:_MAX_FINDINGS]
    errors = len(report.findings.errors)
    state = "bad" if errors else "good"
    more = f"<p>… {len(shown)} of {count:,} findings</p>" if len(shown) < count else ""
    summary = f'<p class="{state}"><b>{errors:,} errors, {count - errors:,} warnings</b></p>'
    return f'{summary}<pre tabindex="0" aria-label="findings">{escape(render(shown).rstrip())}</pre>{more}'


def _graph(path: Path, report: Report, run_of_layers: Mapping[Any, Any]) -> str:
    if report.model is None:
        return ""
    document = graph_html.page_of(path.name, views(report.model, report.findings), list(report.findings), run_of_layers)
    return f'<iframe title="graph of {text(path.name)}" srcdoc="{escape(document)}"></iframe>'


def _scrolled(label: str, html: str) -> str:
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{html}</div>'
