"""What helps where the path of a model names no file that can be read."""

from __future__ import annotations

import glob
import os
import re
import stat
from difflib import get_close_matches

from ir_plugin.reader.foreign import HUB, MODEL_FILE

_SUFFIXES = (".xml", ".onnx")
_URL = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
_LIKENESS = 0.75
"""How like a name of a file must be to be taken for a slip of it, of 1."""
_SHOWN = 3
"""How many models of a folder are named at most."""


def help_for_path(path: str | os.PathLike[str]) -> str:
    """Return what to write instead of a path that cannot be opened, or that is no regular file."""
    text = os.fspath(path)
    if _URL.match(text):
        return "a model is read from a file: download it, and give its path"
    try:
        mode = os.stat(text).st_mode
    except (OSError, ValueError):
        return _help_for_missing(text)
    if stat.S_ISDIR(mode):
        return f"it is a folder; {_help_for_folder(text)}"
    if not stat.S_ISREG(mode):
        return "write what it gives to a file, and give the path of that file"
    return "ask for the right to read it" if not os.access(text, os.R_OK) else "check that the disk can be read"


def _help_for_missing(text: str) -> str:
    """Return what to write instead of a path at which there is nothing."""
    if "\0" not in text and os.path.islink(text):
        return f"it is a symbolic link to {os.readlink(text)!r}, which leads to no file: copy the file itself"
    if text.startswith("~"):
        return "only a shell replaces ~, and not within quotes: write the whole path"
    if os.sep == "/" and "\\" in text:
        return "this system separates the folders of a path by /"
    folder, name = os.path.split(text)
    if folder and not os.path.isdir(folder):
        return f"the folder {folder!r} is missing"
    same_numbers = [each for each in _names_in(folder) if re.findall(r"\d+", each) == re.findall(r"\d+", name)]
    close = get_close_matches(name, same_numbers, 1, _LIKENESS)
    return f"{close[0]!r} is there" if close else _help_for_folder(folder)


def help_for_export(folder: str) -> str:
    """Return what helps where a folder of Hugging Face has no exported model, empty for another folder."""
    models = sorted(glob.glob(os.path.join(glob.escape(folder), "snapshots", "*", MODEL_FILE)))
    if models:
        return f"give {os.path.dirname(models[0])!r}"
    names = _names_in(folder)
    return HUB if "config.json" in names and MODEL_FILE not in names else ""


def _help_for_folder(folder: str) -> str:
    names = _names_in(folder)
    if "saved_model.pb" in names:
        return "`ovc FOLDER` of OpenVINO makes an IR of a TensorFlow SavedModel"
    if folder.rstrip("/\\").endswith(".mlpackage"):
        return "Core ML is not read: convert the model that the package was made from"
    models = [MODEL_FILE] if MODEL_FILE in names else [name for name in names if name.lower().endswith(_SUFFIXES)]
    if not models and (help := help_for_export(folder)):
        return help
    if len(models) > _SHOWN:
        return "give one of the models there"
    shown = " or ".join(repr(os.path.join(folder, name)) for name in models)
    return f"give {shown or 'the .xml or .onnx of a model'}"


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []
