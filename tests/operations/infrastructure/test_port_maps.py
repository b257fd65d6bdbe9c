"""Port maps as files have them, written by hand: cases that OpenVINO's Python interface cannot build."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest

from ir_plugin import Core, Error
from ir_plugin.tensors import Array


def iota(*shape: int) -> Array:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def port(id: int, precision: str = "") -> str:
    return f'<port id="{id}" precision="{precision}"/>' if precision else f'<port id="{id}"/>'


def layer(
    id: int, type: str, inputs: str = "", outputs: str = "", data: str = "", more: str = "", opset: int = 1
) -> str:
    parts = [f"<data {data}/>" if data else "", more]
    parts += [f"<input>{inputs}</input>" if inputs else "", f"<output>{outputs}</output>" if outputs else ""]
    return f'<layer id="{id}" name="{type}{id}" type="{type}" version="opset{opset}">{"".join(parts)}</layer>'


def parameter(id: int, shape: str, type: str = "f32") -> str:
    precision = {"f32": "FP32", "i64": "I64", "i32": "I32", "boolean": "BOOL"}[type]
    return layer(id, "Parameter", outputs=port(0, precision), data=f'shape="{shape}" element_type="{type}"')


def result(id: int) -> str:
    return layer(id, "Result", port(0))


def add(id: int) -> str:
    return layer(id, "Add", port(0) + port(1), port(2, "FP32"), 'auto_broadcast="numpy"')


def edges(*ends: tuple[int, int, int, int]) -> str:
    return "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in ends)


def graph(tag: str, layers: list[str], links: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}><layers>{''.join(layers)}</layers><edges>{links}</edges></{tag}>"


def net(layers: list[str], links: str) -> bytes:
    return graph("net", layers, links, ' name="m" version="11"').encode()


SUM = [parameter(7, "1,3"), parameter(5, "1,3"), add(9), result(2), result(11)]
"""The layers of a body: the sum of a slice (7) and a state (5), as results 2 and 11."""
SUM_EDGES = edges((7, 0, 9, 0), (5, 0, 9, 1), (9, 2, 2, 0), (9, 2, 11, 0))


def iterator(entries: str, back: str, ids: tuple[int, int, int, int] = (0, 1, 2, 3)) -> bytes:
    """Return a TensorIterator; `ids` are its ports, which `entries` names d, s, l and e."""
    more = f"<port_map>{entries.format(**dict(zip('dsle', ids, strict=True)))}</port_map>{back}"
    more += graph("body", SUM, SUM_EDGES)
    outputs = port(ids[2], "FP32") + port(ids[3], "FP32")
    layers = [
        parameter(0, "4,3"), parameter(1, "1,3"),
        layer(2, "TensorIterator", port(ids[0]) + port(ids[1]), outputs, more=more), result(3), result(4),
    ]  # fmt: skip
    return net(layers, edges((0, 0, 2, ids[0]), (1, 0, 2, ids[1]), (2, ids[2], 3, 0), (2, ids[3], 4, 0)))


BACK = '<back_edges><edge from-layer="2" from-port="0" to-layer="5" to-port="0"/></back_edges>'
STATE = '<input external_port_id="{s}" internal_layer_id="5"/>'


def compare(ir: bytes, feeds: list[Array], values: bool = True) -> list[Array]:
    ours, theirs = Core().read_model(ir), ov.Core().read_model(ir, b"")
    assert [str(port.partial_shape) for port in ours.outputs] == [str(port.partial_shape) for port in theirs.outputs]
    results = list(Core().compile_model(ours)(feeds).to_tuple())
    if values:
        expected = ov.Core().compile_model(theirs, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(feeds)
        for index, array in enumerate(results):
            np.testing.assert_allclose(array, expected[index], rtol=1e-6)
    return results


SLICES = {
    "nothing but the axis": 'axis="0"',
    "as the model optimizer wrote it": 'axis="0" start="0" stride="1" part_size="1"',
    "all said": 'axis="0" start="0" end="-1" stride="1" part_size="1"',
    "backwards": 'axis="0" start="-1" end="0" stride="-1" part_size="1"',
}


@pytest.mark.parametrize("output", SLICES)
@pytest.mark.parametrize("input", SLICES)
def test_slices_as_files_write_them(input: str, output: str) -> None:
    entries = (
        f'<output external_port_id="{{e}}" internal_layer_id="11" {SLICES[output]}/>'
        f'<input external_port_id="{{d}}" internal_layer_id="7" {SLICES[input]}/>'
        f'{STATE}<output external_port_id="{{l}}" internal_layer_id="2"/>'
    )
    data = iota(4, 3)[::-1] if input == "backwards" else iota(4, 3)
    sums = data.cumsum(axis=0) + iota(1, 3)
    compare(iterator(entries, BACK), [iota(4, 3), iota(1, 3)])
    # OpenVINO takes the ids of input ports for positions
    compiled = Core().compile_model(iterator(entries, BACK, (6, 3, 12, 10)))
    last, joined = compiled([iota(4, 3), iota(1, 3)]).to_tuple()
    np.testing.assert_array_equal(last, sums[-1:])
    np.testing.assert_array_equal(joined, sums[::-1] if output == "backwards" else sums)


def test_without_a_back_edge_an_input_is_the_same_in_every_iteration() -> None:
    entries = (
        '<input external_port_id="{d}" internal_layer_id="7" axis="0"/>'
        + STATE
        + '<output external_port_id="{l}" internal_layer_id="2"/>'
        '<output external_port_id="{e}" internal_layer_id="11" axis="0"/>'
    )
    results = compare(iterator(entries, ""), [iota(4, 3), iota(1, 3)])
    np.testing.assert_array_equal(results[1], iota(4, 3) + iota(1, 3))


def test_without_an_axis_there_is_one_iteration() -> None:
    entries = (
        '<input external_port_id="{d}" internal_layer_id="7"/>' + STATE + '<output external_port_id="{l}" '
        'internal_layer_id="2"/><output external_port_id="{e}" internal_layer_id="11" axis="0"/>'
    )
    core, source = Core(), iterator(entries, BACK)
    assert [finding.code for finding in core.validate(source).findings.errors] == ["IR210"]
    results = core.compile_model(core.read_model(source, validate=False))([iota(4, 3), iota(1, 3)])
    np.testing.assert_array_equal(results[1], iota(4, 3) + iota(1, 3))


def test_a_parameter_without_a_value_is_refused() -> None:
    entries = (
        '<input external_port_id="{d}" internal_layer_id="7" axis="0"/>'
        '<output external_port_id="{l}" internal_layer_id="2"/>'
        '<output external_port_id="{e}" internal_layer_id="11" axis="0"/>'
    )
    with pytest.raises(Error, match="IR210"):
        Core().read_model(iterator(entries, BACK))


def loop(purposes: str, counter: str = "i64", shape: str = "") -> bytes:
    """Return a Loop whose body adds an input and the state, and continues while an input condition holds."""
    convert = layer(3, "Convert", port(0), port(1, "FP32"), 'destination_type="f32"')
    body = [
        parameter(0, "1,3"), parameter(1, shape, counter), parameter(2, "", "boolean"), convert, add(4),
        result(5), result(6),
    ]  # fmt: skip
    links = edges((1, 0, 3, 0), (0, 0, 4, 0), (3, 1, 4, 1), (4, 2, 5, 0), (2, 0, 6, 0))
    entries = (
        '<output external_port_id="4" internal_layer_id="5"/>'
        '<input external_port_id="2" internal_layer_id="0"/><input external_port_id="3" internal_layer_id="2"/>'
        '<output external_port_id="5" internal_layer_id="5" axis="0"/>' + purposes
    )
    back = '<back_edges><edge from-layer="5" to-layer="0"/></back_edges>'
    more = f"<port_map>{entries}</port_map>{back}{graph('body', body, links)}"
    ports = "".join(map(port, range(4)))
    layers = [
        parameter(0, "", "i64"), parameter(1, "", "boolean"), parameter(2, "1,3"), parameter(3, "", "boolean"),
        layer(4, "Loop", ports, port(4, "FP32") + port(5, "FP32"), more=more, opset=5), result(5), result(6),
    ]  # fmt: skip
    links = edges(*((id, 0, 4, id) for id in range(4)), (4, 4, 5, 0), (4, 5, 6, 0))
    return net(layers, links)


COUNTER = '<input external_port_id="-1" internal_layer_id="1" purpose="current_iteration"/>'
CONDITION = '<output external_port_id="-1" internal_layer_id="6" purpose="execution_condition"/>'


@pytest.mark.parametrize("trip", [0, 1, 4])
@pytest.mark.parametrize("begin", [True, False])
@pytest.mark.parametrize("condition", [True, False])
def test_a_loop_is_made_as_often_as_trip_count_and_conditions_say(trip: int, begin: bool, condition: bool) -> None:
    feeds: list[Any] = [np.int64(trip), np.bool_(begin), iota(1, 3), np.bool_(condition)]
    last, joined = Core().compile_model(loop(COUNTER + CONDITION))([np.asarray(feed) for feed in feeds]).to_tuple()
    state, states, go = iota(1, 3), [], begin
    for iteration in range(trip):
        if not go:
            break
        state = state + np.float32(iteration)
        states.append(state)
        go = condition
    np.testing.assert_array_equal(last, state)
    np.testing.assert_array_equal(joined, np.concatenate([np.zeros((0, 3), np.float32), *states]))


@pytest.mark.parametrize("counter", ["i64", "i32"])
@pytest.mark.parametrize("shape", ["", "1"])
def test_the_purposes_of_a_loop(counter: str, shape: str) -> None:
    feeds = [np.array(4), np.array(True), iota(1, 3), np.array(True)]
    compare(loop(CONDITION + COUNTER, counter, shape), feeds)


def test_a_loop_without_a_condition_is_refused() -> None:
    with pytest.raises(Error, match="IR210"):
        Core().read_model(loop(COUNTER))
    with pytest.raises(Error, match="execution_condition"):
        Core().compile_model(Core().read_model(loop(COUNTER), validate=False))(
            [np.array(4), np.array(True), iota(1, 3), np.array(True)]
        )


def choice(then: str, otherwise: str, then_map: str, else_map: str) -> bytes:
    more = f"<then_port_map>{then_map}</then_port_map><else_port_map>{else_map}</else_port_map>{then}{otherwise}"
    layers = [
        parameter(0, "", "boolean"), parameter(1, "?,3"), parameter(2, "2,3"),
        layer(3, "If", port(0) + port(1) + port(2), port(3, "FP32") + port(4, "FP32"), more=more, opset=8),
        result(4), result(5),
    ]  # fmt: skip
    return net(layers, edges((0, 0, 3, 0), (1, 0, 3, 1), (2, 0, 3, 2), (3, 3, 4, 0), (3, 4, 5, 0)))


def test_bodies_use_the_inputs_they_like_and_give_outputs_in_any_order() -> None:
    then = graph("then_body", [parameter(0, "?,3"), parameter(1, "2,3"), add(2), result(3), result(4)],
                 edges((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (1, 0, 4, 0)))  # fmt: skip
    otherwise = graph("else_body", [parameter(0, "2,3"), result(1), result(2)], edges((0, 0, 1, 0), (0, 0, 2, 0)))
    ir = choice(
        then, otherwise,
        '<input external_port_id="2" internal_layer_id="1"/><input external_port_id="1" internal_layer_id="0"/>'
        '<output external_port_id="4" internal_layer_id="4"/><output external_port_id="3" internal_layer_id="3"/>',
        '<input external_port_id="2" internal_layer_id="0"/>'
        '<output external_port_id="3" internal_layer_id="1"/><output external_port_id="4" internal_layer_id="2"/>',
    )  # fmt: skip
    for cond in (True, False):
        results = compare(ir, [np.array(cond), iota(1, 3) + 1, iota(2, 3)])
        np.testing.assert_array_equal(results[0], iota(2, 3) + (iota(1, 3) + 1 if cond else 0))


def test_types_of_the_bodies_must_agree() -> None:
    then = graph("then_body", [parameter(0, "?,3"), result(1), result(2)], edges((0, 0, 1, 0), (0, 0, 2, 0)))
    convert = layer(3, "Convert", port(0), port(1, "I32"), 'destination_type="i32"')
    otherwise = graph("else_body", [parameter(0, "2,3"), convert, result(1), result(2)],
                  edges((0, 0, 3, 0), (3, 1, 1, 0), (3, 1, 2, 0)))  # fmt: skip
    outputs = '<output external_port_id="3" internal_layer_id="1"/><output external_port_id="4" internal_layer_id="2"/>'
    ir = choice(
        then, otherwise, f'<input external_port_id="1" internal_layer_id="0"/>{outputs}',
        f'<input external_port_id="2" internal_layer_id="0"/>{outputs}',
    )  # fmt: skip
    (message,) = [finding.message for finding in Core().validate(ir).findings.errors]
    assert message == "output 0 has the type f32 in then_body, i32 in else_body"


def test_a_fault_inside_a_body_is_reported_once_and_there() -> None:
    entries = (
        '<input external_port_id="{d}" internal_layer_id="7" axis="1"/>'
        + STATE
        + '<output external_port_id="{l}" internal_layer_id="2"/>'
        '<output external_port_id="{e}" internal_layer_id="11" axis="1"/>'
    )
    findings = Core().validate(iterator(entries, BACK).replace(b'shape="1,3"', b'shape="5,3"')).findings.errors
    (finding,) = findings
    assert finding.code == "IR210"
    assert finding.layer is not None
    assert (finding.layer.type, finding.layer.id) == ("Parameter", "7")
    assert finding.layer.path == ("TensorIterator2",)
