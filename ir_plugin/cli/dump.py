"""`ir-plugin dump`: every layer's outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import compiled_model, inputs_with_prompt, model_file
from ir_plugin.cli.tables import print_table
from ir_plugin.report.statistics import shown_number, shown_shape

if TYPE_CHECKING:
    from ir_plugin.report.dump import Dump, DumpedOutput

COLUMNS = (
    "layer", "~operation", "~type", "shape", ">min", ">mean", ">max", "~>NaN", "~>Inf", "~>zeros", "~~histogram",
)  # fmt: skip


@click.command(cls=Command)
@options.model_or_folder
@click.option("--layers", "-l", metavar="GLOB", multiple=True, help="Only layers with a matching name.")
@options.input
@options.prompt
@options.no_template
@click.option("--out", "-o", type=options.FILE, help="Save the arrays to this .npz.")
@options.no_validate
@options.seed
@options.json
@options.quiet
def dump(
    model: Path,
    layers: tuple[str, ...],
    input: tuple[str, ...],
    prompt: str | None,
    use_template: bool,
    out: Path | None,
    validate: bool,
    seed: int,
    json_: bool,
) -> None:
    """Print statistics of every layer's outputs, or save the outputs.

    The model runs layer by layer. Layers of bodies are named by layer and iteration: `loop[2]/add`. The .npz also has
    the inputs, and is a reference for `compare`. Names the first layer that turns finite inputs into a NaN or an
    infinity, and the inputs that contain one. The model of a folder may run on the tokens of a prompt.
    """
    from ir_plugin.report.dump import dump as run_dump
    from ir_plugin.report.store import save_arrays

    compiled = compiled_model(model_file(model), validate=validate)
    with working("running"):
        inputs = inputs_with_prompt(model, input, prompt, use_template=use_template)
        result = run_dump(compiled, inputs, list(layers) or None, seed)
    if out is not None:
        save_arrays(out, result.arrays)
    if json_:
        click.echo(json.dumps(_document(result)))
    else:
        _print(result, out)


def _print(result: Dump, out: Path | None) -> None:
    print_table(COLUMNS, map(_row, result.outputs))
    say()
    for name, nan, inf in result.spoiled_inputs:
        say(f'the input "{name}" itself holds {" and ".join(_counted(nan, inf))}')
    say(_ending(result))
    if out is not None:
        say(f"{len(result.arrays)} arrays are in {out}")


def _document(result: Dump) -> dict[str, Any]:
    return {
        "layers": [output.as_dict() for output in result.outputs],
        "not_finite_inputs": [name for name, _, _ in result.spoiled_inputs],
        "not_finite_from": list(result.spoilers),
    }


def _row(output: DumpedOutput) -> tuple[str, ...]:
    statistics = output.statistics
    counts = [str(count) if count else "" for count in (statistics.nan, statistics.inf)]
    numbers = [shown_number(value) for value in (statistics.min, statistics.mean, statistics.max)]
    zeros = f"{statistics.sparsity:.0%}" if statistics.zeros else ""
    return (
        output.name,
        output.type,
        statistics.type,
        shown_shape(statistics.shape),
        *numbers,
        *counts,
        zeros,
        statistics.bars,
    )


def _counted(nan: int, inf: int) -> list[str]:
    infinities = f"{inf} infinit{'y' if inf == 1 else 'ies'}"
    return [text for text, count in ((f"{nan} NaN", nan), (infinities, inf)) if count]


def _ending(result: Dump) -> str:
    if not result.spoilers:
        return "no layer makes a NaN or an infinity of finite inputs"
    later = len(result.spoilers) - 1
    more = f"; {later} later one{'s do' if later > 1 else ' does'}, too" if later else ""
    return f'"{result.spoilers[0]}" is the first layer that makes a NaN or an infinity of finite inputs{more}'
