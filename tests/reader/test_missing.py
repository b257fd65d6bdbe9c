"""A path that names no file of a model: the message says what to write instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ir_plugin as ov
from ir_plugin.cli import check
from tests.reader.odd_files import FOREIGN, IR

HELP = {
    "openvino_modle.xml": "'openvino_model.xml' is there",
    "openvino_model.onnx": "'openvino_model.xml' is there",
    "model.xml": "give 'openvino_model.xml'",
    "models": "give 'openvino_model.xml'",
    "here": "give 'here/openvino_model.xml'",
    "several": "give 'several/a.xml' or 'several/b.onnx'",
    "none": "give the .xml or .onnx of a model",
    "none/model.xml": "give the .xml or .onnx of a model",
    "saved": "`ovc FOLDER` of OpenVINO makes an IR of a TensorFlow SavedModel",
    "saved/openvino_model.xml": "`ovc FOLDER` of OpenVINO makes an IR of a TensorFlow SavedModel",
    "apple.mlpackage": "convert the model that the package was made from",
    "org/model": "the folder 'org' is missing",
    "far/away/model.xml": "the folder 'far/away' is missing",
    "https://example.org/model.xml": "download it, and give its path",
    "file:///model.onnx": "download it, and give its path",
    "C:\\models\\model.xml": "separates the folders of a path by /",
    "~/model.xml": "only a shell replaces ~",
    "link.xml": "a symbolic link to 'nowhere.xml', which leads to no file",
    "loop.onnx": "a symbolic link to 'loop.onnx', which leads to no file",
    "pipe.xml": "write what it gives to a file",
    "pipe.onnx": "write what it gives to a file",
    "a\0b.xml": "give 'openvino_model.xml'",
    "x" * 300 + ".xml": "give 'openvino_model.xml'",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("here/openvino_model.xml", "here/other.xml", "several/b.onnx", "several/a.xml", "openvino_model.xml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(IR)
    for name in ("none", "saved", "apple.mlpackage"):
        Path(name).mkdir()
    Path("saved/saved_model.pb").write_bytes(FOREIGN["a TensorFlow SavedModel"])
    Path("link.xml").symlink_to("nowhere.xml")
    Path("loop.onnx").symlink_to("loop.onnx")
    for name in ("pipe.xml", "pipe.onnx"):
        os.mkfifo(name)
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and links are those of POSIX")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", HELP)
def test_a_path_without_a_model_is_refused_with_a_way_out(path: str) -> None:
    with pytest.raises(ov.Error) as refused:
        ov.Core().read_model(path)
    (finding,) = refused.value.findings
    assert (finding.code, HELP[path] in finding.help, HELP[path] in str(refused.value)) == ("IR001", True, True)
    assert [(each.code, each.help) for each in ov.Core().validate(path).findings] == [("IR001", finding.help)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and links are those of POSIX")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", ["openvino_modle.xml", "none", "saved", "link.xml", "~/model.xml"])
def test_check_names_the_way_out(path: str) -> None:
    files, (finding,) = check._files([path])
    assert (files, HELP[path] in finding.help) == ([], True)
