"""Options shared by several commands, and the values that they stand for."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ir_plugin.cli import console
from ir_plugin.cli.command import Argument, Utf8
from ir_plugin.cli.completion import files
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.openvino.api import CompiledModel, Model
    from ir_plugin.tensors import Array

Arguments = TypeVar("Arguments")


def _set_quiet(_context: click.Context, _parameter: click.Parameter, quiet: bool) -> None:
    console.set_quiet(quiet)


def _set_json(_context: click.Context, _parameter: click.Parameter, enabled: bool) -> bool:
    console.set_notes(not enabled)
    return enabled


def _set_config(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    config: dict[str, str] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise InputError(f"--config {text!r} is not a property with a value; write it as PROVIDER=numpy")
        config[name.strip().upper()] = value.strip()
    return config


FILE = click.Path(path_type=Path)

ABOUT_MODEL = "The .xml of an IR, with its .bin beside it, or an .onnx."
model = click.argument("model", cls=Argument, metavar="MODEL", type=FILE, about=ABOUT_MODEL)
ABOUT_EITHER = f"{ABOUT_MODEL} Or a folder with a language model."
model_or_folder = click.argument("model", cls=Argument, metavar="MODEL", type=FILE, about=ABOUT_EITHER)
folder = click.argument(
    "folder", cls=Argument, metavar="FOLDER", type=FILE, about="A folder with openvino_model.xml and a tokenizer."
)
prompt = click.option("--prompt", "-p", type=Utf8(), help="The text that the language model of a folder reads.")
no_template = click.option(
    "--no-template",
    "use_template",
    is_flag=True,
    flag_value=False,
    default=True,
    show_default=False,
    help="Take the prompt as it is, not as a turn of a chat.",
)
input = click.option(
    "--input",
    "-i",
    metavar="NAME=…",
    multiple=True,
    shell_complete=files,
    help="NAME=FILE.npy, NAME=1x3x8x8 for random values of a shape, or FILE.npz with arrays by name.",
)
seed = click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed for random values of missing inputs.")
config = click.option(
    "--config",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_set_config,
    help="A property, such as PROVIDER=numpy or INFERENCE_NUM_THREADS=1.",
)
everything = click.option("--all", "everything", is_flag=True, help="A row for every layer, however many.")
json = click.option("--json", "json_", is_flag=True, callback=_set_json, help="Print one JSON document.")
no_validate = click.option(
    "--no-validate",
    "validate",
    is_flag=True,
    flag_value=False,
    default=True,
    show_default=False,
    help="Take a model that OpenVINO reads, even if `check` finds errors.",
)
quiet = click.option(
    "--quiet",
    "-q",
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="Print no text and no progress; errors and --json remain.",
)


def collected(
    arguments_type: Callable[..., Arguments],
) -> Callable[[Callable[[Arguments], None]], Callable[..., None]]:
    """Return a decorator that passes the arguments and options of a command as one record of a type."""

    def decorate(command: Callable[[Arguments], None]) -> Callable[..., None]:
        @wraps(command)
        def run(**values: Any) -> None:
            command(arguments_type(**values))

        return run

    return decorate


_SHAPE = re.compile(r"\[?(\d+(?:[x,]\d+)*)\]?")


def arrays_of(inputs: Iterable[str]) -> dict[Any, Any]:
    """Return the values of `--input` by name; the only input of a model needs no name."""
    from ir_plugin.report.inputs import Random
    from ir_plugin.report.store import load

    arrays: dict[Any, Any] = {}
    for text in inputs:
        name, _, value = text.rpartition("=")
        lengths = _lengths(value)
        if lengths is not None:
            arrays[name or None] = Random(tuple(lengths))
            continue
        loaded = load(Path(value))
        loaded_arrays = loaded if isinstance(loaded, dict) else {name or None: loaded}
        arrays |= {key: _as_numbers(array) for key, array in loaded_arrays.items()}
    return arrays


def _as_numbers(array: Array) -> Array:
    """Return an array of a file as numbers, as the API takes float16 for the bits of bf16, like OpenVINO."""
    import numpy as np

    return array.astype(np.float32) if array.dtype == np.float16 else array


def shapes_of(texts: Iterable[str]) -> dict[Any, list[int]] | list[int]:
    """Return the shapes of `--shape` by name, or the shape of the only input."""
    shapes: dict[Any, list[int]] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        lengths = _lengths(value)
        if lengths is None:
            raise InputError(f"--shape {text!r} is not a shape; write it as images=1x3x8x8")
        shapes[name or None] = lengths
    return shapes[None] if list(shapes) == [None] else shapes


def _lengths(text: str) -> list[int] | None:
    from ir_plugin.tensors import Dimension

    match = _SHAPE.fullmatch(text)
    return [Dimension(length).get_length() for length in re.split("[x,]", match[1])] if match else None


def compiled_model(model: Path, config: dict[str, Any] | None = None, *, validate: bool = True) -> CompiledModel:
    """Return a compiled model, with a progress bar while it is read and compiled."""
    from ir_plugin.openvino.api import Core

    with console.working("reading and compiling"):
        return Core().compile_model(model_or_path(model, validate), config=config)


def model_file(path: Path) -> Path:
    """Return the model in the folder of a language model; of a file itself."""
    from ir_plugin.reader.foreign import MODEL_FILE

    return path / MODEL_FILE if os.path.isdir(path) else path


def inputs_with_prompt(
    folder: Path, inputs: Iterable[str], prompt: str | None, *, use_template: bool
) -> dict[Any, Any]:
    """Return the values of `--input`, and of a prompt for the model of a folder."""
    arrays = arrays_of(inputs)
    if prompt is None:
        return arrays
    from ir_plugin.report.prompts import prompt_inputs

    return prompt_inputs(folder, prompt, use_template=use_template) | arrays


def model_or_path(model: Path, validate: bool) -> Model | Path:
    """Return a path, or the model that is read from it without validation."""
    from ir_plugin.openvino.api import Core

    return model if validate else Core().read_model(model, validate=False)
