"""Front ends, as `openvino.frontend`: those that read OpenVINO IR and ONNX; the others are absent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_plugin.diagnostics.absent import absent
from ir_plugin.diagnostics.modules import names_of
from ir_plugin.errors import AbsentError, Error, InputError, require
from ir_plugin.frontends import is_onnx
from ir_plugin.openvino.api import Model
from ir_plugin.openvino.input_model import InputModel, Place

__all__ = [
    "FrontEnd",
    "FrontEndManager",
    "GeneralFailure",
    "InitializationFailure",
    "InputModel",
    "NotImplementedFailure",
    "OpConversionFailure",
    "OpValidationFailure",
    "Place",
]
__path__: list[str] = []

_ABSENT = ("jax", "paddle", "pytorch", "tf", "tflite")


class GeneralFailure(Error):  # noqa: N818 (OpenVINO's name)
    """A failure of a front end."""


class InitializationFailure(Error):  # noqa: N818 (OpenVINO's name)
    """A front end that is not there."""


class NotImplementedFailure(Error):  # noqa: N818 (OpenVINO's name)
    """A step that a front end does not have."""


class OpConversionFailure(Error):  # noqa: N818 (OpenVINO's name)
    """An operation that cannot be converted."""


class OpValidationFailure(Error):  # noqa: N818 (OpenVINO's name)
    """An operation that does not fit its inputs."""


class FrontEnd:
    """The front end of OpenVINO IR or of ONNX."""

    def __init__(self, name: str = "ir") -> None:
        self._name = name

    def get_name(self) -> str:
        """Return `ir` or `onnx`."""
        return self._name

    def supported(self, model: Any) -> bool:
        """Return whether this front end reads the model at this path."""
        if self._name == "onnx":
            return is_onnx(model)
        return isinstance(model, (str, os.PathLike)) and Path(model).suffix == ".xml"

    def load(self, path: Any) -> InputModel:
        """Return the loaded model that a path names."""
        return InputModel(path)

    def convert(self, model: InputModel | Model) -> Model:
        """Convert a loaded model; a `Model` is returned unchanged."""
        require(model, (InputModel, Model), "a loaded model", "model")
        return model if isinstance(model, Model) else model.convert()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("FrontEnd", name, self)

    def __repr__(self) -> str:
        return f"<FrontEnd '{self._name}'>"


class FrontEndManager:
    """Finds front ends."""

    def get_available_front_ends(self) -> list[str]:
        """Return the names of the front ends."""
        return ["onnx", "ir"]

    def load_by_framework(self, framework: str) -> FrontEnd:
        """Return the front end of a framework."""
        require(framework, str, "the name of a framework", "framework")
        if framework in _ABSENT:
            raise AbsentError(f"there is no front end {framework}; convert the model with openvino, and save it")
        if framework not in ("ir", "onnx"):
            raise InitializationFailure(f"there is no front end {framework!r}; there are 'onnx' and 'ir'")
        return FrontEnd(framework)

    def load_by_model(self, model: Any) -> FrontEnd:
        """Return the front end that reads a file."""
        require(model, (str, os.PathLike), "a path", "model")
        if not Path(model).exists():
            raise GeneralFailure(f"there is no file {os.fspath(model)!r}")
        front_ends = [FrontEnd(name) for name in ("ir", "onnx") if FrontEnd(name).supported(model)]
        if not front_ends:
            raise InputError(f"no front end reads {os.fspath(model)!r}; only ONNX and OpenVINO IR are read")
        return front_ends[0]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("FrontEndManager", name, self)

    def __repr__(self) -> str:
        return "<FrontEndManager>"


__getattr__, __dir__ = names_of("frontend")
