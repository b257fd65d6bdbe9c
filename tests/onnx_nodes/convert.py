"""ONNX's node tests as IRs: converted by OpenVINO, run by OpenVINO's CPU and by us."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin import Core, Error
from tests.onnx.cases import cases as onnx_cases


@dataclass(frozen=True)
class Outcome:
    """What came of one case: in OpenVINO, and with us (empty where ONNX's own result came out)."""

    openvino: str
    """`passes`, `other result`, `not run`, `not converted`, `no tensors`, or `not asked` where it decides nothing."""
    reason: str = ""
    ours: str = ""


def cases() -> list[Any]:
    """Return ONNX's node tests."""
    return [case.test for _, case in sorted(onnx_cases().items()) if case.kind == "node"]


def plain(value: Any) -> Any:
    """Return a value of a data set as an array; None where it is a sequence or an optional."""
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, (list, dict)) or value is None:
        return None
    return np.asarray(value)


def try_case(case: Any, folder: Path, asks_always: bool = True) -> Outcome:
    """Convert one case with OpenVINO, run it with both, or alone where that gives ONNX's result, and compare."""
    import openvino as ov

    core = ov.Core()
    path = folder / "case.onnx"
    path.write_bytes(case.model.SerializeToString())
    try:
        model = core.read_model(path)
    except RuntimeError as fault:
        return Outcome("not converted", _reason(fault))
    ov.serialize(model, folder / "case.xml")
    inputs, outputs = ([plain(value) for value in values] for values in case.data_sets[0])
    if any(value is None for value in (*inputs, *outputs)):
        return Outcome("no tensors", "inputs or outputs are sequences or optionals")
    inputs = [np.ascontiguousarray(value) if value.ndim else value for value in inputs][: len(model.inputs)]
    ours = _run_ours(folder / "case.xml", inputs, outputs)
    if not ours and not asks_always:
        return Outcome("not asked")
    state, reason = _run_openvino(core, model, inputs, outputs)
    return Outcome(state, reason, ours)


def _run_openvino(core: Any, model: Any, inputs: list[Any], outputs: list[Any]) -> tuple[str, str]:
    try:
        compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        found = list(compiled(inputs).to_tuple())
    except (RuntimeError, TypeError, ValueError) as fault:
        return "not run", _reason(fault)
    if len(found) != len(outputs) or not all(map(agrees, found, outputs)):
        return "other result", "OpenVINO's CPU gives other values than ONNX"
    return "passes", ""


def _run_ours(path: Path, inputs: list[Any], outputs: list[Any]) -> str:
    try:
        found = Core().compile_model(path)(inputs).to_tuple()
    except Error as fault:
        return f"{type(fault).__name__}: {fault}"
    if len(found) != len(outputs) or not all(map(agrees, found, outputs)):
        return "other values than ONNX"
    return ""


def agrees(found: Any, wanted: Any) -> bool:
    """Return whether two arrays are equal as ONNX's own runner compares them, with room for 16-bit floats."""
    if list(found.shape) != list(wanted.shape):
        return False
    if wanted.dtype.kind in "OUS" or found.dtype.kind in "OUS":
        return bool(np.array_equal(found.astype(str), wanted.astype(str)))
    small = min(found.dtype.itemsize, wanted.dtype.itemsize) < 4 and wanted.dtype.kind not in "biu"
    left, right = found.astype(np.float64), wanted.astype(np.float64)
    return bool(np.allclose(left, right, rtol=1e-2 if small else 1e-3, atol=1e-2 if small else 1e-6, equal_nan=True))


def _reason(fault: Exception) -> str:
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Exception from", "Check '"))]
    return (told or lines or [type(fault).__name__])[-1][:160]
