"""Conversion of models of other formats, as `openvino.convert_model`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ir_plugin.api import Core, Model
from ir_plugin.errors import AbsentError, InputError
from ir_plugin.frontends import is_onnx

__all__ = ["convert_model"]


def convert_model(
    input_model: Any,
    input: Any = None,
    output: Any = None,
    example_input: Any = None,
    extension: Any = None,
    verbose: bool = False,
    share_weights: bool = True,
    dynamo: bool = False,
) -> Model:
    """Return the model of an ONNX file or object, or of an IR, whole, with all its inputs and outputs."""
    del example_input, verbose, share_weights, dynamo
    is_path = isinstance(input_model, (str, os.PathLike))
    if not is_path and not is_onnx(input_model):
        raise AbsentError(
            f"convert_model converts no {type(input_model).__name__}: convert it with openvino, save it with "
            "openvino.save_model, and read the .xml"
        )
    if is_path and not Path(input_model).exists():
        raise InputError(f"there is no file {os.fspath(input_model)!r}")
    if not is_onnx(input_model) and Path(input_model).suffix != ".xml":
        raise AbsentError(
            f"convert_model cannot read {os.fspath(input_model)!r}, only ONNX and OpenVINO IR: convert it with ovc, or "
            "with openvino.convert_model and openvino.save_model, and read the .xml"
        )
    if input is not None or output is not None:
        raise AbsentError(
            "convert_model reads a model whole: use Model.reshape for other shapes, add_outputs for outputs"
        )
    core = Core()
    if extension is not None:
        core.add_extension(extension)
    return core.read_model(input_model)
