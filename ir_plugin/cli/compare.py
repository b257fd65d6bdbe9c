"""`ir-plugin compare`: the first layer where a run differs from a reference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Real
from ir_plugin.cli.completion import files, words
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import arrays_of
from ir_plugin.cli.status import WRONG
from ir_plugin.cli.tables import print_table

if TYPE_CHECKING:
    from ir_plugin.report.comparison import Comparison


_REQUIRED_COLUMNS = ("", "layer", ">max abs", ">max rel")


def _references(context: click.Context, parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    candidates = words("openvino", "onnxruntime")(context, parameter, prefix)
    return candidates or files(context, parameter, prefix)


@click.command(cls=Command)
@options.model
@click.option(
    "--with",
    "with_",
    metavar="REFERENCE",
    default="openvino",
    shell_complete=_references,
    help="openvino, onnxruntime, RUN.npz, MODEL.onnx or OTHER.xml.",
)
@click.option(
    "--onnx",
    "--of",
    "of",
    type=options.FILE,
    help="What the other runtime runs: the ONNX model of an IR, or for openvino another IR.",
)
@click.option("--fed", is_flag=True, help="Give each layer the reference's inputs.")
@click.option(
    "--planned", is_flag=True, help="Compare the outputs of selected and fused kernels, as `run` executes them."
)
@click.option("--rtol", type=Real(0), default=1e-3, help="Relative tolerance.")
@click.option("--atol", type=Real(0), help="Absolute tolerance; default: 1e-4 of a tensor's largest value.")
@options.input
@options.seed
@options.everything
@click.option("--html", type=options.FILE, help="Write the comparison to this page.")
@options.json
@options.quiet
def compare(
    model: Path,
    with_: str,
    of: Path | None,
    fed: bool,
    planned: bool,
    rtol: float,
    atol: float | None,
    input: tuple[str, ...],
    seed: int,
    everything: bool,
    html: Path | None,
    json_: bool,
) -> None:
    """Compare every layer with another runtime, model or run.

    Names the first layer over the tolerance, and whether its inputs still agree. An .npz written by `dump` contains
    the inputs. The exit status is 0 if all layers agree, 1 if one differs.
    """
    settings = {"of": of, "fed": fed, "planned": planned, "rtol": rtol, "atol": atol, "seed": seed}
    comparison = _run_comparison(model, with_, arrays_of(input) or None, settings)
    if html is not None:
        from ir_plugin.writer.files import write_file

        write_file(html, comparison.to_html())
    if json_:
        click.echo(comparison.to_json())
    else:
        _print(comparison, everything)
    if not comparison.agrees:
        raise click.exceptions.Exit(WRONG)


def _run_comparison(model: Path, reference: str, inputs: dict[Any, Any] | None, settings: dict[str, Any]) -> Comparison:
    from ir_plugin.report.compare import compare as compared

    with working("comparing") as advance:
        return compared(model, reference, inputs, listener=lambda _: advance(), **settings)


def _print(comparison: Comparison, everything: bool) -> None:
    from ir_plugin.report.comparison_text import COLUMNS, chosen, row, verdict

    rows = [row(output) for output in chosen(comparison, everything)]
    columns = [name if name in _REQUIRED_COLUMNS else f"~{name}" for name in COLUMNS]
    print_table(columns, rows, flexible=(1,))
    if len(rows) < len(comparison):
        say(f"… {len(rows)} of {len(comparison)} outputs; --all lists every one")
    say()
    for line in verdict(comparison):
        say(line)
