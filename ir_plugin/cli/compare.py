"""`ir-plugin compare`: where a run and another one part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import print_table, say, working
from ir_plugin.cli.options import Inputs, Quiet, Seed, arrays_of, write_text

if TYPE_CHECKING:
    from ir_plugin.report.comparison import Comparison


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def compare(
    model: ModelPath,
    with_: Annotated[
        str,
        typer.Option("--with", metavar="REFERENCE", help="openvino, onnxruntime, RUN.npz, MODEL.onnx or OTHER.xml."),
    ] = "openvino",
    of: Annotated[
        Path | None,
        typer.Option("--onnx", "--of", help="What the other runtime runs: the ONNX model, or for openvino another IR."),
    ] = None,
    fed: Annotated[bool, typer.Option("--fed", help="Give each layer the reference's inputs.")] = False,
    planned: Annotated[
        bool, typer.Option("--planned", help="Compare what prepared and fused kernels give, as `run` executes them.")
    ] = False,
    rtol: Annotated[float, typer.Option(help="Relative tolerance.", min=0)] = 1e-3,
    atol: Annotated[
        float | None, typer.Option(help="Absolute tolerance; default: 1e-4 of a tensor's largest value.", min=0)
    ] = None,
    input: Inputs = None,
    seed: Seed = 0,
    everything: Annotated[bool, typer.Option("--all", help="A row for every layer, however many.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write the comparison to this page.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare every layer with another runtime, model or run.

    Names the first layer over the tolerance, and whether its inputs still agreed. An .npz that `dump` wrote brings its
    own inputs. The exit status is 0 where all agree, 1 where a layer differs.
    """
    from ir_plugin.report.compare import compare as compared

    del quiet
    given = arrays_of(input) or None
    with working("comparing") as advance:
        found = compared(
            model,
            with_,
            given,
            of=of,
            fed=fed,
            planned=planned,
            rtol=rtol,
            atol=atol,
            seed=seed,
            listener=lambda _: advance(),
        )
    if html is not None:
        write_text(html, found.to_html())
    if json_:
        typer.echo(found.to_json())
    else:
        _print(found, everything)
    if not found.agrees:
        raise typer.Exit(1)


def _print(found: Comparison, everything: bool) -> None:
    from ir_plugin.report.comparison_text import COLUMNS, chosen, row, verdict

    rows = [row(output) for output in chosen(found, everything)]
    print_table("", COLUMNS, rows)
    if len(rows) < len(found):
        say(f"… {len(rows)} of {len(found)} outputs; --all lists every one")
    say()
    for line in verdict(found):
        say(line)
