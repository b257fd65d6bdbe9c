"""`ir-plugin compare`: the first layer where a run differs from a reference."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Real
from ir_plugin.cli.completion import files, words
from ir_plugin.cli.console import say, say_wrapped, working
from ir_plugin.cli.options import arrays_of, model_or_path
from ir_plugin.cli.status import WRONG
from ir_plugin.cli.tables import print_table
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.report.comparison import Comparison


_REQUIRED_COLUMNS = ("", "layer", ">max abs", ">max rel")
_REQUIRED_RANKS = ("", "quantizer", "SQNR dB", "lost dB", "output gains dB")


def _references(context: click.Context, parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    candidates = words("openvino", "onnxruntime")(context, parameter, prefix)
    return candidates or files(context, parameter, prefix)


@dataclass(frozen=True)
class CompareArguments:
    """The arguments and options of `ir-plugin compare`."""

    model: Path
    reference: str
    of: Path | None
    fed: bool
    planned: bool
    rank: bool
    rtol: float
    atol: float | None
    input: tuple[str, ...]
    validate: bool
    seed: int
    everything: bool
    html: Path | None
    json_: bool


@click.command(cls=Command)
@options.model
@click.option(
    "--with",
    "reference",
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
@click.option(
    "--rank",
    is_flag=True,
    help="Rank the quantizers by how much worse they are than their levels allow, the worst first; --with is the "
    "model before quantization.",
)
@click.option("--rtol", type=Real(0), default=1e-3, help="Relative tolerance.")
@click.option("--atol", type=Real(0), help="Absolute tolerance; default: 1e-4 of a tensor's largest value.")
@options.input
@options.no_validate
@options.seed
@options.everything
@click.option("--html", type=options.FILE, help="Write the comparison to this page.")
@options.json
@options.quiet
@options.collected(CompareArguments)
def compare(arguments: CompareArguments) -> None:
    """Compare every layer with another runtime, model or run.

    Names the first layer over the tolerance, and whether its inputs still agree. An .npz written by `dump` contains
    the inputs. The exit status is 0 if all layers agree, 1 if one differs.

    With --rank it names the quantizer of an int8 or int4 model that is worst: its signal-to-noise ratio, the decibels
    that it loses against the best range, and those that the output gains if it is undone. The exit status is 0.
    """
    if arguments.rank:
        _rank(arguments)
        return
    comparison = _run_comparison(arguments)
    if arguments.html is not None:
        _write_page(arguments.html, comparison.to_html())
    if arguments.json_:
        click.echo(comparison.to_json())
    else:
        _print(comparison, arguments.everything)
    if not comparison.agrees:
        raise click.exceptions.Exit(WRONG)


def _rank(arguments: CompareArguments) -> None:
    from ir_plugin.report.rank import rank_quantizers
    from ir_plugin.report.ranking_text import COLUMNS, MAX_ROWS, row, verdict

    inputs = arrays_of(arguments.input) or None
    if arguments.fed or arguments.planned:
        raise InputError("--rank runs plain layers on their own inputs; it cannot be combined with --fed or --planned")
    with working("ranking") as advance:
        ranking = rank_quantizers(
            arguments.model, arguments.reference, inputs,
            of=arguments.of, seed=arguments.seed, listener=lambda _: advance(),
        )  # fmt: skip
    if arguments.html is not None:
        _write_page(arguments.html, ranking.to_html())
    if arguments.json_:
        click.echo(ranking.to_json())
        return
    shown = list(enumerate(ranking, 1))[:MAX_ROWS]
    columns = [name if name.lstrip(">") in _REQUIRED_RANKS else f"~{name}" for name in COLUMNS]
    print_table(columns, [row(rank, quantizer) for rank, quantizer in shown], flexible=(1,))
    say()
    for line in verdict(ranking):
        say_wrapped(line)


def _run_comparison(arguments: CompareArguments) -> Comparison:
    from ir_plugin.report.compare import compare as compared

    model = model_or_path(arguments.model, arguments.validate)
    inputs = arrays_of(arguments.input) or None
    with working("comparing") as advance:
        return compared(
            model, arguments.reference, inputs, of=arguments.of, fed=arguments.fed, planned=arguments.planned,
            rtol=arguments.rtol, atol=arguments.atol, seed=arguments.seed, listener=lambda _: advance(),
        )  # fmt: skip


def _write_page(path: Path, text: str) -> None:
    """Write a page as a whole."""
    from ir_plugin.writer.files import write_file

    write_file(path, text)


def _print(comparison: Comparison, everything: bool) -> None:
    from ir_plugin.report.comparison_text import COLUMNS, chosen, row, verdict

    rows = [row(output) for output in chosen(comparison, everything)]
    columns = [name if name in _REQUIRED_COLUMNS else f"~{name}" for name in COLUMNS]
    print_table(columns, rows, flexible=(1,))
    if len(rows) < len(comparison):
        say(f"… {len(rows)} of {len(comparison)} outputs; --all lists every one")
    say()
    for line in verdict(comparison):
        say_wrapped(line)
