"""ONNX's Backend interface: `ir_plugin.onnx_backend.prepare(model, "CPU").run(inputs)`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import Error, InputError
from ir_plugin.frontends.onnx.faults import require_onnx
from ir_plugin.frontends.onnx.reading import load_onnx
from ir_plugin.frontends.onnx.types import numpy_of
from ir_plugin.openvino.api import Core
from ir_plugin.openvino.api.compiled import CompiledModel
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.containers import shown_value

require_onnx()

from onnx.backend.base import Backend, BackendRep, namedtupledict  # noqa: E402  # after the error that says how

__all__ = ["OnnxBackend", "PreparedModel", "is_compatible", "prepare", "run_model", "run_node", "supports_device"]


class PreparedModel(BackendRep):
    """A compiled ONNX model."""

    def __init__(self, compiled: CompiledModel, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self._compiled = compiled
        self._inputs = list(inputs)
        self._outputs = list(outputs)

    def run(self, inputs: Any, **keywords: Any) -> Any:
        """Return the outputs for inputs in the order of the model, by name, or for a single array."""
        del keywords
        values = inputs if isinstance(inputs, (Mapping, list, tuple)) else [inputs]
        if not isinstance(values, Mapping):
            if len(values) > len(self._inputs):
                raise InputError(f"{len(values)} inputs are given; the model has {len(self._inputs)}")
            values = dict(zip(self._inputs, values, strict=False))
        read = {port.any_name: port for port in self._compiled.inputs}
        request = self._compiled.create_infer_request()
        request.infer({name: value for name, value in values.items() if name in read or name not in self._inputs})
        outputs = [shown_value(tensor.values, tensor.element_type, _shown) for tensor in request.output_tensors]
        return namedtupledict("Outputs", self._outputs)(*outputs)


def _shown(values: Any, element_type: ElementType) -> Any:
    """Return an output in the dtype that the package `onnx` has for its element type."""
    dtype = numpy_of(element_type)
    return values if values.dtype == dtype else values.astype(dtype)


class OnnxBackend(Backend):
    """Our library as a backend of ONNX; everything that it refuses is an `ir_plugin.Error`."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **keywords: Any) -> bool:
        """Return whether the model can be compiled."""
        try:
            cls.prepare(model, device, **keywords)
        except Error:
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **keywords: Any) -> PreparedModel:
        """Return the compiled model: of a `ModelProto`, bytes or a path."""
        if not cls.supports_device(device):
            raise InputError(f"there is no device {device!r}; it is CPU")
        proto, _ = load_onnx(model)
        read = Core().read_model(model if isinstance(model, (str, os.PathLike)) else proto)
        compiled = Core().compile_model(read, config=keywords.get("config"))
        constants = {tensor.name for tensor in proto.graph.initializer}
        inputs = [value.name for value in proto.graph.input if value.name not in constants]
        return PreparedModel(compiled, inputs, [value.name for value in proto.graph.output])

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **keywords: Any) -> Any:
        """Return the outputs of a model."""
        return cls.prepare(model, device, **keywords).run(inputs)

    @classmethod
    def run_node(cls, node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, **keywords: Any) -> Any:
        """Return the outputs of one node for arrays; `opset_version` is the newest one unless it is given."""
        from onnx import defs, helper

        del outputs_info
        values = dict(zip([name for name in node.input if name], _listed(inputs), strict=False))
        graph = helper.make_graph(
            [node],
            node.name or "node",
            [_value_info(name, value) for name, value in values.items()],
            [helper.make_empty_tensor_value_info(name) for name in node.output if name],
        )
        version = keywords.pop("opset_version", defs.onnx_opset_version())
        imports = [helper.make_opsetid("", version)] + [helper.make_opsetid(node.domain, 1)] * bool(node.domain)
        model = helper.make_model(graph, opset_imports=imports)
        return cls.run_model(model, list(values.values()), device, **keywords)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether the device is the CPU."""
        return device.split(":", maxsplit=1)[0].upper() == "CPU"


def _listed(inputs: Any) -> list[Any]:
    return list(inputs.values()) if isinstance(inputs, Mapping) else list(inputs)


def _value_info(name: str, value: Any) -> Any:
    from onnx import helper

    if isinstance(value, list) and all(isinstance(item, np.ndarray) for item in value):
        kind = value[0].dtype if value else np.dtype(np.float32)
        return helper.make_tensor_sequence_value_info(name, helper.np_dtype_to_tensor_dtype(kind), None)
    array = np.asarray(value)
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


is_compatible = OnnxBackend.is_compatible
prepare = OnnxBackend.prepare
run_model = OnnxBackend.run_model
run_node = OnnxBackend.run_node
supports_device = OnnxBackend.supports_device
