"""`ir-plugin run`: run a model on arrays from files, or on random ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import print_table
from ir_plugin.errors import InputError
from ir_plugin.tensors import UNBOUNDED, Array, ElementType, PartialShape


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(run)


def run(
    model: ModelPath,
    input: Annotated[
        list[str] | None, typer.Option("--input", "-i", help="NAME=FILE.npy, or FILE.npz with all inputs by name.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save all outputs to this .npz.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of random inputs, for those that are not given.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run a model and print what its outputs are like.

    Inputs that are not given are random: reals from a standard normal distribution, whole numbers from 0 to 9.
    """
    from ir_plugin.api import Core
    from ir_plugin.api.lookup import names_of, position_of

    compiled = Core().compile_model(model)
    given = {position_of(compiled.inputs, name, "input"): array for name, array in _arrays(input or [])}
    rng = np.random.default_rng(seed)
    arrays = [
        given[index] if index in given else _random(rng, port.element_type, port.partial_shape)
        for index, port in enumerate(compiled.inputs)
    ]
    results = compiled(arrays)
    names = [names_of(port)[0] for port in compiled.outputs]
    if output is not None:
        stored: dict[str, Any] = {name: _storable(array) for name, array in zip(names, results.to_tuple(), strict=True)}
        np.savez(output, **stored)
    rows = [(name, *_summary(array)) for name, array in zip(names, results.to_tuple(), strict=True)]
    columns = ("output", "type", "shape", ">min", ">mean", ">max", "first values")
    if json_:
        typer.echo(json.dumps([dict(zip((c.removeprefix(">") for c in columns), row, strict=True)) for row in rows]))
    else:
        print_table("", columns, rows)


def _arrays(inputs: list[str]) -> list[tuple[str, Array]]:
    found: list[tuple[str, Array]] = []
    for text in inputs:
        name, sign, file = text.rpartition("=")
        loaded = _load(Path(file))
        if isinstance(loaded, dict):
            found += loaded.items()
        elif sign:
            found.append((name, loaded))
        else:
            raise InputError(f"--input {text!r} names no input; write NAME={text}")
    return found


def _load(path: Path) -> Array | dict[str, Array]:
    try:
        loaded: Any = np.load(path, allow_pickle=False)
        return dict(loaded) if hasattr(loaded, "files") else np.asarray(loaded)
    except (OSError, ValueError, EOFError) as fault:
        raise InputError(f"{path} cannot be read as .npy or .npz: {fault}") from None


def _random(rng: np.random.Generator, element_type: ElementType, shape: PartialShape) -> Array:
    if shape.dims is None:
        raise InputError("an input has an unknown rank; give it with --input")
    lengths = [dim.lower if dim.is_static else min(max(dim.lower, 1), dim.upper, UNBOUNDED) for dim in shape.dims]
    if element_type is ElementType.string:
        return np.full(lengths, "text", object)
    if element_type is ElementType.boolean:
        return rng.integers(0, 2, lengths).astype(bool)
    if element_type.is_integral:
        high = min(10, 2 ** (element_type.bits - element_type.is_signed))
        return rng.integers(0, high, lengths).astype(element_type.dtype)
    return rng.standard_normal(lengths).astype(element_type.dtype)


def _storable(array: Array) -> Array:
    """Return an array that .npz holds without pickling: strings as text, small floats of ml_dtypes as f32."""
    if array.dtype == np.object_:
        return array.astype(str)
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.num > 255 else array


def _summary(array: Array) -> tuple[str, ...]:
    head = ", ".join(
        f"{value:.4g}" if array.dtype.kind not in "biuO" else str(value) for value in array.reshape(-1)[:4]
    )
    shape = "x".join(map(str, array.shape)) or "scalar"
    type = ElementType.from_dtype(array.dtype).name
    if array.size == 0 or array.dtype == np.object_:
        return type, shape, "", "", "", head
    plain = array.astype(np.float64)
    with np.errstate(all="ignore"):
        return type, shape, *(f"{value:.6g}" for value in (plain.min(), plain.mean(), plain.max())), head
