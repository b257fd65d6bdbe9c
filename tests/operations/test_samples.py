"""Every sample of every operation: inferred shapes and values against OpenVINO and the specification."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import openvino as ov
import pytest

from ir_plugin import Core, Error
from ir_plugin.diagnostics import Findings
from ir_plugin.tensors import Array, ElementType, PartialShape
from tests.support.collect import errors, samples
from tests.support.ir import BuiltIR, build
from tests.support.sample import ErrorSample, In, Sample

SAMPLES = dict(samples())
ERRORS = dict(errors())
REFUSED = "refused"


@cache
def openvino_core() -> Any:
    return ov.Core()


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


def built(sample: Sample, shapes: Mapping[int, str]) -> BuiltIR:
    return build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, shapes)


def openvino_shapes(ir: BuiltIR) -> list[str] | str:
    try:
        model = openvino_core().read_model(ir.xml, ir.weights)
    except RuntimeError:
        return REFUSED
    return [f"{output.get_element_type().to_string()}{output.get_partial_shape()}" for output in model.outputs]


def our_shapes(ir: BuiltIR) -> list[str] | str:
    report = Core().validate(ir.xml, ir.weights)
    if report.model is None or not report.ok:
        return f"{REFUSED}: {[finding.message for finding in report.findings]}"
    return [str(node.inputs[0].tensor) for node in report.model.results]


@pytest.mark.parametrize("name", SAMPLES)
def test_infers_as_openvino(name: str) -> None:
    sample = SAMPLES[name]
    if sample.openvino_shapes:
        return
    for variant, shapes in variants(sample).items():
        ir = built(sample, shapes)
        expected, inferred = openvino_shapes(ir), our_shapes(ir)
        assert inferred == expected or (expected == REFUSED and str(inferred).startswith(REFUSED)), (variant, shapes)


@pytest.mark.parametrize("name", SAMPLES)
def test_computes_as_expected(name: str) -> None:
    sample = SAMPLES[name]
    arrays = [None if operand is None else operand.value for operand in sample.inputs]
    oracle = None if sample.oracle is None else sample.oracle(*arrays)
    judged = None if sample.openvino else run_openvino(built(sample, {}), sample)
    if sample.openvino and sample.expected is None and oracle is None:
        pytest.fail("a sample that OpenVINO cannot judge needs `expected` or `oracle`")
    for variant in ("static", "dynamic"):
        shapes = variants(sample).get(variant)
        if shapes is None:
            continue
        results = run_ours(built(sample, shapes), sample)
        for reference in (sample.expected, oracle):
            if reference is not None:
                several = isinstance(reference, (list, tuple)) and sample.outputs > 1
                _compare(results, list(reference) if several else [reference], sample, variant)
        if judged is not None:
            _compare(results, judged, sample, variant)


@pytest.mark.parametrize("name", SAMPLES)
def test_inference_and_evaluation_agree(name: str) -> None:
    sample = SAMPLES[name]
    ir = built(sample, {})
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    plain = list(run_ours(ir, sample).values())
    for output, array in zip(compiled.outputs, plain, strict=True):
        assert output.partial_shape.contains(array.shape), (output, array.shape)
        assert array.dtype == output.element_type.dtype
    unplanned = run_ours(ir, sample, optimize=False)
    for first, second in zip(plain, unplanned.values(), strict=True):
        _compare({"planned": first}, [second], sample, "a plan changes the result")
    strided = run_ours(ir, sample, strided=True)
    for first, second in zip(plain, strided.values(), strict=True):
        _compare({"strided": first}, [second], sample, "noncontiguous inputs change the result")


def run_ours(ir: BuiltIR, sample: Sample, strided: bool = False, optimize: bool = True) -> dict[Any, Array]:
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": optimize})
    operands = [sample.inputs[position] for position in ir.parameters]
    arrays = [_strided(item.value) if strided else item.value for item in operands if item is not None]
    outputs = compiled(arrays, decode_strings=False).to_dict()
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


def run_openvino(ir: BuiltIR, sample: Sample) -> list[Array]:
    config = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino_core().compile_model(openvino_core().read_model(ir.xml, ir.weights), "CPU", config)
    inputs = []
    for position in ir.parameters:
        feed = sample.inputs[position]
        assert feed is not None
        inputs.append(_openvino_tensor(feed))
    request = compiled.create_infer_request()
    for index, tensor in enumerate(inputs):
        request.set_input_tensor(index, tensor)
    request.infer()
    return [_from_openvino(request.get_output_tensor(index)) for index in range(len(compiled.outputs))]


def _openvino_tensor(feed: In) -> Any:
    if feed.type is ElementType.string:
        return ov.Tensor(feed.value.astype(str)) if feed.value.size else ov.Tensor(ov.Type.string, feed.value.shape)
    tensor = ov.Tensor(getattr(ov.Type, feed.type.name), ov.Shape(list(feed.value.shape)))
    data = np.ascontiguousarray(feed.value)
    if data.size:
        tensor.data.reshape(-1).view(np.uint8)[:] = data.reshape(-1).view(np.uint8)
    return tensor


def _from_openvino(tensor: Any) -> Array:
    if tensor.element_type == ov.Type.string:
        return np.array(tensor.str_data, object).reshape(list(tensor.shape))
    dtype = ElementType(tensor.element_type.to_string()).dtype
    array: Array = np.array(tensor.data).reshape(-1).view(np.uint8).view(dtype).reshape(list(tensor.shape))
    return array


def _compare(results: dict[Any, Array], references: list[Any], sample: Sample, variant: str) -> None:
    assert len(results) == len(references), variant
    for array, expected in zip(results.values(), references, strict=True):
        right = np.asarray(expected)
        assert array.shape == right.shape, (variant, array.shape, right.shape)
        if array.dtype.kind in "biuO":
            np.testing.assert_array_equal(array, right, variant)
            continue
        rtol = max(sample.rtol, {2: 1e-3 if array.dtype == np.float16 else 8e-3, 1: 0.13}.get(array.dtype.itemsize, 0))
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
