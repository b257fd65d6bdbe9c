"""`ir-plugin run`: run a model on arrays from files, or on random ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import working
from ir_plugin.cli.options import arrays_of, compiled_model
from ir_plugin.cli.tables import print_table
from ir_plugin.tensors import Array, ElementType

if TYPE_CHECKING:
    from ir_plugin.model import Output
    from ir_plugin.openvino.api import CompiledModel

_COLUMNS = ("output", "type", "shape", ">min", ">mean", ">max", "~first values")


@click.command(cls=Command)
@options.model
@options.input
@options.config
@click.option("--out", "-o", "--output", "output", type=options.FILE, help="Save all outputs to this .npz.")
@options.no_validate
@options.seed
@options.json
@options.quiet
def run(
    model: Path,
    input: tuple[str, ...],
    config: dict[str, str],
    output: Path | None,
    validate: bool,
    seed: int,
    json_: bool,
) -> None:
    """Run a model and print statistics of its outputs.

    Missing inputs are random: reals from a standard normal distribution, whole numbers from 0 to 9, indices in the
    range of what they index.
    """
    from ir_plugin.openvino.api.lookup import names_of
    from ir_plugin.report.store import save_arrays

    compiled = compiled_model(model, config, validate=validate)
    results = _results(compiled, input, seed)
    names = [names_of(port)[0] for port in compiled.outputs]
    if output is not None:
        save_arrays(output, dict(zip(names, results, strict=True)))
    rows = list(_rows(compiled.outputs, names, results))
    if json_:
        keys = [column.lstrip("~>") for column in _COLUMNS]
        click.echo(json.dumps([dict(zip(keys, row, strict=True)) for row in rows]))
    else:
        print_table(_COLUMNS, rows, flexible=(0, len(_COLUMNS) - 1))


def _results(compiled: CompiledModel, input: tuple[str, ...], seed: int) -> list[Array]:
    from ir_plugin.report.inputs import complete

    with working("running"):
        arrays = complete(compiled, arrays_of(input), seed)
        request = compiled.create_infer_request()
        request.infer(dict(enumerate(arrays)), share_inputs=True, share_outputs=True)
        return request.output_values()


def _rows(ports: Sequence[Output], names: Sequence[str], arrays: Sequence[Array]) -> Iterator[tuple[str, ...]]:
    from ir_plugin.operations.memory import memory_for

    for port, name, array in zip(ports, names, arrays, strict=True):
        with memory_for(port.node):
            yield name, *_summary(array, port.element_type)


def _summary(array: Array, declared: ElementType) -> tuple[str, ...]:
    first = array.reshape(-1)[:4]
    head = ", ".join(str(value) if array.dtype.kind in "biuOUSc" else f"{float(value):.4g}" for value in first)
    shape = "x".join(map(str, array.shape)) or "scalar"
    type = declared.name if declared.is_static else ElementType.from_dtype(array.dtype).name
    if array.size == 0 or array.dtype.kind in "OUS":
        return type, shape, "", "", "", head
    plain = array.astype(np.float64)
    with np.errstate(all="ignore"):
        return type, shape, *(f"{value:.6g}" for value in (plain.min(), plain.mean(), plain.max())), head
