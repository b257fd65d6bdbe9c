"""ReadValue and Assign: the value of a variable at the start of an inference and after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset3 as op3
import openvino.opset6 as op6
import pytest

from ir_plugin import Core, Error
from ir_plugin.tensors import Array


def row(*values: float) -> Array:
    return np.array([values], np.float32)


def accumulating(shape: str, initial: str | None, data: str = "1,2", type: Any = ov.Type.f32) -> Any:
    """Build a model that adds its input to a variable and returns the values before and after."""
    parameters = [op6.parameter(ov.PartialShape(data), np.float32, name="data")]
    if initial is None:
        variable = op6.read_value("v", type, ov.PartialShape(shape))
    else:
        parameters.append(op6.parameter(ov.PartialShape(initial), np.float32, name="initial"))
        variable = op6.read_value(parameters[1], "v", type, ov.PartialShape(shape))
    added = op6.add(variable, parameters[0])
    before = op6.result(op6.multiply(variable, op6.constant(np.float32(1))))
    return ov.Model([before, op6.result(added)], [op6.assign(added, "v")], parameters)


def old_accumulating() -> Any:
    data = op3.parameter([1, 2], np.float32, name="data")
    variable = op3.read_value(op3.constant(row(5, 6)), "v")
    added = op3.add(variable, data)
    return ov.Model([op3.result(added)], [op3.assign(added, "v")], [data])


def growing() -> Any:
    """Build a model that appends its input to a variable, as caches of language models do."""
    data = op6.parameter(ov.PartialShape("?,2"), np.float32, name="data")
    variable = op6.read_value("cache", ov.Type.f32, ov.PartialShape("?,2"))
    longer = op6.concat([variable, data], 0)
    return ov.Model([op6.result(longer)], [op6.assign(longer, "cache")], [data])


def requests(model: Any, tmp_path: Path, **config: Any) -> tuple[Any, Any]:
    file = tmp_path / "model.xml"
    ov.serialize(model, file)
    ours, theirs = Core().read_model(file), ov.Core().read_model(file)
    assert [str(port.partial_shape) for port in ours.outputs] == [str(port.partial_shape) for port in theirs.outputs]
    settings = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = ov.Core().compile_model(theirs, "CPU", settings)
    return Core().compile_model(ours, config).create_infer_request(), compiled.create_infer_request()


STATEFUL: dict[str, tuple[Any, list[list[Array]]]] = {
    "zeros": (lambda: accumulating("1,2", None), [[row(1, 2)], [row(3, 4)], [row(5, 6)]]),
    "an initial value": (
        lambda: accumulating("1,2", "1,2"),
        [[row(1, 2), row(10, 20)], [row(3, 4), row(0, 0)], [row(5, 6), row(7, 7)]],
    ),
    "a wider variable": (lambda: accumulating("?,2", "1,2"), [[row(1, 2), row(3, 3)], [row(3, 4), row(9, 9)]]),
    "version 3": (old_accumulating, [[row(1, 2)], [row(3, 4)], [row(5, 6)]]),
    "growing": (growing, [[row(1, 2)], [np.ones((2, 2), np.float32)], [row(5, 6)]]),
}


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", STATEFUL)
def test_keeps_a_state_from_inference_to_inference(name: str, optimize: bool, tmp_path: Path) -> None:
    make, feeds = STATEFUL[name]
    ours, theirs = requests(make(), tmp_path, OPTIMIZE=optimize)
    for _ in range(2):
        for arrays in feeds:
            outputs, expected = ours.infer(arrays), theirs.infer(arrays)
            for index in range(len(expected)):
                np.testing.assert_array_equal(outputs[index], expected[index])
        ours.reset_state()
        theirs.reset_state()


def test_memory_that_is_used_again_does_not_change_the_state(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    weights = op6.constant(random.standard_normal((8, 8, 3, 3)).astype(np.float32))
    data = op6.parameter([1, 8, 16, 16], np.float32)
    layers = [data]
    for _ in range(4):
        pads, strides = [1, 1], [1, 1]
        layers.append(op6.relu(op6.convolution(layers[-1], weights, strides, pads, pads, strides)))
    variable = op6.read_value("v", ov.Type.f32, ov.PartialShape([1, 8, 16, 16]))
    model = ov.Model([op6.result(variable), op6.result(layers[-1])], [op6.assign(layers[1], "v")], [data])
    file = tmp_path / "model.xml"
    ov.serialize(model, file)
    fast, plain = (Core().compile_model(file, {"OPTIMIZE": on}).create_infer_request() for on in (True, False))
    for _ in range(3):
        array = random.standard_normal((1, 8, 16, 16)).astype(np.float32)
        outputs, expected = fast.infer([array]), plain.infer([array])
        np.testing.assert_allclose(outputs[0], expected[0], rtol=1e-3, atol=1e-3)
        outputs[0][:] = np.nan


def test_requests_have_states_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    ov.serialize(accumulating("1,2", None), file)
    compiled = Core().compile_model(file)
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    first.infer([row(1, 2)])
    np.testing.assert_array_equal(second.infer([row(3, 4)])[1], row(3, 4))
    np.testing.assert_array_equal(first.infer([row(3, 4)])[1], row(4, 6))


IR = """<net name="state" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="{data}" element_type="{type}"/>
<output><port id="0" precision="FP32"/></output></layer>
{readers}
<layer id="8" name="assign" type="Assign" version="opset{version}"><data variable_id="v"/>
<input><port id="0"/></input>{output}</layer>
{results}</layers><edges>
<edge from-layer="0" from-port="0" to-layer="8" to-port="0"/>{edges}</edges></net>"""

READER = """<layer id="{id}" name="read{id}" type="ReadValue" version="opset6">
<data variable_id="v" variable_type="f32" variable_shape="{shape}"/>
<output><port id="0" precision="FP32"/></output></layer>"""
RESULT = '<layer id="{id}" name="r{id}" type="Result" version="opset1"><input><port id="0"/></input></layer>'
EDGE = '<edge from-layer="{source}" from-port="0" to-layer="{target}" to-port="0"/>'
OUTPUT = '<output><port id="1" precision="FP32"/></output>'


def text(shape: str = "1,2", data: str = "1,2", type: str = "f32", readers: int = 1, output: str = OUTPUT) -> bytes:
    ids = range(1, 1 + readers)
    return IR.format(
        data=data,
        type=type,
        version=6,
        output=output,
        readers="".join(READER.format(id=id, shape=shape) for id in ids),
        results="".join(RESULT.format(id=10 + id) for id in ids),
        edges="".join(EDGE.format(source=id, target=10 + id) for id in ids),
    ).encode()


def test_a_variable_that_is_read_twice_is_what_it_was_at_the_start() -> None:
    request = Core().compile_model(text(readers=2)).create_infer_request()
    for expected, data in ((row(0, 0), row(1, 2)), (row(1, 2), row(3, 4)), (row(3, 4), row(5, 6))):
        outputs = request.infer([data])
        np.testing.assert_array_equal(outputs[0], expected)
        np.testing.assert_array_equal(outputs[1], expected)


def test_an_assign_need_not_have_an_output() -> None:
    request = Core().compile_model(text(output="")).create_infer_request()
    request.infer([row(1, 2)])
    np.testing.assert_array_equal(request.infer([row(3, 4)])[0], row(1, 2))


def test_dimensions_that_are_not_static_begin_with_the_least() -> None:
    request = Core().compile_model(text("?,2", "?,2")).create_infer_request()
    assert request.infer([np.ones((3, 2), np.float32)])[0].shape == (0, 2)
    assert request.infer([np.ones((1, 2), np.float32)])[0].shape == (3, 2)


def messages(ir: bytes) -> list[str]:
    return [finding.message for finding in Core().validate(ir).findings.errors]


def test_what_is_assigned_must_fit_the_variable() -> None:
    assert messages(text(data="3,2")) == ['new_value has the shape [3,2], the variable "v" [1,2]']
    mistyped = text(type="i32", output="").replace(b'"FP32"', b'"I32"', 1)
    assert messages(mistyped) == ['new_value has the type i32, the variable "v" f32']
    assert messages(text("1..3,?", "2..5,2")) == []


def test_what_is_assigned_in_a_run_must_fit_the_variable() -> None:
    request = Core().compile_model(text("1,2", "?,2")).create_infer_request()
    request.infer([row(1, 2)])
    with pytest.raises(Error, match=r"new_value has the shape \[3,2\]"):
        request.infer([np.ones((3, 2), np.float32)])


def test_a_variable_without_rank_has_no_initial_value() -> None:
    request = Core().compile_model(text("...")).create_infer_request()
    with pytest.raises(Error, match="has no value"):
        request.infer([row(1, 2)])


@pytest.mark.parametrize(
    ("shape", "initial", "type", "says"),
    [
        ("1,2", "?,2", "f32", "does not hold all shapes of init_value, [?,2]"),
        ("3,2", "1,2", "f32", "variable_shape [3,2] does not hold"),
        ("1,2", "1,2", "f16", "variable_type is f16, init_value has the type f32"),
    ],
)
def test_a_variable_must_hold_its_initial_value(shape: str, initial: str, type: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    ov.serialize(accumulating("?,2", "1,2" if initial == "1,2" else "?,2"), file)
    ir = file.read_text("utf-8").replace('variable_shape="?,2"', f'variable_shape="{shape}"')
    ir = ir.replace('variable_type="f32"', f'variable_type="{type}"')
    assert any(says in message for message in messages_of(ir, file)), messages_of(ir, file)


def messages_of(ir: str, file: Path) -> list[str]:
    findings = Core().validate(ir.encode(), file.with_suffix(".bin").read_bytes()).findings.errors
    return [finding.message for finding in findings]
