"""Writing a model in the format of a file: as an IR, or as ONNX of the opset that it was read from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ir_plugin.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from ir_plugin.openvino.api import Model

ONNX = ".onnx"


def require_own_path(model: Path, out: Path, what: str) -> None:
    """Raise if the output would replace the model."""
    if os.path.realpath(out) == os.path.realpath(model):
        raise InputError(f"{what} would replace the model {str(model)!r}; give --out another name")


def opset_of(path: Path) -> int | None:
    """Return the opset of an ONNX file, or the nearest that can be written; None for an IR."""
    if path.suffix != ONNX:
        return None
    from onnx import defs

    from ir_plugin.frontends.onnx.reading import load_onnx
    from ir_plugin.frontends.onnx.wellformed import opsets_of_model
    from ir_plugin.frontends.onnx_writer.writing import DEFAULT_OPSET, OLDEST_OPSET

    opset = opsets_of_model(load_onnx(path)[0]).get("", DEFAULT_OPSET)
    return min(max(opset, OLDEST_OPSET), defs.onnx_opset_version())


def write_model(model: Model, path: Path, opset: int | None) -> None:
    """Write a model unchanged: to an .onnx as ONNX, of the default opset where `opset` lacks a layer; else as an IR."""
    from ir_plugin.openvino.api import save_onnx, serialize

    if path.suffix != ONNX:
        serialize(model, path)
        return
    try:
        save_onnx(model, path, opset)
    except UnsupportedError:
        if opset is None:
            raise
        save_onnx(model, path)
