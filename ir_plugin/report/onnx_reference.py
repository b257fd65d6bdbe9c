"""ONNX Runtime as a reference: every tensor of an ONNX model, unoptimized."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.report.store import Named
from ir_plugin.tensors import Array
from ir_plugin.tensors.files import open_regular


class OnnxRuntime:
    """The ONNX model from which an IR was converted; its tensors match by the tensor names in the IR."""

    by_tensor = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._onnx, self._runtime = _imported()

    @property
    def title(self) -> str:
        """The name for reports."""
        return f"onnxruntime {self._runtime.__version__}"

    def inputs(self) -> Named:
        """Return an empty mapping: the inputs are unknown."""
        return {}

    def values(self, ports: Sequence[Output], inputs: Sequence[Array]) -> Named:
        """Run the ONNX model with every tensor as an output."""
        model = self._load()
        names = [name for node in model.graph.node for name in node.output if name]
        exposed = {value.name for value in model.graph.output}
        model.graph.output.extend(self._onnx.ValueInfoProto(name=name) for name in names if name not in exposed)
        try:
            session = self._session(model)
            feeds = _feeds(session, ports, inputs)
            outputs = [value.name for value in session.get_outputs()]
            arrays = session.run(outputs, feeds)
        except _runtime_errors() as fault:
            raise InputError(f"onnxruntime cannot run {self._path}: {fault}") from None
        named = zip(outputs, arrays, strict=True)
        computed = {name: np.asarray(array) for name, array in named if isinstance(array, np.ndarray)}
        return self._initializers(model) | feeds | computed

    def _initializers(self, model: Any) -> dict[str, Array]:
        """Return the constants that the file stores, by tensor name."""
        folder = str(self._path.parent)
        read = self._onnx.numpy_helper.to_array
        return {tensor.name: np.asarray(read(tensor, folder)) for tensor in model.graph.initializer}

    def _load(self) -> Any:
        decode_error = import_module("google.protobuf.message").DecodeError
        try:
            with open_regular(self._path) as file:
                model = self._onnx.load_model_from_string(file.read())
            self._onnx.load_external_data_for_model(model, str(self._path.parent))
        except (OSError, ValueError, decode_error) as fault:
            raise InputError(
                f"{self._path} cannot be read as ONNX: {getattr(fault, 'strerror', None) or fault}"
            ) from None
        return model

    def _session(self, model: Any) -> Any:
        options = self._runtime.SessionOptions()
        options.graph_optimization_level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        return self._runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _imported() -> tuple[Any, Any]:
    try:
        import onnx
        import onnxruntime
    except ImportError as fault:
        missing = fault.name or "onnxruntime"
        raise InputError(f"{missing} is not installed; pip install onnx onnxruntime") from None
    return onnx, onnxruntime


def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of ONNX Runtime, which have no common base class."""
    members = vars(import_module("onnxruntime.capi.onnxruntime_pybind11_state")).values()
    native = (kind for kind in members if isinstance(kind, type) and issubclass(kind, Exception))
    return (RuntimeError, ValueError, *native)


def _feeds(session: Any, ports: Sequence[Output], inputs: Sequence[Array]) -> dict[str, Array]:
    expected = [value.name for value in session.get_inputs()]
    if len(expected) != len(inputs):
        raise InputError(f"the ONNX model has {len(expected)} inputs; the model has {len(inputs)}")
    names = [{*port.names, port.node.name} for port in ports]
    feeds = {}
    for position, name in enumerate(expected):
        index = next((candidate for candidate, aliases in enumerate(names) if name in aliases), position)
        feeds[name] = inputs[index]
    return feeds
