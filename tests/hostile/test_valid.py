"""No false alarms: valid IRs give no finding, but for what OpenVINO takes against the specification."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import onnx
import openvino as ov
import pytest

from ir_plugin import Core
from ir_plugin.diagnostics import Finding
from ir_plugin.validation.check import Report
from tests.fuzz.bases import all_bases
from tests.support.collect import samples
from tests.support.ir import build

MOST = 2
"""Samples of one definition that are looked at."""

LIGHT = sorted((Path(onnx.__file__).parent / "backend/test/data/light").glob("*.onnx"))


def alarms(report: Report) -> list[Finding]:
    """Return the findings but for warnings of types, channels and words that OpenVINO takes against the page."""
    return [found for found in report.findings if found.severity == "error" or found.code not in ("IR105", "IR307")]


def test_bases_shipped_samples_and_layers_of_all_operations() -> None:
    core = Core()
    found = {name: alarms(core.validate(xml, weights)) for name, xml, weights in all_bases()}
    assert {name: findings for name, findings in found.items() if findings} == {}


def test_layers_of_all_operations_as_openvino_writes_them(tmp_path: Path) -> None:
    judge, core, path = ov.Core(), Core(), tmp_path / "model.xml"
    seen: Counter[tuple[str, int | str]] = Counter()
    wrong = {}
    for name, sample in samples():
        seen[sample.type, sample.version] += 1
        if sample.openvino_shapes or seen[sample.type, sample.version] > MOST:
            continue
        ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs)
        ov.serialize(judge.read_model(ir.xml, ir.weights), path, path.with_suffix(".bin"))
        if findings := alarms(core.validate(path)):
            wrong[name] = findings
    assert wrong == {}


@pytest.mark.parametrize("path", LIGHT, ids=lambda path: path.stem)
def test_models_of_onnx_as_openvino_saves_them(path: Path, tmp_path: Path) -> None:
    model = ov.Core().read_model(path)
    for compressed in (True, False):
        saved = tmp_path / f"{compressed}.xml"
        ov.save_model(model, saved, compress_to_fp16=compressed)
        assert list(Core().validate(saved).findings) == []
