"""OpenVINO as a reference: every layer's outputs by its CPU plugin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import Error, InputError
from ir_plugin.model import Output
from ir_plugin.model.graph import clone
from ir_plugin.openvino.api import Core, Model
from ir_plugin.report.bodies import Bodies
from ir_plugin.report.store import Named
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import pack, to_type, unpack
from ir_plugin.writer import ir_bytes

_NATIVE_TYPES = ("f64", "f32", "f16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8")
"""Types of constants whose `data` holds plain values."""
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
"""Properties with which the CPU plugin computes in f32, keys, values and compressed weights included."""
_ENDS = ("Parameter", "Result", "Constant", "Assign")


class OpenVINO:
    """The IR as OpenVINO's CPU plugin computes it in f32, with every layer's outputs added to the outputs.

    OpenVINO runs bodies as separate models, one execution at a time, on its own values for the inputs of their
    layers; this library slices and joins between the executions.
    """

    by_tensor = False

    def __init__(self, model: Model | Path) -> None:
        self._model = model
        self._openvino = _import_openvino()

    @property
    def title(self) -> str:
        """The name for reports."""
        return f"openvino {self._openvino.__version__.split('-')[0]}"

    def inputs(self) -> Named:
        """Return an empty mapping: the inputs are unknown."""
        return {}

    def values(self, ports: Sequence[Output], inputs: Sequence[Array]) -> Named:
        """Return the outputs of the layers, run by OpenVINO; the inputs are in the model's order."""
        del ports
        try:
            core = self._openvino.Core()
            model = self._read(core)
            if len(model.inputs) != len(inputs):
                raise InputError(f"{self.title} runs a model of {len(model.inputs)} inputs; {len(inputs)} are given")
            runner = Runner(self._openvino, core, model)
            outputs, _ = runner.run(inputs)
            return {**outputs, **self._bodies(core, outputs, inputs)}
        except RuntimeError as fault:
            if isinstance(fault, Error):
                raise
            raise InputError(f"openvino cannot run the model: {fault}") from None

    def _read(self, core: Any) -> Any:
        if isinstance(self._model, Path):
            return core.read_model(self._model)
        return read_again(core, self._model)

    def _bodies(self, core: Any, outputs: Named, inputs: Sequence[Array]) -> Named:
        """Return the values of the layers of bodies if this library can read the model."""
        try:
            model = self._model if isinstance(self._model, Model) else Core().read_model(self._model, validate=False)
        except Error:
            return {}
        return Bodies(lambda body: Runner(self._openvino, core, read_again(core, Model(clone(body))))).values(
            model, outputs, inputs
        )


class Runner:
    """A model compiled by OpenVINO that exposes every layer's outputs."""

    def __init__(self, openvino: Any, core: Any, model: Any) -> None:
        self._openvino = openvino
        self._results = len(model.outputs)
        self._constants = _constants(model)
        self._ports = _layer_outputs(model)
        model.add_outputs([node.output(index) for node, index in self._ports])
        self._positions = _positions(model, self._ports)
        supported = core.get_property("CPU", "SUPPORTED_PROPERTIES")
        config = {name: value for name, value in EXACT.items() if name in supported}
        self._request = core.compile_model(model, "CPU", config).create_infer_request()

    def run(self, inputs: Sequence[Array]) -> tuple[dict[str, Array], list[Array]]:
        """Return the values by name, and the values of the model's own outputs in order."""
        ports = self._request.model_inputs
        self._request.infer([self._tensor(array, port) for array, port in zip(inputs, ports, strict=True)])
        arrays = dict(self._constants)
        for (node, index), position in zip(self._ports, self._positions, strict=True):
            arrays[_key(node, index)] = _array(self._request.get_output_tensor(position))
        return arrays, [_array(self._request.get_output_tensor(position)) for position in range(self._results)]

    def _tensor(self, array: Array, port: Any) -> Any:
        """Return an array of any element type as an OpenVINO tensor."""
        name = port.element_type.get_type_name()
        type = ElementType(name) if name != "dynamic" else ElementType.from_dtype(array.dtype)
        if type is ElementType.string:
            return self._openvino.Tensor(array.astype(np.str_))
        tensor = self._openvino.Tensor(getattr(self._openvino.Type, type.name), list(array.shape))
        with np.errstate(all="ignore"):
            tensor.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(pack(to_type(array, type), type), np.uint8)
        return tensor


def read_again(core: Any, model: Model) -> Any:
    """Return a model of this library as an OpenVINO model."""
    return core.read_model(*ir_bytes(model))


def _import_openvino() -> Any:
    try:
        import openvino
    except ImportError:
        raise InputError("openvino is not installed, which a comparison with it needs; pip install openvino") from None
    return openvino


def _layer_outputs(model: Any) -> list[tuple[Any, int]]:
    """Return the outputs of the layers as node and index."""
    return [
        (node, index)
        for node in model.get_ordered_ops()
        if node.get_type_name() not in _ENDS
        for index in range(node.get_output_size())
    ]


def _positions(model: Any, ports: Sequence[tuple[Any, int]]) -> list[int]:
    """Return the index of each port among the model's outputs; those that were outputs already get no second Result."""
    sources = [output.get_node().input_value(0) for output in model.outputs]
    numbers = {(source.get_node().get_name(), source.get_index()): number for number, source in enumerate(sources)}
    return [numbers[node.get_name(), index] for node, index in ports]


def _key(node: Any, index: int) -> str:
    name = node.get_friendly_name()
    return name if node.get_output_size() == 1 else f"{name}:{index}"


def _array(tensor: Any) -> Array:
    type = ElementType(tensor.element_type.get_type_name())
    if type is ElementType.string:
        texts: Array = np.array(tensor.str_data, dtype=object)
        return texts
    data = np.ascontiguousarray(tensor.data).reshape(-1).view(np.uint8)
    array: Array = np.array(unpack(data, type, tensor.size).reshape(tuple(tensor.shape)))
    return array


def _constants(model: Any) -> dict[str, Array]:
    nodes = [node for node in model.get_ordered_ops() if node.get_type_name() == "Constant"]
    typed = [(node, node.get_element_type().get_type_name()) for node in nodes]
    return {node.get_friendly_name(): np.array(node.data) for node, type in typed if type in _NATIVE_TYPES}
