"""Layers into which OpenVINO's plugins change a model are named for what they are."""

from __future__ import annotations

import pytest

from ir_plugin import Core
from ir_plugin.diagnostics import Finding

IR = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="{type}" version="{version}">
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="z" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def finding_of(type: str, version: str) -> Finding:
    (finding,) = Core().validate(IR.format(type=type, version=version).encode()).findings.errors
    return finding


@pytest.mark.parametrize("type", ["PagedAttentionExtension", "MOE", "RoPE", "RMS", "GatherCompressed", "VLSDPA"])
@pytest.mark.parametrize("version", ["ie_internal_opset", "extension", "gpu_opset", "opset1"])
def test_an_operation_of_plugins_is_named_with_the_way_to_an_ir(type: str, version: str) -> None:
    finding = finding_of(type, version)
    assert finding.code == "IR501"
    assert finding.message == f"{type} is an operation of OpenVINO's plugins, in no public opset"
    assert "model cache" in finding.because
    assert "save_model" in finding.help


def test_a_name_of_other_formats_in_an_opset_is_still_translated() -> None:
    assert finding_of("FullyConnected", "opset1").help == 'did you mean "MatMul"?'
    assert "plugins" in finding_of("FullyConnected", "ie_internal_opset").message


def test_an_unknown_extension_is_not_one_of_plugins() -> None:
    assert "plugins" not in finding_of("MyOwn", "extension").message
