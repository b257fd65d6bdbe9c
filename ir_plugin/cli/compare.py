"""`ir-plugin compare`: where a run and another one part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import print_table, say, working
from ir_plugin.cli.options import Inputs, Json, Quiet, Seed, arrays_of, write_text

if TYPE_CHECKING:
    from ir_plugin.report.comparison import Comparison


With = Annotated[
    str, typer.Option("--with", metavar="REFERENCE", help="openvino, onnxruntime, RUN.npz, MODEL.onnx or OTHER.xml.")
]
Of = Annotated[
    Path | None,
    typer.Option("--onnx", "--of", help="What the other runtime runs: the ONNX model, or for openvino another IR."),
]
Fed = Annotated[bool, typer.Option("--fed", help="Give each layer the reference's inputs.")]
Planned = Annotated[
    bool, typer.Option("--planned", help="Compare what prepared and fused kernels give, as `run` executes them.")
]
Relative = Annotated[float, typer.Option(help="Relative tolerance.", min=0)]
Absolute = Annotated[
    float | None, typer.Option(help="Absolute tolerance; default: 1e-4 of a tensor's largest value.", min=0)
]
Everything = Annotated[bool, typer.Option("--all", help="A row for every layer, however many.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write the comparison to this page.")]


_NEEDED = ("", "layer", ">max abs", ">max rel")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def compare(
    model: ModelPath,
    with_: With = "openvino",
    of: Of = None,
    fed: Fed = False,
    planned: Planned = False,
    rtol: Relative = 1e-3,
    atol: Absolute = None,
    input: Inputs = None,
    seed: Seed = 0,
    everything: Everything = False,
    html: Html = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare every layer with another runtime, model or run.

    Names the first layer over the tolerance, and whether its inputs still agreed. An .npz that `dump` wrote brings its
    own inputs. The exit status is 0 where all agree, 1 where a layer differs.
    """
    del quiet
    settings = {"of": of, "fed": fed, "planned": planned, "rtol": rtol, "atol": atol, "seed": seed}
    found = _compared(model, with_, arrays_of(input) or None, settings)
    if html is not None:
        write_text(html, found.to_html())
    if json_:
        typer.echo(found.to_json())
    else:
        _print(found, everything)
    if not found.agrees:
        raise typer.Exit(1)


def _compared(model: Path, reference: str, inputs: dict[Any, Any] | None, settings: dict[str, Any]) -> Comparison:
    from ir_plugin.report.compare import compare as compared

    with working("comparing") as advance:
        return compared(model, reference, inputs, listener=lambda _: advance(), **settings)


def _print(found: Comparison, everything: bool) -> None:
    from ir_plugin.report.comparison_text import COLUMNS, chosen, row, verdict

    rows = [row(output) for output in chosen(found, everything)]
    columns = [name if name in _NEEDED else f"~{name}" for name in COLUMNS]
    print_table("", columns, rows, named=1)
    if len(rows) < len(found):
        say(f"… {len(rows)} of {len(found)} outputs; --all lists every one")
    say()
    for line in verdict(found):
        say(line)
