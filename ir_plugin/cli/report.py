"""`ir-plugin report`: a page about a model, to attach to a pull request."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.completion import files
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import arrays_of


@click.command(cls=Command)
@options.model
@click.option("--out", "-o", type=options.FILE, required=True, help="Write the page to this file.")
@click.option(
    "--with", "with_", metavar="REFERENCE", shell_complete=files,
    help="Compare with openvino, onnxruntime, RUN.npz, MODEL.onnx or OTHER.xml.",
)  # fmt: skip
@click.option("--onnx", "--of", "of", type=options.FILE, help="What the other runtime runs, as for compare.")
@click.option("--run/--no-run", default=True, help="Run the model, for a profile and the values of layers.")
@click.option("--runs", "-n", type=click.IntRange(1), default=5, help="Measured runs.")
@options.input
@options.seed
@options.json
@options.quiet
def report(
    model: Path,
    out: Path,
    with_: str | None,
    of: Path | None,
    run: bool,
    runs: int,
    input: tuple[str, ...],
    seed: int,
    json_: bool,
) -> None:
    """Write one page about a model, to attach to a change.

    With --with the page also has a comparison. It needs no network. A model with errors has its findings, and its graph
    as far as it can be read. The exit status is 0 where the page is written, whatever it says.
    """
    from ir_plugin.report.model_report import model_report
    from ir_plugin.writer.files import write_file

    with working("writing the report") as advance:
        text = model_report(
            model, arrays_of(input) or None, reference=with_, of=of, run=run, runs=runs, seed=seed,
            listener=lambda _: advance(),
        )  # fmt: skip
    write_file(out, text)
    if json_:
        click.echo(json.dumps({"out": str(out)}))
    else:
        say(f"{out} is written")
