"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ir_plugin.cli import console
from ir_plugin.errors import InputError
from ir_plugin.tensors import Array


def _set_quiet(quiet: bool) -> bool:
    console.set_quiet(quiet)
    return quiet


Inputs = Annotated[
    list[str] | None, typer.Option("--input", "-i", help="NAME=FILE.npy, or FILE.npz with all inputs by name.")
]
Seed = Annotated[int, typer.Option(help="Seed of random inputs, for those that are not given.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_set_quiet, help="Print no text and no progress; errors and --json remain."),
]


def arrays_of(inputs: list[str] | None) -> dict[str, Array]:
    """Return the arrays that `--input` names."""
    from ir_plugin.report.store import load

    found: dict[str, Array] = {}
    for text in inputs or []:
        name, sign, file = text.rpartition("=")
        loaded = load(Path(file))
        if isinstance(loaded, dict):
            found |= loaded
        elif sign:
            found[name] = loaded
        else:
            raise InputError(f"--input {text!r} names no input; write NAME={text}")
    return found


def write_text(path: Path, text: str) -> None:
    """Write a file, or say why that is not possible."""
    try:
        path.write_text(text, "utf-8")
    except OSError as fault:
        raise InputError(f"{path} cannot be written: {fault.strerror}") from None
