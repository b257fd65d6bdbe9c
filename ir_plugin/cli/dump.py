"""`ir-plugin dump`: every layer's outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import arrays_of
from ir_plugin.cli.tables import print_table
from ir_plugin.report.statistics import shown_number, shown_shape

if TYPE_CHECKING:
    from ir_plugin.report.dump import Dump, DumpedOutput

COLUMNS = (
    "layer", "~operation", "~type", "shape", ">min", ">mean", ">max", "~>NaN", "~>Inf", "~>zeros", "~~histogram",
)  # fmt: skip


@click.command(cls=Command)
@options.model
@click.option("--layers", "-l", metavar="GLOB", multiple=True, help="Only layers of which a name matches.")
@options.input
@click.option("--out", "-o", type=options.FILE, help="Save the arrays to this .npz.")
@options.seed
@options.json
@options.quiet
def dump(
    model: Path,
    layers: tuple[str, ...],
    input: tuple[str, ...],
    out: Path | None,
    seed: int,
    json_: bool,
) -> None:
    """Print what every layer's outputs are like, or save them.

    The model is run layer by layer. Layers of bodies are named by layer and iteration: `loop[2]/add`. The .npz also has
    the inputs, and `compare` takes it as a reference. Names the first layer that makes a NaN or an infinity of finite
    inputs, and inputs that hold one themselves.
    """
    from ir_plugin.api import Core
    from ir_plugin.report.dump import dump as dumped
    from ir_plugin.report.store import save

    with working("running"):
        found = dumped(Core().compile_model(model), arrays_of(input), list(layers) or None, seed)
    if out is not None:
        save(out, found.arrays)
    if json_:
        document = {
            "layers": [output.as_dict() for output in found.outputs],
            "not_finite_inputs": [name for name, _, _ in found.spoiled_inputs],
            "not_finite_from": list(found.spoilers),
        }
        click.echo(json.dumps(document))
        return
    print_table(COLUMNS, map(_row, found.outputs))
    say()
    for name, nan, inf in found.spoiled_inputs:
        say(f'the input "{name}" itself holds {" and ".join(_counted(nan, inf))}')
    say(_ending(found))
    if out is not None:
        say(f"{len(found.arrays)} arrays are in {out}")


def _row(output: DumpedOutput) -> tuple[str, ...]:
    known = output.statistics
    counts = [str(count) if count else "" for count in (known.nan, known.inf)]
    numbers = [shown_number(value) for value in (known.min, known.mean, known.max)]
    zeros = f"{known.sparsity:.0%}" if known.zeros else ""
    return output.name, output.type, known.type, shown_shape(known.shape), *numbers, *counts, zeros, known.bars


def _counted(nan: int, inf: int) -> list[str]:
    infinities = f"{inf} infinit{'y' if inf == 1 else 'ies'}"
    return [text for text, count in ((f"{nan} NaN", nan), (infinities, inf)) if count]


def _ending(found: Dump) -> str:
    if not found.spoilers:
        return "no layer makes a NaN or an infinity of finite inputs"
    others = len(found.spoilers) - 1
    more = f"; {others} later one{'s do' if others > 1 else ' does'}, too" if others else ""
    return f'"{found.spoilers[0]}" is the first layer that makes a NaN or an infinity of finite inputs{more}'
