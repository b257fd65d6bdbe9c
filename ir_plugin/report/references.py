"""The references for a comparison: stored arrays, another model, or another runtime."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.openvino.api import Core, Model
from ir_plugin.report.store import Named, load_arrays
from ir_plugin.tensors import Array

RUNTIMES = ("openvino", "onnxruntime")
OPENVINO_GENAI = "openvino-genai"
"""The runtime whose texts are compared; `report.compare_texts` does."""

ReferenceLike: TypeAlias = "str | os.PathLike[str] | Model | Mapping[str, Any]"


class Reference(Protocol):
    """A source of the expected values of a model's layers."""

    by_tensor: bool
    """Whether tensor names take precedence over layer names."""

    @property
    def title(self) -> str:
        """The name for reports."""

    def inputs(self) -> Named:
        """Return the inputs that the values were computed from, if they are known."""

    def values(self, ports: Sequence[Output], inputs: Sequence[Array]) -> Named:
        """Return arrays by tensor name or layer name, with `name:1` for an output of a layer with several."""


@dataclass
class Stored:
    """Arrays stored from a run."""

    arrays: Named
    title: str = "arrays"
    by_tensor: bool = False

    def inputs(self) -> Named:
        """Return all arrays, including the inputs."""
        return self.arrays

    def values(self, ports: Sequence[Output], inputs: Sequence[Array]) -> Named:
        """Return the arrays."""
        del ports, inputs
        return self.arrays


@dataclass
class OtherModel:
    """Another IR, run by this library."""

    model: Model | Path
    title: str = "another model"
    by_tensor: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)

    def inputs(self) -> Named:
        """Return an empty mapping: the inputs are unknown."""
        return {}

    def values(self, ports: Sequence[Output], inputs: Sequence[Array]) -> Named:
        """Return the layers' outputs of the other model on the same inputs, matched by name or else by order."""
        compiled = Core().compile_model(self.model, config={"OPTIMIZE": False, **self.config})
        if len(compiled.inputs) != len(inputs):
            raise InputError(f"{self.title} has {len(compiled.inputs)} inputs; the model has {len(inputs)}")
        names = [port.node.name for port in ports]
        feeds = {
            index: inputs[names.index(port.node.name) if port.node.name in names else index]
            for index, port in enumerate(compiled.inputs)
        }
        return compiled.intermediates(feeds, layers="*")


def reference_of(reference: ReferenceLike, model: Model | Path, of: str | os.PathLike[str] | None) -> Reference:
    """Return the reference for a runtime's name, the path of an .npz, .onnx or .xml, a model, or arrays."""
    if isinstance(reference, Model):
        return OtherModel(reference)
    if isinstance(reference, Mapping):
        return Stored({str(name): np.asarray(array) for name, array in reference.items()})
    name = os.fspath(reference)
    if name == "openvino":
        from ir_plugin.report.openvino_reference import OpenVINO

        return OpenVINO(model if of is None else Path(of))
    suffix = Path(name).suffix.lower()
    if name == "onnxruntime" or suffix == ".onnx":
        from ir_plugin.report.onnx_reference import OnnxRuntime

        return OnnxRuntime(_onnx_path(name, of, model))
    if suffix == ".npz":
        return Stored(load_arrays(name), name)
    if suffix == ".xml":
        return OtherModel(Path(name), name)
    help = did_you_mean(name, RUNTIMES)
    supported = "openvino, onnxruntime, openvino-genai, or the path of an .npz, .onnx, .xml or folder"
    raise InputError(f"there is no reference {name!r}; it is {supported}" + (f"; {help}" if help else ""))


def _onnx_path(name: str, of: str | os.PathLike[str] | None, model: Model | Path) -> Path:
    """Return the path of the reference; for ONNX Runtime `of`, or `model` if it is an ONNX file."""
    if name != "onnxruntime":
        return Path(name)
    if of is not None:
        return Path(of)
    if isinstance(model, Path) and model.suffix.lower() == ".onnx":
        return model
    raise InputError("onnxruntime needs the ONNX model; give it with --onnx MODEL.onnx (in Python: of=…)")
