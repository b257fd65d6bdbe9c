"""`ir-plugin graph`: a model to look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import Inputs, Json, Quiet, Seed, arrays_of, write_text
from ir_plugin.errors import InputError, ReadError

if TYPE_CHECKING:
    from ir_plugin.validation import Report

FORMATS = ("html", "svg", "dot", "mermaid", "text")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(graph)


def graph(
    model: ModelPath,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file; needed for a page.")] = None,
    format: Annotated[str, typer.Option(help=f"One of {', '.join(FORMATS)}; default: by the name of --out.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="With constants and computations of shapes.")] = False,
    run: Annotated[
        bool, typer.Option("--run", help="Run the model, and show times and statistics in the page.")
    ] = False,
    input: Inputs = None,
    seed: Seed = 0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw a model: a page to explore it in a browser, without a network, or a drawing as text.

    The page shows findings at their layers and bodies as graphs of their own; with --run or --input also the time and
    the values of every layer. Models with errors are drawn as far as they can be read.
    """
    del quiet
    kind = format or _kind_of(out)
    if kind not in FORMATS:
        raise typer.BadParameter(f"{kind!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    if kind == "html" and out is None:
        raise typer.BadParameter("a page needs a file: --out MODEL.html", param_hint="--out")
    with working("drawing"):
        text = _drawn(model, kind, everything, arrays_of(input) if input or run else None, seed)
    if out is not None:
        write_text(out, text)
    if json_:
        typer.echo(json.dumps({"format": kind, **({"text": text} if out is None else {"out": str(out)})}))
    elif out is None:
        typer.echo(text, nl=False)
    else:
        say(f"{out} is written")


def _kind_of(out: Path | None) -> str:
    suffixes = {".html": "html", ".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".txt": "text"}
    return "text" if out is None else suffixes.get(out.suffix.lower(), "html")


def _drawn(path: Path, kind: str, everything: bool, inputs: dict[str, Any] | None, seed: int) -> str:
    from ir_plugin.api import Core
    from ir_plugin.report.graph_data import views
    from ir_plugin.report.graph_html import page_of
    from ir_plugin.report.graph_svg import svg_of
    from ir_plugin.report.graph_text import FORMS

    core = Core()
    report: Report = core.validate(path)
    if report.model is None:
        core.read_model(path)
        raise ReadError(f"{path} cannot be read")
    found = views(report.model, report.findings)
    if kind == "html":
        return page_of(report.model.name or path.stem, found, list(report.findings), _facts(core, path, inputs, seed))
    if inputs is not None:
        raise InputError(f"a run is shown in a page only, not as {kind}")
    return svg_of(found[0], everything) if kind == "svg" else FORMS[kind](found, everything)


def _facts(core: Any, path: Path, inputs: dict[str, Any] | None, seed: int) -> dict[Any, Any]:
    from ir_plugin.report.graph_run import run_facts

    return {} if inputs is None else run_facts(core.compile_model(path), inputs, seed)
