"""Samples of all operations, written as ONNX: accepted by onnx's checker, and computed by its runtimes as by us."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from tests.onnx_writer.cases import REFERENCE_FAULTS, REFERENCE_FAULTS_BY_OPSET, SAMPLES, outcome_of, outcomes
from tests.onnx_writer.report import PAGE, text

SAMPLES_OF_OTHER_OPSETS = 4
"""How many samples of a definition are written in each opset but 21."""
SAMPLES_WITH_OPEN_LENGTHS = 3
"""How many samples of a definition are written a second time, with open lengths."""


@pytest.mark.filterwarnings("ignore")
def test_written_samples_are_valid_and_have_our_results() -> None:
    faults = {
        name: outcome
        for name, outcome in outcomes().items()
        if outcome.kind in ("invalid", "wrong") and name not in REFERENCE_FAULTS
    }
    assert not faults, "\n".join(f"{name}: {outcome.kind}: {outcome.reason}" for name, outcome in faults.items())
    assert {outcomes()[name].kind for name in REFERENCE_FAULTS} <= {"wrong"}, "take these out of REFERENCE_FAULTS"


@pytest.mark.filterwarnings("ignore")
def test_samples_with_open_lengths_are_refused_or_have_our_results() -> None:
    taken: Counter[tuple[str, int | str]] = Counter()
    faults = []
    for name, sample in SAMPLES.items():
        taken[sample.type, sample.version] += 1
        if taken[sample.type, sample.version] > SAMPLES_WITH_OPEN_LENGTHS or name in REFERENCE_FAULTS:
            continue
        outcome = outcome_of(sample, is_open=True)
        if outcome.kind in ("invalid", "wrong"):
            faults.append(f"{name}: {outcome.kind}: {outcome.reason}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("opset", [11, 12, 13, 17, onnx.defs.onnx_opset_version()])
@pytest.mark.filterwarnings("ignore")
def test_samples_in_older_and_newer_opsets_are_refused_or_have_our_results(opset: int) -> None:
    taken: Counter[tuple[str, int | str]] = Counter()
    faults, written = [], 0
    for name, sample in SAMPLES.items():
        taken[sample.type, sample.version] += 1
        if taken[sample.type, sample.version] > SAMPLES_OF_OTHER_OPSETS:
            continue
        outcome = outcome_of(sample, opset=opset)
        written += outcome.kind == "equal"
        if outcome.kind == "refused":
            assert any(start in outcome.reason for start in ('layer "', 'input "', 'output "')), name
        if outcome.kind in ("invalid", "wrong") and name not in {**REFERENCE_FAULTS, **REFERENCE_FAULTS_BY_OPSET}:
            faults.append(f"{name}: {outcome.kind}: {outcome.reason}")
    assert not faults, "\n".join(faults)
    assert written > len(taken), "samples that are equal, of all definitions"


@pytest.mark.parametrize("opset", [11, 12, 13])
@pytest.mark.parametrize("axis", [0, 1, -2, 3])
def test_softmax_is_along_one_axis_in_every_opset(opset: int, axis: int) -> None:
    x = ops.parameter([2, 3, 4, 5], ov.Type.f32, "x")
    model = ov.Model([ops.softmax(x, axis), ops.log_softmax(x, axis)], [x])
    data = np.sin(np.arange(120, dtype=np.float32)).reshape(2, 3, 4, 5)
    proto = onnx.ModelProto.FromString(onnx_bytes(model, opset))
    theirs = ReferenceEvaluator(proto).run(None, {"x": data})
    for ours, other in zip(ov.compile_model(model)(data).to_dict().values(), theirs, strict=True):
        np.testing.assert_allclose(ours, other, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_the_page_of_written_operations_is_current() -> None:
    assert PAGE.read_text("utf-8") == text(), "run python -m tests.onnx_writer.report"
