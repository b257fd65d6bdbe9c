"""Words that OpenVINO writes with capitals: they have no finding, and stay as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino
import pytest

from ir_plugin import Core
from ir_plugin.operations.registry import Registry
from ir_plugin.schema.catalogue import standard
from ir_plugin.validation.fix import fix_file
from tests.support.ir import build
from tests.support.sample import param

CENTER = "caffe.PriorBoxParameter.CENTER_SIZE"


def detection(code_type: str, **more: str) -> bytes:
    """Return a DetectionOutput with a code_type and other attributes."""
    inputs = [param(np.ones(shape, np.float32)) for shape in ((1, 40), (1, 20), (1, 2, 40))]
    attributes = {
        "keep_top_k": "5", "nms_threshold": "0.5", "code_type": code_type, "normalized": "true", "top_k": "10",
        "share_location": "true", "background_label_id": "0", **more,
    }  # fmt: skip
    return build("DetectionOutput", 8, inputs, attributes, 1).xml


def findings_of(xml: bytes) -> list[tuple[str, str, str]]:
    return [(each.code, each.severity, each.message) for each in Core().validate(xml, b"").findings]


def test_a_word_with_capitals_has_no_finding_beside_a_fault() -> None:
    message = 'the operation has no attribute "colour"; OpenVINO ignores it'
    assert findings_of(detection(CENTER)) == []
    assert findings_of(detection(CENTER, colour="red")) == [("IR101", "warning", message)]


@pytest.mark.parametrize("word", [CENTER.lower(), CENTER.upper()])
def test_another_letter_case_is_an_error_as_openvino_refuses_it(word: str) -> None:
    message = f"attribute \"code_type\": '{word}' is usually written '{CENTER}'"
    assert findings_of(detection(word)) == [("IR106", "error", message)]
    with pytest.raises(RuntimeError, match="code_type"):
        openvino.Core().read_model(detection(word), b"")


@pytest.mark.parametrize("word", [CENTER, CENTER.lower(), "caffe.PriorBoxParameter.CENTRE_SIZE"])
def test_a_fix_writes_the_word_with_capitals(word: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(detection(word))
    fix_file(path, Registry(), standard()).write()
    assert path.read_bytes() == detection(CENTER)
