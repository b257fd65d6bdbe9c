"""Inputs of types that the specification does not name, or of mixed types: OpenVINO computes them, and so do we."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ir_plugin import Core, ValidationError
from ir_plugin.tensors import Array, ElementType
from tests.operations.test_samples import SAMPLES, run_ours
from tests.support.oracle import built, run_openvino
from tests.support.sample import Sample, const, param

COMPUTED: dict[str, tuple[tuple[int, ...], str]] = {
    "AdaptiveAvgPool-8": ((1,), "f32"),
    "AdaptiveMaxPool-8": ((1,), "u8"),
    "AvgPool-1": ((0,), "boolean"),
    "AvgPool-14": ((0,), "boolean"),
    "AvgPool-16": ((0,), "boolean"),
    "DeformableConvolution-8": ((3,), "f16"),
    "DetectionOutput-1": ((2,), "f16"),
    "DetectionOutput-8": ((2,), "f16"),
    "Elu-1": ((0,), "boolean"),
    "EmbeddingBagOffsetsSum-3": ((0,), "boolean"),
    "EmbeddingBagPacked-15": ((0,), "boolean"),
    "EmbeddingBagPackedSum-3": ((0,), "boolean"),
    "FakeQuantize-1": ((0,), "i32"),
    "FakeQuantize-1 limits": ((1, 2, 3, 4), "f16"),
    "GRUCell-3": ((0, 1, 2, 3, 4), "i32"),
    "GRUSequence-5": ((2,), "f32"),
    "GenerateProposals-9": ((1,), "i32"),
    "GenerateProposals-9 scores": ((3,), "f16"),
    "GroupNormalization-12": ((1,), "i32"),
    "GroupNormalization-12 data": ((0,), "f16"),
    "HardSigmoid-1": ((0, 1, 2), "boolean"),
    "LSTMCell-1": ((0, 1, 2, 3, 4, 5), "i32"),
    "LSTMCell-1 P": ((6,), "f16"),
    "LSTMCell-4": ((0, 1, 2, 3, 4, 5), "i32"),
    "LSTMSequence-5": ((3,), "f16"),
    "LogicalNot-1": ((0,), "f32"),
    "LogicalNot-1 i32": ((0,), "i32"),
    "MVN-6": ((1,), "f32"),
    "MatMul-1": ((0, 1), "boolean"),
    "MaxPool-1": ((0,), "boolean"),
    "NonMaxSuppression-5": ((2,), "f32"),
    "NonMaxSuppression-9": ((2,), "f16"),
    "PRelu-1": ((0,), "i32"),
    "PRelu-1 slope": ((1,), "i32"),
    "PRelu-1 f16": ((1,), "f16"),
    "PSROIPooling-1": ((1,), "f16"),
    "Proposal-1": ((1,), "f16"),
    "RNNCell-1": ((0, 1, 2, 3, 4), "i32"),
    "RNNSequence-5": ((2,), "f32"),
    "ScatterElementsUpdate-3": ((1,), "boolean"),
    "ScatterElementsUpdate-12": ((1,), "boolean"),
    "SearchSorted-15": ((0, 1), "boolean"),
    "SegmentMax-16": ((0,), "boolean"),
    "SliceScatter-15": ((1,), "i32"),
    "SliceScatter-15 data": ((0,), "i32"),
    "Softmax-1": ((0,), "boolean"),
    "Softmax-8": ((0,), "boolean"),
    "SparseFillEmptyRows-16": ((3,), "i32"),
    "Squeeze-1": ((1,), "f32"),
    "StridedSlice-1": ((3,), "f32"),
    "Unsqueeze-1": ((1,), "f32"),
    "VariadicSplit-1": ((1,), "f32"),
}
"""By definition: positions of inputs, and a type to which they are converted."""

READ: dict[str, tuple[tuple[int, ...], str]] = {
    "CTCGreedyDecoderSeqLen-6": ((1,), "f32"),
    "GRUCell-3": ((2,), "f16"),
    "GRUSequence-5": ((0, 1, 3, 4, 5), "i32"),
    "Gather-1": ((1,), "f32"),
    "GroupNormalization-12": ((0,), "i32"),
    "Interpolate-1": ((0,), "boolean"),
    "NonMaxSuppression-4": ((0,), "i32"),
}
"""As `COMPUTED`, but only read by OpenVINO: its CPU and its reference refuse to compute."""

SUITED = 4
"""How many samples of a definition are tried."""


def converted(sample: Sample, positions: tuple[int, ...], type: str) -> Sample | None:
    """Return a sample with inputs of another type, or None where it lacks them or has that type."""
    inputs = list(sample.inputs)
    for position in positions:
        item = inputs[position] if position < len(inputs) else None
        if item is None or item.type.name in (type, "string"):
            return None
        inputs[position] = replace(item, value=_cast(item.value, ElementType(type)), type=ElementType(type))
    return replace(sample, inputs=inputs)


def _cast(array: Array, type: ElementType) -> Array:
    low = -np.inf if type.has_sign else 0
    return np.clip(np.nan_to_num(array.astype(np.float64), posinf=9, neginf=-9), low, np.inf).astype(type.dtype)


def suited(key: str, positions: tuple[int, ...], type: str) -> list[Sample]:
    """Return the first samples of a definition that can be converted, for which OpenVINO's CPU is a judge."""
    definition = key.partition(" ")[0]
    known = [sample for sample in SAMPLES.values() if f"{sample.type}-{sample.version}" == definition]
    changed = [converted(sample, positions, type) for sample in known if not sample.openvino]
    return [sample for sample in changed if sample is not None][:SUITED]


@pytest.mark.parametrize("key", COMPUTED)
def test_what_openvino_computes_is_a_warning_and_computed_alike(key: str) -> None:
    computed = 0
    for sample in suited(key, *COMPUTED[key]):
        ir = built(sample, {})
        try:
            expected = run_openvino(sample)
        except RuntimeError:
            continue
        found = [(finding.code, finding.severity) for finding in Core().validate(ir.xml, ir.weights).findings]
        assert set(found) == {("IR307", "warning")}
        Core().read_model(ir.xml, ir.weights, validate=False)
        for optimize in (False, True):
            results = run_ours(ir, sample, optimize=optimize).values()
            for ours, theirs in zip(results, expected, strict=True):
                assert ours.dtype == theirs.dtype
                if ours.dtype.kind == "f":
                    np.testing.assert_allclose(ours, theirs, 1e-3, 1e-3)
                else:
                    np.testing.assert_array_equal(ours, theirs)
        computed += 1
    assert computed


FRACTIONS = {
    "SliceScatter": Sample(
        "SliceScatter", 15, [param([0, 1, 2], "i32"), param([2.5, -1.7]), const([0]), const([2]), const([1])]
    ),
    "SparseFillEmptyRows": Sample(
        "SparseFillEmptyRows", 16, [param([1], "i32"), const([2, 1]), const([[0, 0]]), param(2.7)], outputs=3
    ),
    "PRelu": Sample("PRelu", 1, [param([-3, -1, 2], "i32"), param([0.5])]),
}


@pytest.mark.parametrize("name", FRACTIONS)
def test_fractions_become_whole_as_in_openvino(name: str) -> None:
    ir = built(FRACTIONS[name], {})
    expected = run_openvino(FRACTIONS[name])
    for optimize in (False, True):
        results = run_ours(ir, FRACTIONS[name], optimize=optimize).values()
        for ours, theirs in zip(results, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("key", READ)
def test_what_openvino_reads_only_is_an_error_unless_validation_is_off(key: str) -> None:
    sample = suited(key, *READ[key])[0]
    ir = built(sample, {})
    with pytest.raises(RuntimeError):
        run_openvino(sample)
    with pytest.raises(ValidationError):
        Core().read_model(ir.xml, ir.weights)
    Core().read_model(ir.xml, ir.weights, validate=False)
