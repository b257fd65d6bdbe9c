"""Every sample of every operation: inferred shapes and values against OpenVINO and the specification."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from ir_plugin import CompiledModel, Core, Error, Model
from ir_plugin.diagnostics import Findings
from ir_plugin.tensors import Array, ElementType, PartialShape
from tests.support.collect import errors, samples
from tests.support.ir import BuiltIR, build
from tests.support.oracle import REFUSED, built, fed, openvino_results, openvino_shapes, run_openvino
from tests.support.results import values_by_port
from tests.support.sample import ErrorSample, In, Sample

SAMPLES = dict(samples())
ERRORS = dict(errors())
TOGETHER = 16
"""How many samples OpenVINO is asked about at once."""


def variants(sample: Sample) -> dict[str, dict[int, str]]:
    """Return partial shapes of the parameters, by input position, for each variant of a sample."""
    free = [position for position, operand in enumerate(sample.inputs) if operand is not None and not operand.constant]
    ranks = {position: np.ndim(operand.value) for position, operand in enumerate(sample.inputs) if operand is not None}
    by_variant: dict[str, dict[int, str]] = {"static": {}}
    if free:
        by_variant["dynamic"] = {position: ",".join(["?"] * ranks[position]) for position in free}
        by_variant["rankless"] = dict.fromkeys(free, "...")
        by_variant["first rankless"] = {free[0]: "..."}
        by_variant["intervals"] = {position: _interval(sample.inputs[position]) for position in free}
    for number, shapes in enumerate(sample.shapes):
        by_variant[f"shapes {number}"] = dict(zip(free, shapes, strict=True))
    return by_variant


def _interval(operand: In | None) -> str:
    lengths = operand.value.shape if operand is not None else ()
    return ",".join(f"{max(length - 1, 0)}..{length + 2}" for length in lengths)


@lru_cache(maxsize=2)
def judged_shapes(group: int) -> dict[tuple[str, str], list[str] | str]:
    """Return what OpenVINO infers, or `REFUSED`, by name and variant for a group of samples."""
    asked = {
        (name, variant): (sample, shapes)
        for name, sample in grouped(group).items()
        if not sample.openvino_shapes
        for variant, shapes in variants(sample).items()
    }
    return dict(zip(asked, openvino_shapes(list(asked.values())), strict=True))


@lru_cache(maxsize=2)
def judged_results(group: int) -> dict[str, list[Array] | RuntimeError]:
    """Return what OpenVINO computes by name for a group of samples."""
    asked = {name: sample for name, sample in grouped(group).items() if not sample.openvino}
    return dict(zip(asked, openvino_results(list(asked.values())), strict=True))


def grouped(group: int) -> dict[str, Sample]:
    return dict(list(SAMPLES.items())[group * TOGETHER : (group + 1) * TOGETHER])


GROUPS = {name: number // TOGETHER for number, name in enumerate(SAMPLES)}


@pytest.mark.parametrize("name", SAMPLES)
def test_sample(name: str) -> None:
    sample = SAMPLES[name]
    models = require_shapes_as_in_openvino(name, sample)
    ir = built(sample, {})
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    results: dict[str, dict[Any, Array]] = {"static": _outputs(compiled, sample)}
    if "dynamic" in models:
        results["dynamic"] = run_ours(models["dynamic"], sample)
    require_expected_results(name, sample, results)
    require_same_results_in_every_way(sample, models["static"], compiled, results["static"])


def require_shapes_as_in_openvino(name: str, sample: Sample) -> dict[str, Model]:
    """Infer the shapes of every variant as OpenVINO does, and return the models of those that are valid."""
    models = {}
    for variant, shapes in variants(sample).items():
        ir = built(sample, shapes)
        report = Core().validate(ir.xml, ir.weights)
        if report.model is not None and report.ok:
            models[variant] = Model(report.model)
            inferred: list[str] | str = [str(node.inputs[0].tensor) for node in report.model.results]
        else:
            inferred = REFUSED
        if not sample.openvino_shapes:
            expected = judged_shapes(GROUPS[name])[name, variant]
            assert inferred == expected, (variant, shapes, [finding.message for finding in report.findings])
    return models


def require_expected_results(name: str, sample: Sample, results: dict[str, dict[Any, Array]]) -> None:
    """Compare the results of all variants with those that the sample states, and with those of OpenVINO."""
    arrays = [None if operand is None else operand.value for operand in sample.inputs]
    oracle = None if sample.oracle is None else sample.oracle(*arrays)
    if sample.openvino and sample.expected is None and oracle is None:
        pytest.fail("a sample that OpenVINO cannot judge needs `expected` or `oracle`")
    judged = None if sample.openvino else judged_results(GROUPS[name])[name]
    if isinstance(judged, RuntimeError):
        raise judged
    for variant, outputs in results.items():
        for reference in (sample.expected, oracle):
            if reference is not None:
                several = isinstance(reference, (list, tuple)) and sample.outputs > 1
                _compare(outputs, list(reference) if several else [reference], sample, variant)
        if judged is not None:
            _compare_with_openvino(outputs, judged, sample, variant)


def _compare_with_openvino(outputs: dict[Any, Array], judged: list[Array], sample: Sample, variant: str) -> None:
    """Compare with what OpenVINO computes together with other samples, whose equal constants it may change at once.

    Where the results differ, those for the sample alone decide.
    """
    try:
        _compare(outputs, judged, sample, variant)
    except AssertionError:
        _compare(outputs, run_openvino(sample), sample, variant)


def require_same_results_in_every_way(
    sample: Sample, model: Model, compiled: CompiledModel, results: dict[Any, Array]
) -> None:
    """Compare a plan of the IR's bytes with the plain evaluation of a report's model, and with strided inputs."""
    for output, array in zip(compiled.outputs, results.values(), strict=True):
        assert output.partial_shape.contains(array.shape), (output, array.shape)
        assert array.dtype == output.element_type.dtype
    plain = run_ours(model, sample, optimize=False)
    _compare(results, [*plain.values()], sample, "a plan, or the model of a report, changes the result")
    strided = _outputs(compiled, sample, strided=True)
    _compare(results, [*strided.values()], sample, "noncontiguous inputs change the result")


def run_ours(model: BuiltIR | Model, sample: Sample, optimize: bool = True) -> dict[Any, Array]:
    """Return the results of a sample's IR or model."""
    config = {"OPTIMIZE": optimize}
    if isinstance(model, BuiltIR):
        return _outputs(Core().compile_model(model.xml, config=config, weights=model.weights), sample)
    return _outputs(Core().compile_model(model, config=config), sample)


def _outputs(compiled: CompiledModel, sample: Sample, strided: bool = False) -> dict[Any, Array]:
    arrays = [_strided(item.value) if strided else item.value for item in fed(sample)]
    outputs = values_by_port(compiled, arrays)
    return {port: _texts(array) if array.dtype.kind == "S" else array for port, array in outputs.items()}


def _texts(array: Array) -> Array:
    """Return strings as objects, with surrogates for bytes that are not UTF-8."""
    return np.array([text.decode("utf-8", "surrogateescape") for text in array.ravel()], object).reshape(array.shape)


def _strided(array: Array) -> Array:
    """Return an equal array without any contiguous dimension."""
    if array.ndim == 0:
        return array
    spread = np.zeros([2 * length for length in array.shape], array.dtype)
    spread[tuple([slice(None, None, 2)] * array.ndim)] = array
    return spread[tuple([slice(None, None, 2)] * array.ndim)]


def _compare(results: dict[Any, Array], references: list[Any], sample: Sample, variant: str) -> None:
    assert len(results) == len(references), variant
    for (port, array), expected in zip(results.items(), references, strict=True):
        right = np.asarray(expected)
        assert array.shape == right.shape, (variant, array.shape, right.shape)
        if array.dtype.kind in "biuO":
            np.testing.assert_array_equal(array, right, variant)
            continue
        type = port.element_type
        rtol = max(sample.rtol, {16: 1e-3 if type is ElementType.f16 else 8e-3, 8: 0.13}.get(type.bits, 0))
        left, right = array.astype(np.float64), right.astype(np.float64)
        np.testing.assert_allclose(left, right, rtol, sample.atol, err_msg=variant)


@pytest.mark.parametrize("name", ERRORS)
def test_refuses(name: str) -> None:
    sample = ERRORS[name]
    ir = build(sample.type, sample.version, [_input(item) for item in sample.inputs], sample.attributes, sample.outputs)
    findings = _run_findings(ir, sample) if sample.code == "IR701" else Core().validate(ir.xml, ir.weights).findings
    errors = findings.errors
    assert [finding.code for finding in errors] == [sample.code], [finding.message for finding in errors]
    assert sample.says in errors[0].message, errors[0].message
    assert errors[0].layer is not None
    assert errors[0].layer.name == "layer"
    if sample.part:
        assert sample.part in errors[0].layer.part, errors[0].layer


def _input(item: In | str) -> In | tuple[ElementType, str]:
    if isinstance(item, In):
        return item
    type, _, shape = item.partition("[")
    PartialShape(f"[{shape}")
    return ElementType(type), shape.removesuffix("]")


def _run_findings(ir: BuiltIR, sample: ErrorSample) -> Findings:
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    arrays = [item.value for item in (sample.inputs[position] for position in ir.parameters) if isinstance(item, In)]
    with pytest.raises(Error) as caught:
        compiled(arrays)
    return Findings(caught.value.findings)
