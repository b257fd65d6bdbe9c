"""The model of a folder, which is read once."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import Any

from ir_plugin.errors import MissingFileError, require
from ir_plugin.openvino.api import Core, Model
from ir_plugin.reader.foreign import MODEL_FILE
from ir_plugin.reader.missing import help_for_export


def read_model(folder: str | PathLike[str]) -> Model:
    """Return the model of a folder."""
    require_folder(folder)
    path = Path(folder) / MODEL_FILE
    if not os.path.isfile(path):
        help = help_for_export(os.fspath(folder))
        raise MissingFileError(f"{folder} has no {MODEL_FILE}" + (f"; {help}" if help else ""))
    return Core().read_model(path)


def require_folder(folder: str | PathLike[str]) -> None:
    """Raise for a path at which there is no folder."""
    if not os.path.isdir(folder):
        is_file = os.path.exists(folder)
        hint = f"{folder} is a file; a language model is read from its folder"
        raise MissingFileError(hint if is_file else f"there is no folder {os.fspath(folder)!r}")


def taken_model(folder: str | PathLike[str], properties: dict[str, Any]) -> Model:
    """Return the model that the property `model` has, which is taken out, or the model of a folder."""
    model: Model | None = properties.pop("model", None)
    if model is None:
        return read_model(folder)
    require(model, Model, "a Model", "model")
    return model
