"""Reduction: planted faults come to the layers that they are made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.openvino.surgery.anonymity import anonymous
from ir_plugin.openvino.surgery.edits import STRUCTURE, WEIGHTS
from ir_plugin.openvino.surgery.reduction import Reduction

BLOCKS = 60
PLANTED = 37


def chain() -> ov.Model:
    """Return a network of 302 layers, one of which is a Sinh."""
    rng = np.random.default_rng(0)
    parameter = ops.parameter([1, 4, 8, 8], np.float32, name="image")
    value = parameter.output(0)
    for index in range(BLOCKS):
        weight = ops.convert(ops.constant(rng.normal(size=(4, 4, 3, 3)).astype(np.float16)), "f32")
        convolution = ops.convolution(value, weight, [1, 1], [1, 1], [1, 1], [1, 1], name=f"convolution{index}")
        activation = ops.sinh(convolution) if index == PLANTED else ops.relu(convolution)
        value = ops.add(activation, value, name=f"block{index}").output(0)
    return ov.Model([value], [parameter], "chain")


def types(model: ov.Model) -> list[str]:
    return [node.get_type_name() for node in model.get_ordered_ops()]


def reduced(model: ov.Model, holds: Callable[[ov.Model], bool], *, weights: bool = False) -> Reduction:
    reduction = Reduction(model, holds, (*STRUCTURE, *WEIGHTS) if weights else STRUCTURE)
    reduction.run()
    assert holds(reduction.model)
    return reduction


def test_a_layer_among_three_hundred() -> None:
    model = chain()
    assert len(model.nodes) > 300
    reduction = reduced(model, lambda part: "Sinh" in types(part))
    assert types(reduction.model) == ["Parameter", "Sinh", "Result"]
    assert reduction.runs <= 25
    assert len(model.nodes) > 300, "the model itself changes"


def test_a_layer_and_what_it_reads() -> None:
    def holds(part: ov.Model) -> bool:
        sources = [node.input_value(0).node for node in part.get_ops() if node.get_type_name() == "Sinh"]
        return any(source.get_type_name() == "Convolution" for source in sources)

    reduction = reduced(chain(), holds, weights=True)
    assert types(reduction.model) == ["Parameter", "Constant", "Convolution", "Sinh", "Result"]
    constant = next(node for node in reduction.model.get_ops() if node.get_type_name() == "Constant")
    assert not constant.data.any()
    assert reduction.model.inputs[0].shape == [1, 4, 1, 1]


def test_a_weight_that_spoils_the_results() -> None:
    rng = np.random.default_rng(0)
    parameter = ops.parameter([1, 4, 8, 8], np.float32)
    value = parameter.output(0)
    for index in range(75):
        weight = rng.normal(size=(4, 4, 1, 1)).astype(np.float32)
        weight[3, 2] = np.nan if index == PLANTED else weight[3, 2]
        convolution = ops.convolution(value, ops.constant(weight), [1, 1], [0, 0], [0, 0], [1, 1])
        value = ops.add(ops.relu(convolution), value).output(0)

    def holds(part: ov.Model) -> bool:
        arrays = [np.ones(port.shape, np.float32) for port in part.inputs]
        results = ov.compile_model(part, config={"PROVIDER": "numpy"})(arrays)
        return any(bool(np.isnan(array).any()) for array in results.values())

    model = ov.Model([value], [parameter], "spoiled")
    assert len(model.nodes) > 300
    assert types(reduced(model, holds).model) == ["Parameter", "Constant", "Convolution", "Result"]


def test_weights_stay_where_they_make_the_fault() -> None:
    def holds(part: ov.Model) -> bool:
        return any(node.get_type_name() == "Constant" and (node.data < -1).any() for node in part.get_ops())

    constant = next(
        node for node in reduced(chain(), holds, weights=True).model.get_ops() if node.get_type_name() == "Constant"
    )
    assert (constant.data < -1).any()


def test_layers_far_apart_stay_connected_where_the_path_counts() -> None:
    def holds(part: ov.Model) -> bool:
        waiting = [node for node in part.get_ops() if node.get_friendly_name() == f"block{BLOCKS - 1}"]
        seen = set(waiting)
        while waiting:
            sources = {port.node for port in waiting.pop().input_values()} - seen
            seen |= sources
            waiting += sources
        return any(node.get_type_name() == "Sinh" for node in seen)

    assert types(reduced(chain(), holds).model) == ["Parameter", "Sinh", "Add", "Result"]


def test_one_of_several_outputs() -> None:
    parameter = ops.parameter([2, 8], np.float32)
    parts = ops.split(parameter, 1, 4)
    model = ov.Model([ops.exp(parts.output(index)) for index in range(4)], [parameter], "outputs")
    reduction = reduced(model, lambda part: "Split" in types(part))
    assert sorted(types(reduction.model)) == ["Constant", "Parameter", "Result", "Split"]


def test_known_values_become_constants() -> None:
    parameter = ops.parameter([2, 8], np.float32)
    lengths = ops.gather(ops.shape_of(ops.exp(parameter)), [1, 0], 0)
    model = ov.Model([ops.reshape(ops.sin(parameter), lengths, False)], [parameter], "lengths")
    reduction = reduced(model, lambda part: part.outputs[0].partial_shape == ov.PartialShape([8, 2]))
    assert types(reduction.model) == ["Parameter", "Constant", "Reshape", "Result"]


def test_a_variable_goes_or_stays_whole() -> None:
    parameter = ops.parameter([1, 3], np.float32)
    state = ops.read_value(ops.constant(np.zeros((1, 3), np.float32)), "state", ov.Type.f32, [1, 3])
    total = ops.add(ops.exp(parameter), state)
    model = ov.Model([ops.sin(total)], [ops.assign(total, "state")], [parameter], "variables")
    without = reduced(model, lambda part: "Sin" in types(part)).model
    assert types(without) == ["Parameter", "Sin", "Result"]
    whole = reduced(model, lambda part: "ReadValue" in types(part) and "Sin" in types(part)).model
    assert len(whole.get_sinks()) == 1
    assert "Exp" not in types(whole)


def test_a_body_becomes_the_model() -> None:
    outer = ops.parameter([4, 2], np.float32)
    inner = ops.parameter([1, 2], np.float32)
    body = ov.Model([ops.sinh(ops.exp(inner))], [inner], "body")
    loop = ops.tensor_iterator()
    loop.set_body(body)
    loop.set_sliced_input(inner, outer.output(0), 0, 1, 1, -1, 0)
    output = loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)
    model = ov.Model([ops.exp(output)], [outer], "iterator")

    def holds(part: ov.Model) -> bool:
        bodies = [subgraph.body for _, _, subgraph in part.bodies()]
        return any(node.get_type_name() == "Sinh" for graph in (part, *bodies) for node in graph.nodes)

    assert types(reduced(model, holds).model) == ["Parameter", "Sinh", "Result"]


def test_equal_inputs_become_one() -> None:
    parameters = [ops.parameter([2, 3], np.float32) for _ in range(9)]
    model = ov.Model([ops.concat([*parameters], 0)], parameters, "inputs")
    assert types(reduced(model, lambda part: "Concat" in types(part)).model) == ["Parameter", "Concat", "Result"]


def test_the_bound_on_runs_and_an_interrupt_leave_the_smallest() -> None:
    bounded = Reduction(chain(), lambda part: "Sinh" in types(part), max_runs=2)
    bounded.run()
    assert bounded.runs == 2
    assert bounded.is_exhausted

    def holds(part: ov.Model) -> bool:
        if len(part.nodes) < 100:
            raise KeyboardInterrupt
        return "Sinh" in types(part)

    interrupted = Reduction(chain(), holds)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run()
    assert 100 <= len(interrupted.model.nodes) < 300


def test_parts_can_be_written_and_run(tmp_path: Path) -> None:
    tried: list[ov.Model] = []

    def holds(part: ov.Model) -> bool:
        tried.append(part)
        return "Sinh" in types(part)

    reduced(chain(), holds)
    for part in tried[:8]:
        ov.serialize(part, tmp_path / "part.xml")
        again = ov.Core().read_model(tmp_path / "part.xml")
        arrays = [np.ones(port.shape, np.float32) for port in again.inputs]
        assert len(ov.compile_model(again)(arrays)) == len(part.outputs)


def test_anonymous_models_compute_the_same(tmp_path: Path) -> None:
    parameter = ops.parameter([2, 3], np.float32, name="secret input")
    parameter.output(0).set_names({"secret tensor"})
    parameter.set_layout(ov.Layout("NC"))
    state = ops.read_value(ops.constant(np.ones((2, 3), np.float32)), "secret state", ov.Type.f32, [2, 3])
    total = ops.add(parameter, state, name="secret sum")
    total.get_rt_info()["secret"] = "secret"
    model = ov.Model([total], [ops.assign(total, "secret state")], [parameter], "secret model")
    model.set_rt_info("secret", "secret")
    plain = anonymous(model)
    ov.serialize(plain, tmp_path / "plain.xml")
    text = (tmp_path / "plain.xml").read_text()
    assert "secret" not in text
    assert 'layout="[N,C]"' in text
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    compiled = [ov.compile_model(each) for each in (model, ov.Core().read_model(tmp_path / "plain.xml"))]
    np.testing.assert_array_equal(compiled[0](array)[0], compiled[1](array)[0])
    assert total.get_friendly_name() == "secret sum"
