"""What OpenVINO and this package make of one layer, and which of them agree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import openvino as ov

from ir_plugin import Core, Error
from ir_plugin.kernels.numba.availability import numba_installed
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import pack, unpack
from tests.fuzz.operation_cases import Case
from tests.support.ir import BuiltIR

CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"OPTIMIZE": False},
    "numpy": {"PROVIDER": "numpy", "INFERENCE_NUM_THREADS": 1},
    **({"numba": {"PROVIDER": "numba", "INFERENCE_NUM_THREADS": 2}} if numba_installed() else {}),
}
CPU: dict[str, Any] = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}


@dataclass
class Outcome:
    """What an engine makes of a layer: `ok` with arrays, or `refused` or `failed` with a message."""

    kind: str
    arrays: list[Array] = field(default_factory=list)
    message: str = ""


def feeds(case: Case, ir: BuiltIR) -> list[Any]:
    """Return the values of the parameters as OpenVINO's tensors."""
    return [tensor_of(case.sample.inputs[position]) for position in ir.parameters]


def tensor_of(item: Any) -> Any:
    """Return an input as OpenVINO's tensor."""
    if item.type is ElementType.string:
        return ov.Tensor(item.value.astype(str)) if item.value.size else ov.Tensor(ov.Type.string, item.value.shape)
    tensor = ov.Tensor(getattr(ov.Type, item.type.name), ov.Shape(list(item.value.shape)))
    if item.type.bitwidth < 8:
        tensor.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(pack(item.value, item.type), np.uint8)
    elif item.value.size:
        tensor.data.reshape(-1).view(np.uint8)[:] = np.ascontiguousarray(item.value).reshape(-1).view(np.uint8)
    return tensor


def _array(tensor: Any) -> Array:
    if tensor.element_type == ov.Type.string:
        return np.array(tensor.str_data, object).reshape(list(tensor.shape))
    type = ElementType(tensor.element_type.to_string())
    raw = np.array(tensor.data).reshape(-1).view(np.uint8)
    shape = list(tensor.shape)
    if type.bitwidth < 8:
        return unpack(raw.tobytes(), type, int(np.prod(shape))).reshape(shape)
    return np.asarray(raw.view(type.dtype).reshape(shape))


def read(ir: BuiltIR) -> ov.Model | Outcome:
    """Return the layer as OpenVINO's model, or its refusal."""
    try:
        return ov.Core().read_model(ir.xml, ir.weights)
    except RuntimeError as fault:
        return Outcome("refused", message=str(fault))


def by_cpu(model: ov.Model, inputs: list[Any]) -> Outcome:
    """Return what the CPU plugin computes."""
    try:
        compiled = ov.Core().compile_model(model, "CPU", CPU)
        request = compiled.create_infer_request()
        for index, tensor in enumerate(inputs):
            request.set_input_tensor(index, tensor)
        request.infer()
        arrays = [_array(request.get_output_tensor(index)) for index in range(len(compiled.outputs))]
    except RuntimeError as fault:
        return Outcome("failed", message=str(fault))
    return Outcome("ok", arrays)


def by_reference(model: ov.Model, inputs: list[Any]) -> Outcome:
    """Return what OpenVINO's reference implementation computes."""
    try:
        model = model.clone()
        model.reshape({port: list(tensor.shape) for port, tensor in zip(model.inputs, inputs, strict=True)})
        outputs = [ov.Tensor(port.get_element_type(), _bounded(port.get_partial_shape())) for port in model.outputs]
        if not model.evaluate(outputs, inputs):
            return Outcome("failed", message="OpenVINO has no reference implementation in the wheel")
        arrays = [_array(tensor) for tensor in outputs]
    except (RuntimeError, ValueError, MemoryError) as fault:
        return Outcome("failed", message=str(fault))
    return Outcome("ok", arrays)


def _bounded(shape: ov.PartialShape) -> ov.Shape:
    return shape.to_shape() if shape.is_static else ov.Shape([])


def by_us(case: Case, ir: BuiltIR, config: str) -> Outcome:
    """Return what this package computes under one of `CONFIGS`."""
    try:
        compiled = Core().compile_model(ir.xml, weights=ir.weights, config=CONFIGS[config])
        items = [case.sample.inputs[position] for position in ir.parameters]
        request = compiled.create_infer_request()
        results = request.infer([item.value for item in items if item is not None]).to_dict()
    except Error as fault:
        return Outcome("refused", message=str(fault))
    arrays = [
        request.get_output_tensor(position).values if port.element_type.is_shown_as_bits else array
        for position, (port, array) in enumerate(results.items())
    ]
    return Outcome("ok", [array.astype(object) if array.dtype.kind == "U" else array for array in arrays])


def agree(first: Outcome, second: Outcome, least: float = 0) -> bool:
    """Return whether two engines compute the same shapes, types and values; differences up to `least` are none."""
    if first.kind != "ok" or second.kind != "ok" or len(first.arrays) != len(second.arrays):
        return False
    return all(equal(one, two, least) for one, two in zip(first.arrays, second.arrays, strict=True))


def equal(one: Array, two: Array, least: float = 0) -> bool:
    """Return whether two arrays agree up to rounding."""
    if one.shape != two.shape or one.dtype != two.dtype:
        return False
    if one.dtype.kind in "biuO" or one.dtype.name in ("int4", "uint4", "int2", "uint2"):
        return bool(np.array_equal(one, two))
    left, right = one.astype(np.float64), two.astype(np.float64)
    finite = np.abs(np.where(np.isfinite(right), right, 0))
    scale = float(np.max(finite, initial=0.0))
    rtol = {8: 1e-4, 4: 1e-4, 2: 2e-2 if one.dtype != np.float16 else 3e-3}.get(one.dtype.itemsize, 0.15)
    with np.errstate(all="ignore"):
        atol = max(rtol * 0.1 * min(max(scale, 1e-2), 1e4), least)
        return bool(np.allclose(left, right, rtol, atol, equal_nan=True))
