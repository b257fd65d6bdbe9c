"""What a notebook shows of objects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ir_plugin
from ir_plugin.openvino.api.html import array_table
from tests.support.changed import DIGITS


@pytest.fixture(scope="module")
def compiled() -> ir_plugin.CompiledModel:
    return ir_plugin.compile_model(DIGITS)


def test_compiled_model(compiled: ir_plugin.CompiledModel) -> None:
    html = compiled._repr_html_()
    for text in ("<b>digits</b>", "images", "[?,1,8,8]", "probabilities", "3 Convolution"):
        assert text in html


def test_results_and_intermediates(compiled: ir_plugin.CompiledModel) -> None:
    image = np.zeros((1, 1, 8, 8), np.float32)
    assert "<td style=text-align:left>[1,10]</td>" in compiled(image)._repr_html_()
    inside = compiled(image, intermediate=True)
    html = inside._repr_html_()
    assert html.count("<tr>") == len(inside) + 1
    assert "conv1/relu" in html


@pytest.mark.filterwarnings("error")
def test_arrays_of_all_kinds() -> None:
    arrays = {
        "<b>": np.array([1, np.nan, np.inf], np.float32),
        "none": np.zeros((0, 3), np.float32),
        "text": np.array(["a", "b"]),
        "huge": np.full(4, 1.7e308),
        "flags": np.array([True, False]),
        "all": np.full(2, np.nan, np.float32),
        "half": np.ones(3, ir_plugin.Type.bf16.dtype),
    }
    html = array_table("x\u202e", arrays)
    assert "<b>&lt;" not in html
    assert "&lt;b&gt;" in html
    assert "\u202e" not in html
    for text in ("string", "boolean", "bf16", ">2</td>"):
        assert text in html
    assert "150 more" in array_table("", {str(index): np.zeros(1) for index in range(250)})


def test_reports(tmp_path: Path) -> None:
    clean = ir_plugin.validate(DIGITS)
    assert str(clean) == f"{DIGITS}: no findings"
    assert repr(clean.findings) == "<Findings: none>"
    (tmp_path / "m.xml").write_text("<net/>")
    report = ir_plugin.validate(tmp_path / "m.xml")
    assert repr(report) == f"<Report: {tmp_path / 'm.xml'}, 1 error>"
    assert repr(report.findings) == "<Findings: IR006>"
    assert str(report).startswith("error[IR006]: <net> has no version")
    assert report._repr_html_().startswith("<pre>error[IR006]: &lt;net&gt; has no version")
