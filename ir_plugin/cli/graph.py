"""`ir-plugin graph`: a drawing of a model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.completion import words
from ir_plugin.cli.console import ascii_xml, echo, say, working
from ir_plugin.cli.options import arrays_of, compiled_model
from ir_plugin.errors import InputError, ReadError

if TYPE_CHECKING:
    from ir_plugin.report.graph_data import GraphView
    from ir_plugin.validation import Report

FORMATS = ("html", "svg", "dot", "mermaid", "text")
_SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".svg": "svg",
    ".dot": "dot",
    ".gv": "dot",
    ".mmd": "mermaid",
    ".txt": "text",
}


@dataclass(frozen=True)
class GraphArguments:
    """The arguments and options of `ir-plugin graph`."""

    model: Path
    out: Path | None
    format: str
    everything: bool
    run: bool
    open_: bool
    input: tuple[str, ...]
    seed: int
    json_: bool


@click.command(cls=Command)
@options.model
@click.option("--out", "-o", type=options.FILE, help="Write to this file; required for a page.")
@click.option(
    "--format",
    default="",
    show_default=False,
    shell_complete=words(*FORMATS),
    help=f"One of {', '.join(FORMATS)}; default: by the name of --out.",
)
@click.option("--all", "everything", is_flag=True, help="Include constants and computations of shapes.")
@click.option("--run", is_flag=True, help="Run the model, and show times and values in the page.")
@click.option("--open", "open_", is_flag=True, help="Open the file that was written, a page in the browser.")
@options.input
@options.seed
@options.json
@options.quiet
@options.collected(GraphArguments)
def graph(arguments: GraphArguments) -> None:
    """Draw a model as an interactive page, a picture or text.

    Without --out the drawing is printed, even with --quiet. The page needs no network. It shows findings at their
    layers and bodies as separate graphs; with --run or --input also the time of every layer and statistics of its
    values.
    Models with errors are drawn as far as they can be read.
    """
    out, model = arguments.out, arguments.model
    if arguments.open_ and out is None:
        raise click.BadParameter("what is opened has to be a file: --out MODEL.html", param_hint="--open")
    kind = _kind_of(arguments.format, out)
    is_run = bool(arguments.input) or arguments.run
    with working("reading"):
        views, report = _views(model)
    if kind == "html":
        text = _page(report, views, model, _facts(model, arrays_of(arguments.input), arguments.seed) if is_run else {})
    elif is_run:
        raise InputError(f"a run is shown in a page only, not as {kind}")
    else:
        text = _drawing(kind, views, arguments.everything)
    if out is not None:
        from ir_plugin.writer.files import write_file

        write_file(out, text)
        if arguments.open_:
            click.launch(str(out))
    _print_result(kind, out, text, arguments.json_)


def _kind_of(format: str, out: Path | None) -> str:
    kind = format or ("text" if out is None else _SUFFIXES.get(out.suffix.lower(), ""))
    if not kind:
        message = f"the name of {str(out)!r} says no format: end it with {', '.join(_SUFFIXES)}, or give --format"
        raise click.BadParameter(message, param_hint="--out")
    if kind not in FORMATS:
        raise click.BadParameter(f"{kind!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    if kind == "html" and out is None:
        raise click.BadParameter("a page needs a file: --out MODEL.html", param_hint="--out")
    return kind


def _views(path: Path) -> tuple[list[GraphView], Report]:
    from ir_plugin.openvino.api import Core
    from ir_plugin.report.graph_data import views

    core = Core()
    report: Report = core.validate(path)
    if report.model is None:
        core.read_model(path)
        raise ReadError(f"{path} cannot be read")
    return views(report.model, report.findings), report


def _page(report: Report, views: list[GraphView], path: Path, facts: dict[Any, Any]) -> str:
    from ir_plugin.report.graph_html import page_of

    return page_of(path.name, views, list(report.findings), facts)


def _facts(path: Path, inputs: dict[Any, Any], seed: int) -> dict[Any, Any]:
    from ir_plugin.report.graph_run import run_facts

    compiled = compiled_model(path)
    with working("running"):
        return run_facts(compiled, inputs, seed)


def _drawing(kind: str, views: list[GraphView], everything: bool) -> str:
    from ir_plugin.report.graph_svg import svg_of
    from ir_plugin.report.graph_text import FORMS

    return svg_of(views, everything) if kind == "svg" else FORMS[kind](views, everything)


def _print_result(kind: str, out: Path | None, text: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"format": kind, **({"text": text} if out is None else {"out": str(out)})}))
    elif out is None:
        echo(ascii_xml(text) if kind == "svg" else text, end="")
    else:
        say(f"{out} is written")
