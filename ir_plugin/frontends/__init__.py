"""Front ends: what reads models of other formats into our graph."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_plugin.diagnostics.limits import DEFAULT_LIMITS, Limits
from ir_plugin.frontends.ends import WHOLE, Ends
from ir_plugin.tensors.files import open_regular

if TYPE_CHECKING:
    from ir_plugin.model import Model
    from ir_plugin.validation import Report
    from ir_plugin.validation.fix import FixedFile

_IR_VERSION_TAG = b"\x08"
"""The first byte of a serialized ONNX `ModelProto`: the tag of its field `ir_version`."""
_OTHER_SUFFIXES = ("", ".pb")
"""Suffixes of files that are ONNX models if they begin as one."""


def is_onnx(source: Any) -> bool:
    """Return whether a source of `read_model` is an ONNX model, by its suffix, its class or its first byte."""
    if isinstance(source, (str, os.PathLike)):
        suffix = os.path.splitext(os.fspath(source))[1].lower()
        return suffix == ".onnx" or (suffix in _OTHER_SUFFIXES and _begins_as_onnx(source))
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source[:1]) == _IR_VERSION_TAG
    if callable(getattr(source, "read", None)) and callable(getattr(source, "seek", None)):
        return bool(_first_byte(source) == _IR_VERSION_TAG)
    return hasattr(source, "SerializeToString") and hasattr(source, "opset_import")


def _begins_as_onnx(path: str | os.PathLike[str]) -> bool:
    try:
        with open_regular(path) as file:
            return file.read(1) == _IR_VERSION_TAG
    except OSError:
        return False


def _first_byte(file: Any) -> Any:
    try:
        position = file.tell()
        first = file.read(1)
        file.seek(position)
    except (OSError, ValueError):
        return b""
    return first


def read_onnx(source: Any, ends: Ends = WHOLE) -> Model:
    """Return the graph of an ONNX model, or the part of it between `ends`: of a path, bytes, a binary file or a
    `ModelProto`.
    """
    from ir_plugin.frontends.onnx import read_onnx as read

    return read(source, ends)


def model_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a model consists of: an IR and its weights, or an ONNX model and its external data.

    Raises `InputError` or `ReadError` where the ONNX model or its external data cannot be read.
    """
    file = Path(path)
    if not is_onnx(path):
        weights = file.with_suffix(".bin")
        return [file, weights] if weights.is_file() else [file]
    from ir_plugin.frontends.onnx import external_files

    return [file, *external_files(path)]


def check_onnx(source: Any, limits: Limits = DEFAULT_LIMITS) -> Report:
    """Return the report of all faults of an ONNX model."""
    from ir_plugin.frontends.onnx_check import check_onnx as check

    return check(source, limits)


def fix_onnx(path: Path) -> FixedFile:
    """Return an ONNX file with the corrections of those faults that have one right answer."""
    from ir_plugin.frontends.onnx_check import fix_onnx as fix

    return fix(path)


__all__ = ["Ends", "check_onnx", "fix_onnx", "is_onnx", "model_files", "read_onnx"]
