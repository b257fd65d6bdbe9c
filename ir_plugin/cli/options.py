"""Options that several commands take, and what they stand for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ir_plugin.cli import console
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.api import CompiledModel


def _set_quiet(quiet: bool) -> bool:
    console.set_quiet(quiet)
    return quiet


def _set_json(wanted: bool) -> bool:
    console.set_notes(not wanted)
    return wanted


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="The .xml of an IR; its .bin stands beside it.")]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        "-i",
        metavar="NAME=…",
        help="NAME=FILE.npy, NAME=1x3x8x8 for random values of a shape, or FILE.npz with arrays by name.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of random inputs, for those that are not given.")]
Json = Annotated[bool, typer.Option("--json", callback=_set_json, help="Print one JSON document.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_set_quiet, help="Print no text and no progress; errors and --json remain."),
]

_SHAPE = re.compile(r"\[?(\d+(?:[x,]\d+)*)\]?")


def arrays_of(inputs: list[str] | None) -> dict[Any, Any]:
    """Return what `--input` gives, by name; the only input of a model needs no name."""
    from ir_plugin.report.inputs import Random
    from ir_plugin.report.store import load

    found: dict[Any, Any] = {}
    for text in inputs or []:
        name, _, value = text.rpartition("=")
        lengths = _lengths(value)
        if lengths is not None:
            found[name or None] = Random(tuple(lengths))
            continue
        loaded = load(Path(value))
        found |= loaded if isinstance(loaded, dict) else {name or None: loaded}
    return found


def shapes_of(texts: list[str]) -> dict[Any, list[int]] | list[int]:
    """Return the shapes that `--shape` gives, by name, or the one of the only input."""
    found: dict[Any, list[int]] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        lengths = _lengths(value)
        if lengths is None:
            raise InputError(f"--shape {text!r} is no shape; write it as images=1x3x8x8")
        found[name or None] = lengths
    return found[None] if list(found) == [None] else found


def _lengths(text: str) -> list[int] | None:
    found = _SHAPE.fullmatch(text)
    return [int(length) for length in re.split("[x,]", found[1])] if found else None


def compiled_model(model: Path, config: dict[str, Any] | None = None) -> CompiledModel:
    """Read and compile a model, and show it where that takes long."""
    from ir_plugin.api import Core

    with console.working("reading and compiling"):
        return Core().compile_model(model, config=config)


def write_text(path: Path, text: str) -> None:
    """Write a file, or say why that is not possible."""
    try:
        path.write_text(text, "utf-8")
    except OSError as fault:
        raise InputError(f"{path} cannot be written: {fault.strerror}") from None
