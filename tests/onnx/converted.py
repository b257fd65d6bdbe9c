"""ONNX's cases as the IRs that `ir-plugin convert` writes, read and run by OpenVINO.

`python -m tests.onnx.converted` tries all cases, and writes `converted.tsv`: the cases that OpenVINO does not run to
our outputs, each with its reason. `python -m tests.onnx.converted test_dft test_lstm` prints those of some cases.
Reasons in the table that begin with `decided:` stay.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ir_plugin as ov
from ir_plugin.frontends.onnx.types import numpy_of
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import pack, unpack
from tests.onnx.cases import cases, unlike
from tests.onnx.report import DECIDED

ROOT = Path(__file__).parents[2]
UNLIKE = Path(__file__).with_name("converted.tsv")
"""The cases whose IR OpenVINO does not run to our outputs, each with its reason."""
OWN = "own"
"""The beginning of the outcome of IRs with operations or element types that OpenVINO lacks."""
KNOWN = frozenset((
    "boolean", "bf16", "f16", "f32", "f64", "i4", "i8", "i16", "i32", "i64", "u1", "u2", "u3", "u4", "u6", "u8", "u16",
    "u32", "u64", "nf4", "f8e4m3", "f8e5m2", "f4e2m1", "f8e8m0", "string",
))  # fmt: skip
"""The element types of OpenVINO."""
CRASH = "OpenVINO ends the process"


def outcomes(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield cases with the reason why OpenVINO does not run their IRs to our outputs; empty if it does.

    A process that OpenVINO ends is followed by another one for the cases that are left.
    """
    left = list(names)
    while left:
        program = f"from tests.onnx.converted import run_all; run_all({left!r})"
        command = [sys.executable, "-W", "ignore", "-c", program]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as worker:
            for line in worker.stdout or ():
                name, tab, reason = line.rstrip("\n").partition("\t")
                if tab:
                    left.remove(name)
                    yield name, reason
        if left:
            yield left.pop(0), f"{CRASH} ({worker.returncode})"


def run_all(names: Sequence[str]) -> None:
    """Print the outcomes of cases, and end the process."""
    for name in names:
        sys.stdout.write(f"{name}\t{outcome(name)}\n")
        sys.stdout.flush()
    os._exit(0)


def outcome(name: str) -> str:
    """Return why OpenVINO does not run the IR of a case to our outputs; empty if it does."""
    try:
        model = ov.Core().read_model(cases()[name].model())
    except ov.Error as fault:
        return f"not read: {_line(fault)}"
    own = sorted({node.get_type_name() for node in all_ops(model) if node.get_type_info().version_id == "extension"})
    own += sorted({kind.name for node in all_ops(model) for port in node.outputs() if (kind := port.element_type).name
                   not in KNOWN and kind.is_static})  # fmt: skip
    if own:
        return f"{OWN}: {', '.join(own)}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.xml")
        ov.save_model(model, path, compress_to_fp16=False)
        try:
            return _compared(name, model, path)
        except AssertionError as fault:
            return f"other values: {_line(fault)}"
        except Exception as fault:  # noqa: BLE001  # what OpenVINO raises is the outcome
            return f"{type(fault).__name__}: {_line(fault)}"


def all_ops(model: Any) -> Iterator[Any]:
    """Yield the operations of a model and of its bodies."""
    for node in model.get_ops():
        yield node
        for body in getattr(node, "bodies", {}).values():
            yield from all_ops(body)


def _compared(name: str, model: Any, path: Path) -> str:
    import openvino

    core = openvino.Core()
    read = core.read_model(path)
    for ours, theirs in zip((*model.inputs, *model.outputs), (*read.inputs, *read.outputs), strict=True):
        if ours.get_names() != theirs.get_names():
            return f"other names: {sorted(ours.get_names())}, OpenVINO's are {sorted(theirs.get_names())}"
    compiled = core.compile_model(read, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    by_name = [value.name for value in _graph(name).input]
    request, own = compiled.create_infer_request(), ov.Core().compile_model(model).create_infer_request()
    for inputs, _ in cases()[name].data():
        fed = dict(zip(by_name, inputs, strict=False))
        values = [fed[next(iter(port.get_names()))] for port in model.inputs]
        kinds = [port.element_type for port in model.inputs]
        for index, value in enumerate(values):
            request.set_input_tensor(index, _tensor(value, kinds[index]))
        request.infer()
        results = own.infer(values).values()
        expected = [
            own.get_output_tensor(index).values if port.element_type.is_shown_as_bits else array
            for index, (port, array) in enumerate(zip(model.outputs, results, strict=True))
        ]
        for index, (port, reference) in enumerate(zip(model.outputs, expected, strict=True)):
            _assert_like(_array(request.get_output_tensor(index), port.element_type), np.asarray(reference))
    return ""


def _graph(name: str) -> Any:
    from onnx import ModelProto, load

    model = cases()[name].model()
    return (model if isinstance(model, ModelProto) else load(model)).graph


def _tensor(value: Any, element_type: ElementType) -> Any:
    """Return an array of ONNX as a tensor of OpenVINO, small types packed."""
    import openvino

    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        return openvino.Tensor(array.astype(str))
    if array.dtype.isbuiltin == 1:
        return openvino.Tensor(np.array(array, order="C"))
    contents = np.frombuffer(pack(array.astype(element_type.dtype), element_type), np.uint8).copy()
    kind, shape = getattr(openvino.Type, element_type.name), list(array.shape)
    tensor = openvino.Tensor(kind, shape)
    openvino.Tensor(contents, shape, kind).copy_to(tensor)
    return tensor


def _array(tensor: Any, element_type: ElementType) -> Any:
    """Return a tensor of OpenVINO in the dtype that the package `onnx` has for its type."""
    assert tensor.get_element_type().get_type_name() == element_type.name
    if element_type is ElementType.string:
        return np.asarray(tensor.str_data, object)
    if not tensor.size:
        return np.zeros(tuple(tensor.shape), numpy_of(element_type))
    contents = np.zeros(tensor.get_byte_size(), np.uint8)
    tensor.copy_to(type(tensor)(contents, tensor.shape, tensor.get_element_type()))
    return (
        unpack(contents.tobytes(), element_type, tensor.size)
        .reshape(tuple(tensor.shape))
        .astype(numpy_of(element_type))
    )


def _assert_like(theirs: Any, ours: Any) -> None:
    """Raise unless OpenVINO's output has our shape and values."""
    assert theirs.shape == ours.shape, f"the shape {theirs.shape}, ours is {ours.shape}"
    if ours.dtype.kind in "OUS":
        np.testing.assert_array_equal(theirs, ours)
        return
    floating = ours.dtype.kind not in "biu" and ours.dtype.name[:3] not in ("int", "uin")
    small = floating and ours.dtype.itemsize < 4
    with np.errstate(all="ignore"):
        rtol, atol = (2e-2, 1e-2) if small else (1e-3, 1e-5) if floating else (0, 0)
        wide = ours.astype(np.complex128 if ours.dtype.kind == "c" else np.float64)
        largest = np.abs(wide[np.isfinite(wide)]).max(initial=1)
        np.testing.assert_allclose(theirs.astype(wide.dtype), wide, rtol, atol * largest)


def _line(fault: Exception) -> str:
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Exception from", "Check '"))]
    if isinstance(fault, AssertionError):
        telling = lines[:4]
    return " ".join((" ".join(telling) or " ".join(lines)).split())[:160]


def reasons() -> dict[str, str]:
    """Return the reason of each case of the table."""
    rows = (line.partition("\t") for line in UNLIKE.read_text("utf-8").splitlines()[1:])
    return {name: reason for name, _, reason in rows}


def main() -> None:
    """Try the cases whose names hold the arguments, and print or write the reasons of those with other outputs."""
    parts = sys.argv[1:]
    names = [name for name in sorted(cases()) if not parts or any(part in name for part in parts)]
    known = reasons() if UNLIKE.exists() else {}
    results = dict(outcomes([name for name in names if name not in unlike() or parts]))
    if parts:
        sys.stdout.writelines(f"{name}\t{reason or 'same'}\n" for name, reason in results.items())
        return
    decided = {name: reason for name, reason in known.items() if reason.startswith(DECIDED)}
    lines = [f"{name}\t{decided.get(name, reason)}" for name, reason in results.items() if reason]
    UNLIKE.write_text("\n".join(["case\treason", *lines]) + "\n", "utf-8")
    sys.stdout.write(f"{sum(not reason for reason in results.values())} of {len(results)} have our outputs\n")


if __name__ == "__main__":
    main()
