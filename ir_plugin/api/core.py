"""`Core`: reading and compiling models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from ir_plugin.api.compiled import CompiledModel
from ir_plugin.api.model import Model
from ir_plugin.diagnostics.render import render
from ir_plugin.errors import InputError, ReadError, ValidationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry
from ir_plugin.plugins import load_plugins
from ir_plugin.reader.document import Source
from ir_plugin.reader.weights import WeightsSource
from ir_plugin.schema.catalogue import standard
from ir_plugin.validation import Report, check_ir

DEVICES = ("NUMPY", "CPU", "AUTO")
"""Names of the one device; the last two mean the same here, so that scripts for OpenVINO run."""

ModelLike: TypeAlias = "Model | Source"


class Core:
    """Reads and compiles models, with the extensions that were added to it and the plugins that are installed."""

    def __init__(self) -> None:
        self._registry = Registry()
        self._catalogue = standard()
        load_plugins(self._registry)

    @property
    def available_devices(self) -> list[str]:
        """The devices: just NUMPY."""
        return ["NUMPY"]

    def add_extension(self, extension: Any) -> None:
        """Make a custom operation (a subclass of `Operation` with a version), or several, known to this core."""
        for found in extension if isinstance(extension, (list, tuple)) else [extension]:
            if not (isinstance(found, type) and issubclass(found, Operation)):
                raise InputError(f"{found!r} is no subclass of ir_plugin.Operation")
            definition = self._registry.add(found, "add_extension", replace=True)
            self._catalogue.interface(definition)

    def validate(self, model: Source, weights: WeightsSource = None) -> Report:
        """Return everything that is wrong with an IR; never raises for what a file contains."""
        return check_ir(model, weights, self._registry, self._catalogue)

    def read_model(self, model: Source, weights: WeightsSource = None, *, validate: bool = True) -> Model:
        """Read an IR from a path, bytes or a binary file object; the weights are looked for beside a path.

        Raises `ReadError` for what is no readable IR, and `ValidationError` with all findings where there is an error.
        `validate=False` accepts what OpenVINO would read.
        """
        report = check_ir(model, weights, self._registry, self._catalogue, strict=validate)
        errors = report.findings.errors
        if report.model is None:
            raise ReadError(_text(report), list(report.findings))
        if errors:
            raise ValidationError(_text(report), list(report.findings))
        return Model(report.model)

    def compile_model(
        self,
        model: ModelLike,
        device_name: str | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        weights: WeightsSource = None,
    ) -> CompiledModel:
        """Return a model that is ready to run; `model` is one that was read, or what `read_model` takes."""
        if isinstance(device_name, Mapping):
            device_name, config = None, device_name
        if device_name is not None and device_name.split(":")[0].split(".")[0].upper() not in DEVICES:
            raise InputError(f"there is no device {device_name!r}; known are {', '.join(DEVICES)}")
        read = model if isinstance(model, Model) else self.read_model(model, weights)
        return CompiledModel(read, dict(config or {}))


def compile_model(
    model: ModelLike, device_name: str | None = None, config: Mapping[str, Any] | None = None
) -> CompiledModel:
    """Return a model that is ready to run, with a core of its own."""
    return Core().compile_model(model, device_name, config)


def validate(model: Source, weights: WeightsSource = None) -> Report:
    """Return everything that is wrong with an IR; never raises for what a file contains."""
    return Core().validate(model, weights)


def _text(report: Report) -> str:
    errors = len(report.findings.errors)
    head = f"{os.fspath(report.file)}: {errors} error{'' if errors == 1 else 's'}"
    return f"{head}\n{render(report.findings.errors)}".rstrip()
