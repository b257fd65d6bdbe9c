"""OpenVINO as a reference: every layer's outputs by its CPU plugin."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ir_plugin.api import Model, serialize
from ir_plugin.errors import Error, InputError
from ir_plugin.model import Output
from ir_plugin.report.references import Named
from ir_plugin.tensors import Array

_ENDS = ("Parameter", "Result", "Constant", "Assign")
_PLAIN = ("f64", "f32", "f16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "boolean", "string")


class OpenVINO:
    """The IR as OpenVINO's CPU plugin computes it in f32, with every layer's outputs added to the outputs."""

    by_tensor = False

    def __init__(self, model: Model | Path) -> None:
        self._model = model
        self._openvino = _imported()

    @property
    def title(self) -> str:
        """What it is called in a report."""
        return f"openvino {self._openvino.__version__.split('-')[0]}"

    def inputs(self) -> Named:
        """Return nothing."""
        return {}

    def values(self, ports: Sequence[Output], inputs: Sequence[Array]) -> Named:
        """Run the model in OpenVINO; the inputs are in the order of the model's."""
        del ports
        try:
            return self._values(inputs)
        except RuntimeError as fault:
            if isinstance(fault, Error):
                raise
            raise InputError(f"openvino cannot run the model: {fault}") from None

    def _values(self, inputs: Sequence[Array]) -> Named:
        core = self._openvino.Core()
        model = self._read(core)
        wanted = _wanted(model)
        model.add_outputs([node.output(index) for node, index in wanted])
        compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        request = compiled.create_infer_request()
        request.infer(list(inputs))
        found = _constants(model)
        positions = _positions(model, wanted)
        for (node, index), position in zip(wanted, positions, strict=True):
            array = _array(request.get_output_tensor(position))
            if array is not None:
                found[_key(node, index)] = array
        return found

    def _read(self, core: Any) -> Any:
        if isinstance(self._model, Path):
            return core.read_model(self._model)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.xml"
            serialize(self._model, path)
            return core.read_model(path.read_bytes(), path.with_suffix(".bin").read_bytes())


def _imported() -> Any:
    try:
        import openvino
    except ImportError:
        raise InputError("openvino is not installed, which a comparison with it needs; pip install openvino") from None
    return openvino


def _wanted(model: Any) -> list[tuple[Any, int]]:
    """Return the layer outputs that can be had, each as node and index."""
    return [
        (node, index)
        for node in model.get_ordered_ops()
        if node.get_type_name() not in _ENDS
        for index in range(node.get_output_size())
    ]


def _positions(model: Any, wanted: Sequence[tuple[Any, int]]) -> list[int]:
    """Return where each wanted output is: what was one before got no second Result."""
    sources = [output.get_node().input_value(0) for output in model.outputs]
    place = {(source.get_node().get_name(), source.get_index()): number for number, source in enumerate(sources)}
    return [place[node.get_name(), index] for node, index in wanted]


def _key(node: Any, index: int) -> str:
    name = node.get_friendly_name()
    return name if node.get_output_size() == 1 else f"{name}:{index}"


def _array(tensor: Any) -> Array | None:
    type = tensor.element_type.get_type_name()
    if type == "bf16":
        found: Array = np.array(tensor.data).view(np.dtype(ml_dtypes.bfloat16))
        return found
    if type == "string":
        return np.array(tensor.str_data, dtype=object)
    return np.array(tensor.data) if type in _PLAIN else None


def _constants(model: Any) -> dict[str, Array]:
    return {
        node.get_friendly_name(): np.array(node.data)
        for node in model.get_ordered_ops()
        if node.get_type_name() == "Constant" and node.get_element_type().get_type_name() in _PLAIN[:-2]
    }
