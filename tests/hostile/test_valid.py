"""No false alarms: valid IRs give no finding at all."""

from __future__ import annotations

from pathlib import Path

import onnx
import openvino as ov
import pytest

from ir_plugin import Core
from tests.fuzz.bases import all_bases

LIGHT = sorted((Path(onnx.__file__).parent / "backend/test/data/light").glob("*.onnx"))


def test_bases_shipped_samples_and_layers_of_all_operations() -> None:
    core = Core()
    found = {name: list(core.validate(xml, weights).findings) for name, xml, weights in all_bases()}
    assert {name: findings for name, findings in found.items() if findings} == {}


@pytest.mark.parametrize("path", LIGHT, ids=lambda path: path.stem)
def test_models_of_onnx_as_openvino_saves_them(path: Path, tmp_path: Path) -> None:
    model = ov.Core().read_model(path)
    for compressed in (True, False):
        saved = tmp_path / f"{compressed}.xml"
        ov.save_model(model, saved, compress_to_fp16=compressed)
        assert list(Core().validate(saved).findings) == []
