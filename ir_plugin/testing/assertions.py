"""Assertions for tests of models: agreement with a reference, no errors, and unchanged outputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir_plugin import Comparison, Core, Model, Output, Tolerance, compare, load_arrays, measure, save_arrays, storable

Array: TypeAlias = NDArray[Any]

__all__ = ["assert_agrees", "assert_matches_snapshot", "assert_valid"]


def assert_valid(model: str | os.PathLike[str], *, strict: bool = False) -> Model:
    """Return the model of an IR; raise `AssertionError` with the findings if there is an error.

    With `strict`, warnings count as errors.
    """
    __tracebackhide__ = True
    report = Core().validate(model)
    failures = [item for item in report.findings if item.severity == "error" or (strict and item.severity == "warning")]
    if failures:
        raise AssertionError(f"{os.fspath(model)} is not valid\n{report}")
    return Core().read_model(model) if report.model is None else Model(report.model)


def assert_agrees(
    model: Model | str | os.PathLike[str],
    reference: str | os.PathLike[str] | Model | Mapping[str, Any] = "openvino",
    inputs: Any = None,
    *,
    rtol: float = 1e-3,
    atol: float | None = None,
    planned: bool = False,
    seed: int = 0,
) -> Comparison:
    """Return the comparison of every layer with a reference; raise `AssertionError` with it if a layer differs.

    The arguments are as in `ir_plugin.compare`: the reference is `"openvino"`, `"onnxruntime"`, a stored run (.npz),
    an ONNX model, another IR, or arrays by name.
    """
    __tracebackhide__ = True
    comparison = compare(model, reference, inputs, rtol=rtol, atol=atol, planned=planned, seed=seed)
    if not comparison.agrees:
        raise AssertionError(f"{comparison.model} and {comparison.reference} differ\n{comparison}")
    return comparison


def assert_matches_snapshot(
    outputs: Mapping[Any, Any],
    path: str | os.PathLike[str],
    *,
    update: bool = False,
    rtol: float = 1e-3,
    atol: float | None = None,
) -> None:
    """Hold outputs by name, or the results of a compiled model, against those stored in an .npz.

    With `update` they are stored instead. Raises `AssertionError` that names each output that is missing, new or
    different, and by how much.
    """
    __tracebackhide__ = True
    arrays = _by_name(outputs)
    if update:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        save_arrays(path, arrays)
        return
    if not Path(path).is_file():
        raise AssertionError(f"there is no snapshot {path}; `pytest --ir-update` writes it")
    faults = _differences(arrays, load_arrays(path), Tolerance(rtol, atol))
    if faults:
        raise AssertionError("\n".join([f"the outputs differ from {path}:", *faults]))


def _by_name(outputs: Mapping[Any, Any]) -> dict[str, Array]:
    """Return arrays by the name of each output, in the types that files have."""
    arrays = {}
    for number, (key, value) in enumerate(outputs.items()):
        names = sorted(key.names) if isinstance(key, Output) else [str(key)]
        arrays[names[0] if names else f"output_{number}"] = storable(np.asarray(value))
    return arrays


def _differences(arrays: Mapping[str, Array], stored: Mapping[str, Array], tolerance: Tolerance) -> list[str]:
    faults = [f"  {name}: missing" for name in stored if name not in arrays]
    for name, array in arrays.items():
        expected = stored.get(name)
        if expected is None:
            faults.append(f"  {name}: not in the snapshot")
        elif (expected.shape, expected.dtype.kind) != (array.shape, array.dtype.kind):
            faults.append(f"  {name}: {_form(array)}, in the snapshot {_form(expected)}")
        else:
            measures = measure(array, expected, tolerance)
            if measures.over:
                worst = ", ".join(map(str, measures.worst))
                faults.append(
                    f"  {name}: {measures.over} of {array.size} elements differ, by up to {measures.max_abs:.3g}: "
                    f"[{worst}] is {measures.mine}, was {measures.theirs}"
                )
    return faults


def _form(array: Array) -> str:
    return f"{array.dtype}[{','.join(map(str, array.shape))}]"
