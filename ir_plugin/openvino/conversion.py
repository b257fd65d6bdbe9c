"""Conversion of models of other formats, as `openvino.convert_model`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ir_plugin.errors import AbsentError, InputError
from ir_plugin.frontends import Ends, is_onnx, read_onnx
from ir_plugin.frontends.ends import InputEnd, no_tensor
from ir_plugin.openvino.api import Core, Model
from ir_plugin.openvino.api.conversion_inputs import input_ends, output_names

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
    """Return the model of an ONNX file or object, or of an IR.

    `input` gives inputs other shapes and types: a shape or a type for the only input, `("images", [1, 3, 8, 8],
    ov.Type.f16)`, a list of these, or a dictionary by name. `output` names the outputs to keep. Names of inner tensors
    cut the model there.
    """
    del example_input, verbose, share_weights, dynamo
    if isinstance(input_model, (list, tuple)) and len(input_model) == 1:
        input_model = input_model[0]
    return converted(input_model, input_ends(input), output_names(output), extension)


def converted(input_model: Any, inputs: Sequence[InputEnd], outputs: Sequence[str], extension: Any = None) -> Model:
    """Return the model of an ONNX file or object, or of an IR, between inputs and outputs."""
    _require_readable(input_model)
    ends = Ends(inputs, outputs)
    if is_onnx(input_model):
        return Model(read_onnx(input_model, ends))
    core = Core()
    if extension is not None:
        core.add_extension(extension)
    return _between(core.read_model(input_model), ends)


def _require_readable(input_model: Any) -> None:
    is_path = isinstance(input_model, (str, os.PathLike))
    if not is_path and not is_onnx(input_model):
        raise AbsentError(
            f"convert_model converts no {type(input_model).__name__}: convert it with openvino, save it with "
            "openvino.save_model, and read the .xml"
        )
    if is_path and not os.path.exists(input_model):
        raise InputError(f"there is no file {os.fspath(input_model)!r}")
    if not is_onnx(input_model) and Path(input_model).suffix != ".xml":
        raise AbsentError(
            f"convert_model cannot read {os.fspath(input_model)!r}, only ONNX and OpenVINO IR: convert it with ovc, or "
            "with openvino.convert_model and openvino.save_model, and read the .xml"
        )


def _between(model: Model, ends: Ends) -> Model:
    """Return the model of an IR with other inputs and outputs, cut where they are inner tensors."""
    names = [port.any_name if port.names else port.node.name for port in model.inputs]
    by_name = ends.by_name(names)
    inner = [name for name in by_name if not any(name in _names_of(port) for port in model.inputs)]
    outer = [name for name in ends.outputs if not any(name in _names_of(port) for port in model.outputs)]
    if inner or outer:
        from ir_plugin.openvino.surgery import cut

        model = cut(model, [name for name in by_name if name in inner], ends.outputs or None)
    elif ends.outputs:
        for port in model.outputs:
            if not _names_of(port) & set(ends.outputs):
                model.remove_result(port.node)
    for name, end in by_name.items():
        nodes = [port.node for port in model.inputs if name in _names_of(port)]
        if not nodes:
            raise no_tensor(name, names)
        if end.element_type is not None:
            nodes[0].set_element_type(end.element_type)
        if end.shape is not None:
            nodes[0].set_partial_shape(end.shape)
    if by_name:
        model.validate_nodes_and_infer_types()
    return model


def _names_of(port: Any) -> set[str]:
    """Return the names of an input or output: its tensor, its layer, and for a Result the layer that feeds it."""
    names = {*port.names, port.node.name}
    if port.node.get_type_name() == "Result":
        names.add(port.node.input(0).source.node.name)
    return names
