"""An invalid attribute hides no wrong element type of an input of its layer, and causes no finding by itself."""

from __future__ import annotations

import pytest

import ir_plugin as ov

NET = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/><output>
<port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="a" type="Parameter" version="opset1"><data shape="1" element_type="{type}"/><output>
<port id="0" precision="{precision}"><dim>1</dim></port></output></layer>
<layer id="2" name="r" type="ReduceMean" version="opset1"><data keep_dims="{keep}"/><input>
<port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port><port id="1" precision="{precision}"><dim>1</dim></port>
</input><output><port id="2" precision="FP32">{dims}</port></output></layer>
<layer id="3" name="o" type="Result" version="opset1"><input><port id="0" precision="FP32">{dims}</port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
DIMS = "<dim>-1</dim><dim>-1</dim>"


@pytest.mark.parametrize(
    ("keep", "type", "precision", "codes"),
    [
        ("maybe", "f16", "FP16", ["IR109", "IR301"]),
        ("true", "f16", "FP16", ["IR301"]),
        ("maybe", "i64", "I64", ["IR109"]),
        ("true", "i64", "I64", []),
    ],
)
def test_both_are_reported_at_once(keep: str, type: str, precision: str, codes: list[str]) -> None:
    text = NET.format(keep=keep, type=type, precision=precision, dims=DIMS)
    assert sorted(finding.code for finding in ov.Core().validate(text.encode()).findings) == codes
