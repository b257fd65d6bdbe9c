"""`Core`: reading and compiling models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ir_plugin.diagnostics.absent import absent
from ir_plugin.diagnostics.render import render, summary
from ir_plugin.errors import AbsentError, Error, ReadError, ValidationError, require, wrong_type
from ir_plugin.frontends import check_onnx, is_onnx, read_onnx
from ir_plugin.model.graph import unchanging_graphs
from ir_plugin.openvino.api.compiled import CompiledModel
from ir_plugin.openvino.api.custom import OpExtension
from ir_plugin.openvino.api.devices import device_names, require_device, require_target
from ir_plugin.openvino.api.exported import from_bytes
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.api.model_cache import blob_at, blob_path, keep, source_of_file, source_of_model
from ir_plugin.openvino.api.properties import checked, device_facts, find, pair
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.operations.memory import memory_to
from ir_plugin.operations.plugins import load_plugins
from ir_plugin.operations.registry import Registry
from ir_plugin.reader.document import Source
from ir_plugin.reader.weights import WeightsSource
from ir_plugin.schema.catalogue import standard
from ir_plugin.validation import Report, check_ir, check_model

ModelLike: TypeAlias = "Model | Source"


class Version(NamedTuple):
    """The version of a device."""

    build_number: str
    description: str
    major: int = 0
    minor: int = 0
    patch: int = 0

    def __repr__(self) -> str:
        return f"<Version: {self.build_number} {self.description}>"


class Core:
    """Reads and compiles models, with its added extensions and the installed plugins."""

    def __init__(self) -> None:
        self._registry = Registry()
        self._catalogue = standard()
        self._config: dict[str, Any] = {}
        load_plugins(self._registry)

    @property
    def available_devices(self) -> list[str]:
        """The devices: just NUMPY."""
        return ["NUMPY"]

    def get_available_devices(self) -> list[str]:
        """Return the devices: just NUMPY."""
        return self.available_devices

    def get_versions(self, device_name: str) -> dict[str, Version]:
        """Return the version of this library by device name."""
        from ir_plugin.version import __version__

        require_device(device_name)
        version = Version(__version__, "ir_plugin", *map(int, __version__.split(".")[:3]))
        return dict.fromkeys(device_names(device_name), version)

    def get_property(self, device_name: str | None = None, property: str = "") -> Any:
        """Return a property of a device, or of the core with a single argument."""
        require(property, str, "the name of a property", "property")
        if property and device_name is not None:
            require_device(device_name)
        return find(property or device_name, self._config, device_facts())

    def set_property(
        self,
        device_name: str | Mapping[str, Any] | tuple[str, Any] | None = None,
        properties: Mapping[str, Any] | Any = None,
        *,
        property: tuple[str, Any] | None = None,
    ) -> None:
        """Set properties for models compiled later: a dictionary, or a pair such as `num_streams(2)`."""
        config = property if properties is None else properties
        if isinstance(device_name, str):
            require_device(device_name)
        elif device_name is not None:
            config = device_name
        self._config |= checked(config if isinstance(config, Mapping) else pair(config))

    def add_extension(self, extension: Any = None, *, extensions: Any = None, library_path: Any = None) -> None:
        """Register one or several custom operations in this core: subclasses of `Op` or `Operation`."""
        added = next((item for item in (extension, extensions, library_path) if item is not None), None)
        for operation in added if isinstance(added, (list, tuple)) else [added]:
            if isinstance(operation, (str, os.PathLike)):
                raise AbsentError(
                    f"the library {os.fspath(operation)!r} is not loaded: no compiled extension runs here; write the "
                    "operation as a subclass of Op"
                )
            extension = operation if isinstance(operation, OpExtension) else OpExtension(operation)
            definition = self._registry.add(extension.operation, "add_extension", replace=True)
            self._catalogue.interface(definition)

    def validate(self, model: ModelLike, weights: WeightsSource = None) -> Report:
        """Return the report of all faults of an IR, an ONNX model or a model; never raises for the content of a file.

        The findings of a model that was built or changed in Python name the lines that built its nodes.
        """
        if isinstance(model, Model):
            return check_model(model)
        with memory_to("read the model"):
            if is_onnx(model):
                return check_onnx(model)
            return check_ir(_source(model), _weights(weights), self._registry, self._catalogue, takes_layers=True)

    def read_model(
        self,
        model: Source,
        weights: WeightsSource = None,
        config: Mapping[str, Any] | None = None,
        *,
        validate: bool = True,
    ) -> Model:
        """Return the model of an IR: a path, XML text, bytes or a binary file; weights default to those beside a path.

        An ONNX model is a path that ends in `.onnx`, bytes, a binary file or a `ModelProto`; the package `onnx` reads
        it. Raises `ReadError` if the IR is unreadable, and `ValidationError` with all findings if there is an error.
        `validate=False` accepts what OpenVINO reads.
        """
        checked(config)
        with memory_to("read the model"):
            if is_onnx(model):
                return Model(read_onnx(model))
            with unchanging_graphs():
                report = check_ir(_source(model), _weights(weights), self._registry, self._catalogue, strict=validate)
                if report.model is not None and not report.findings.errors:
                    return Model(report.model)
        if report.model is None:
            raise ReadError(_text(report), list(report.findings))
        raise ValidationError(_text(report), list(report.findings))

    def compile_model(
        self,
        model: ModelLike,
        device_name: str | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        weights: WeightsSource = None,
    ) -> CompiledModel:
        """Return a compiled model; `model` is a `Model`, or a source for `read_model`.

        The model is copied, so that later changes do not affect the compiled model.
        """
        if isinstance(device_name, Mapping):
            device_name, config = None, device_name
        if device_name is not None:
            require_target(device_name, config or {})
        settings = self._config | checked(config)
        if settings.get("CACHE_DIR"):
            return self._cached(model, weights, settings)
        return CompiledModel(self._read(model, weights), settings)

    def _read(self, model: ModelLike, weights: WeightsSource) -> Model:
        return model if isinstance(model, Model) else self.read_model(model, weights)

    def _cached(self, model: ModelLike, weights: WeightsSource, settings: Mapping[str, Any]) -> CompiledModel:
        """Return the compiled model from the folder of CACHE_DIR, or compile it and keep it there."""
        source = source_of_file(model, weights)
        read = None if source is not None else self._read(model, weights)
        source = source_of_model(read) if read is not None else source
        if source is None:
            return CompiledModel(self._read(model, weights) if read is None else read, settings)
        path = blob_path(settings, source)
        blob = blob_at(path)
        if blob is not None:
            with suppress(Error):  # a damaged file is written again
                _config, xml, binary = from_bytes(blob)
                return CompiledModel(self.read_model(xml, binary), settings, is_from_cache=True)
        read = self._read(model, weights) if read is None else read
        compiled = CompiledModel(read, settings)
        keep(path, read, settings)
        return compiled

    def query_model(
        self, model: Model, device_name: str = "NUMPY", config: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Return the device by layer, for all layers whose operation is known."""
        require_target(device_name, checked(config))
        require(model, Model, "a model that was read", "model")
        device = device_names(device_name)[-1]
        return dict.fromkeys(sorted(node.name for node in model.ordered() if node.operation is not None), device)

    def import_model(
        self, model_stream: Any, device_name: str = "NUMPY", config: Mapping[str, Any] | None = None
    ) -> CompiledModel:
        """Return the compiled model from the bytes or stream written by `CompiledModel.export_model`."""
        require_target(device_name, config or {})
        exported_config, xml, weights = from_bytes(model_stream)
        return CompiledModel(self.read_model(xml, weights), checked(exported_config) | checked(config))

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent("Core", name, self)

    def __repr__(self) -> str:
        return f"<Core: available plugins[{', '.join(self.available_devices)}]>"


def read_model(model: Source, weights: WeightsSource = None, *, validate: bool = True) -> Model:
    """Return the model of an IR, read by a new core."""
    return Core().read_model(model, weights, validate=validate)


def compile_model(
    model: ModelLike, device_name: str | None = "AUTO", config: Mapping[str, Any] | None = None
) -> CompiledModel:
    """Return a model compiled by a new core."""
    return Core().compile_model(model, device_name, config)


def validate(model: ModelLike, weights: WeightsSource = None) -> Report:
    """Return the report of all faults of an IR, or of a model; never raises for the content of a file."""
    return Core().validate(model, weights)


def get_version() -> str:
    """Return the version of this library."""
    from ir_plugin.version import __version__

    return __version__


def shutdown() -> None:
    """Do nothing: memory and threads are freed with the objects that own them."""


def _source(model: Any) -> Source:
    """Return the source of the XML; text that begins with `<` is the XML itself."""
    if isinstance(model, str) and model.lstrip("\ufeff \t\r\n").startswith("<"):
        return model.encode()
    if isinstance(model, (str, os.PathLike, bytes, bytearray, memoryview)):
        return model
    if isinstance(model, Tensor):
        return model.data.tobytes()
    if callable(getattr(model, "read", None)):
        file: Source = model
        return file
    raise wrong_type("model", "a path, XML text, bytes or a file object", model)


def _weights(weights: Any) -> WeightsSource:
    if callable(getattr(weights, "read", None)):
        return weights
    if isinstance(weights, Tensor):
        return weights.data
    supported = (str, os.PathLike, bytes, bytearray, memoryview)
    if weights is None or isinstance(weights, supported) or hasattr(weights, "__array__"):
        return Path(weights) if isinstance(weights, str) and weights else weights
    raise wrong_type("weights", "a path, bytes, an array or a file object", weights)


def _text(report: Report) -> str:
    errors = report.findings.errors
    return f"{os.fspath(report.file)}: {summary(errors)}\n{render(errors)}".rstrip()
