"""Version 10 models, run: their inputs and outputs have the types that OpenVINO gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest

import ir_plugin
from ir_plugin.tensors import ElementType

TYPES = [type.name for type in ElementType.all if type.is_static]


def through(type: str, version: int) -> bytes:
    """Return a model that hands its input on, by a layer of its own as names would be shared otherwise."""
    ports = [f'<port id="{id}" precision="{ElementType(type).precision}"><dim>2</dim></port>' for id in (0, 1)]
    return (
        f'<net name="n" version="{version}"><layers><layer id="0" name="p" type="Parameter" version="opset1">'
        f'<data shape="2" element_type="{type}"/><output>{ports[0]}</output></layer>'
        '<layer id="2" name="joined" type="Concat" version="opset1"><data axis="0"/>'
        f"<input>{ports[0]}</input><output>{ports[1]}</output></layer>"
        f'<layer id="1" name="r" type="Result" version="opset1"><input>{ports[0]}</input></layer></layers>'
        '<edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>'
        '<edge from-layer="2" from-port="1" to-layer="1" to-port="0"/></edges><rt_info/></net>'
    ).encode()


def ends(model: Any) -> list[tuple[str, str, set[str]]]:
    ports = [*model.inputs, *model.outputs]
    return [(port.element_type.to_string(), str(port.partial_shape), set(port.names)) for port in ports]


@pytest.mark.parametrize("version", [10, 11])
@pytest.mark.parametrize("type", TYPES)
def test_types_of_inputs_and_outputs(type: str, version: int) -> None:
    xml = through(type, version)
    try:
        theirs = ov.Core().read_model(xml, b"")
    except RuntimeError:
        pytest.fail(f"OpenVINO does not read {type}")
    compiled = ir_plugin.Core().compile_model(xml)
    assert ends(compiled) == ends(theirs)
    read = ir_plugin.Core().read_model(xml)
    assert [port.element_type.name for port in (*read.inputs, *read.outputs)] == [type, type]


@pytest.mark.parametrize("type", ["boolean", "f16", "f32", "f64", "i8", "i32", "i64", "u8", "u32", "u64"])
def test_values(type: str) -> None:
    xml = through(type, 10)
    value = np.array([1, 0], ElementType(type).dtype)
    config = {"INFERENCE_PRECISION_HINT": "f32"}
    theirs = ov.Core().compile_model(ov.Core().read_model(xml, b""), "CPU", config)
    result, expected = ir_plugin.Core().compile_model(xml)([value])[0], theirs([value])[0]
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_an_f16_input_takes_f32() -> None:
    compiled = ir_plugin.Core().compile_model(through("f16", 10))
    assert compiled.input().element_type is ElementType.f32
    result = compiled({"p": np.array([1.5, 70000], np.float32)})[0]
    assert result.tolist() == [1.5, np.inf]
    request = compiled.create_infer_request()
    assert request.get_input_tensor().element_type is ElementType.f32
    assert request.get_output_tensor().element_type is ElementType.f32
