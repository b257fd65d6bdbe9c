"""`ir-plugin run`: run a model on arrays from files, or on random ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ir_plugin.cli.console import print_table, working
from ir_plugin.cli.options import Inputs, Json, ModelPath, Quiet, Seed, arrays_of, compiled_model
from ir_plugin.tensors import Array, ElementType


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(run)


def run(
    model: ModelPath,
    input: Inputs = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save all outputs to this .npz.")] = None,
    seed: Seed = 0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a model and print what its outputs are like.

    Inputs that are not given are random: reals from a standard normal distribution, whole numbers from 0 to 9.
    """
    from ir_plugin.api.lookup import names_of
    from ir_plugin.report.inputs import complete
    from ir_plugin.report.store import save

    del quiet
    compiled = compiled_model(model)
    with working("running"):
        results = compiled(complete(compiled, arrays_of(input), seed))
    names = [names_of(port)[0] for port in compiled.outputs]
    if output is not None:
        save(output, dict(zip(names, results.to_tuple(), strict=True)))
    rows = [(name, *_summary(array)) for name, array in zip(names, results.to_tuple(), strict=True)]
    columns = ("output", "type", "shape", ">min", ">mean", ">max", "~first values")
    if json_:
        typer.echo(json.dumps([dict(zip((c.lstrip("~>") for c in columns), row, strict=True)) for row in rows]))
    else:
        print_table("", columns, rows)


def _summary(array: Array) -> tuple[str, ...]:
    head = ", ".join(str(value) if array.dtype.kind in "biuOUS" else f"{value:.4g}" for value in array.reshape(-1)[:4])
    shape = "x".join(map(str, array.shape)) or "scalar"
    type = ElementType.from_dtype(array.dtype).name
    if array.size == 0 or array.dtype.kind in "OUS":
        return type, shape, "", "", "", head
    plain = array.astype(np.float64)
    with np.errstate(all="ignore"):
        return type, shape, *(f"{value:.6g}" for value in (plain.min(), plain.mean(), plain.max())), head
