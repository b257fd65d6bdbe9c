"""The smallest failing IR, ONNX model or folder of every code, with the full text of what is said of it.

`UPDATE_SNAPSHOTS=1 pytest tests/findings` writes the texts anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ir_plugin import Core, Error
from ir_plugin.diagnostics import CODES, Finding
from ir_plugin.diagnostics.render import render
from ir_plugin.openvino.genai.check_folder import check_text_folder
from tests.findings.onnx_models import MODELS, write
from tests.findings.text_folders import FOLDERS
from tests.findings.text_folders import write as write_folder

HERE = Path(__file__).parent
RUN = ("IR701", "IR702")
"""Codes of the run: such a file is valid, and fails with inputs of zeros."""


def findings_of(code: str) -> list[Finding]:
    path = HERE / f"{code}.xml"
    if code not in RUN:
        return list(Core().validate(path).findings)
    try:
        model = Core().compile_model(path)
        model([np.zeros(port.partial_shape.get_min_shape(), port.element_type.dtype) for port in model.inputs])
    except Error as fault:
        return list(fault.findings)
    raise AssertionError(f"{path} runs")


IR_CODES = [code for code in CODES if code.startswith("IR")]


@pytest.mark.parametrize("code", IR_CODES)
def test_the_smallest_failing_ir_gives_its_code_and_this_text(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    monkeypatch.setattr(f"{__name__}.HERE", Path())
    found = findings_of(code)
    text = render(found)
    snapshot = Path(f"{code}.txt")
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, "utf-8")
    assert [finding.code for finding in found] == [code], text
    assert found[0].severity == CODES[code].severity
    assert text == snapshot.read_text("utf-8")


@pytest.mark.parametrize("code", MODELS)
def test_the_smallest_failing_onnx_model_gives_its_code_and_this_text(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = findings_of_onnx(code)
    text, snapshot = render(found), HERE / f"{code}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, "utf-8")
    assert [finding.code for finding in found] == [code], text
    assert text == snapshot.read_text("utf-8")
    assert found[0].severity == CODES[code].severity


@pytest.mark.parametrize("code", FOLDERS)
def test_the_smallest_failing_folder_gives_its_code_and_this_text(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = check_text_folder(write_folder(code, Path()))
    text, snapshot = render(found), HERE / f"{code}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, "utf-8")
    assert [finding.code for finding in found] == [code], text
    assert text == snapshot.read_text("utf-8")
    assert found[0].severity == CODES[code].severity


def test_every_code_of_folders_has_a_folder() -> None:
    assert list(FOLDERS) == [code for code in CODES if code.startswith("LM")]


def findings_of_onnx(code: str) -> list[Finding]:
    return list(Core().validate(write(code, Path())).findings)


def test_every_code_of_onnx_has_a_model() -> None:
    assert list(MODELS) == [code for code in CODES if code.startswith("ON")]


def test_every_file_here_belongs_to_a_code() -> None:
    stems = {path.stem for path in HERE.iterdir() if path.suffix in (".xml", ".bin", ".txt")}
    assert sorted(stems) == sorted(CODES)


def test_only_a_file_that_is_not_there_has_no_xml() -> None:
    assert [code for code in IR_CODES if not (HERE / f"{code}.xml").is_file()] == ["IR001"]
