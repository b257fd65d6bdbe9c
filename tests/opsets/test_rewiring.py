"""Graphs are rewired as with OpenVINO, and stay as they are where a change is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino.opset13 as their_ops
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.errors import InputError
from ir_plugin.model import graph
from tests.support.changed import DIGITS


def shapes(model: Any) -> list[str]:
    return [str(port.get_partial_shape()).replace(" ", "") for port in model.outputs]


def names(model: Any) -> set[str]:
    return {node.get_friendly_name() for node in model.get_ordered_ops() if node.get_type_name() != "Result"}


def rewired(library: Any, opset: Any) -> list[Any]:
    """Return what a library shows of a model after each change."""
    x = opset.parameter([2, 3], np.float32, name="x")
    relu = opset.relu(x, name="relu")
    last = opset.abs(relu, name="last")
    model, negative = library.Model([last], [x], "m"), opset.negative(x, name="negative")
    shown: list[Any] = []
    last.input(0).replace_source_output(negative.output(0))
    shown.append((names(model), len(relu.output(0).get_target_inputs())))
    negative.output(0).replace(relu.output(0))
    shown.append(names(model))
    y = opset.parameter([5], np.float32, name="y")
    model.add_parameters([y])
    model.add_results([opset.result(opset.exp(y, name="exp"))])
    shown.append((len(model.inputs), model.get_parameter_index(y), shapes(model)))
    other = opset.parameter([4, 3], np.float32, name="other")
    model.replace_parameter(0, other)
    model.validate_nodes_and_infer_types()
    shown.append((shapes(model), [node.get_friendly_name() for node in model.get_parameters()]))
    last.set_argument(0, other.output(0))
    library.utils.replace_node(last, opset.sqrt(other, name="sqrt"))
    model.validate_nodes_and_infer_types()
    inputs = [np.full((4, 3), 4, np.float32), np.zeros(5, np.float32)]
    results = library.Core().compile_model(model, "CPU")(inputs)
    return [*shown, names(model), [np.asarray(array).tolist() for array in results.to_tuple()]]


def test_rewiring_is_openvinos() -> None:
    assert rewired(ov, ops) == rewired(openvino, their_ops)


def test_a_model_that_was_read_is_rewired_and_saved(tmp_path: Path) -> None:
    model = ov.Core().read_model(DIGITS)
    scores = model.get_result().input_value(0)
    model.get_result().input(0).replace_source_output(ops.log(scores, name="log").output(0))
    model.validate_nodes_and_infer_types()
    images = np.random.default_rng(0).standard_normal((2, 1, 8, 8)).astype(np.float32)
    plain = ov.compile_model(ov.Core().read_model(DIGITS))([images])[0]
    np.testing.assert_allclose(ov.compile_model(model)([images])[0], np.log(plain), rtol=1e-5)
    ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    theirs = openvino.Core().compile_model(tmp_path / "m.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    np.testing.assert_allclose(theirs([images])[0], np.log(plain), rtol=1e-4)


def test_a_cycle_is_refused_and_nothing_changes() -> None:
    x = ops.parameter([2], np.float32)
    first = ops.relu(x)
    second = ops.abs(first)
    with pytest.raises(InputError, match="which is computed from it"):
        first.input(0).replace_source_output(second.output(0))
    with pytest.raises(InputError, match="which is computed from it"):
        first.output(0).replace(second.output(0))
    assert first.input_value(0) == x.output(0)
    assert [port.node for port in first.output(0).get_target_inputs()] == [second]
    assert ov.compile_model(ov.Model([second], [x]))([np.array([-1, 2], np.float32)])[0].tolist() == [0, 2]


def test_what_does_not_fit_is_refused() -> None:
    x, y = ops.parameter([2], np.float32, name="x"), ops.parameter([2], np.float32, name="y")
    node = ops.relu(x)
    model = ov.Model([node], [x])
    with pytest.raises(InputError, match="has 2 connected inputs; Relu has 1"):
        node.set_arguments([x, y])
    with pytest.raises(TypeError):
        node.set_argument(0, 3)  # type: ignore[arg-type] # the test is of the wrong type
    with pytest.raises(InputError, match="not among its inputs: y"):
        model.add_results([ops.result(ops.abs(y))])
    assert len(model.outputs) == 1
    with pytest.raises(InputError, match="is not a Parameter"):
        model.replace_parameter(0, node)
    with pytest.raises(IndexError):
        model.replace_parameter(3, y)
    with pytest.raises(InputError, match="has 2"):
        ov.utils.replace_node(node, ops.topk(x, 1, 0, "max", "value"))


@pytest.mark.parametrize("seed", range(30))
def test_an_input_may_read_what_is_not_computed_from_its_node(seed: int) -> None:
    random = np.random.default_rng(seed)
    nodes = [ops.parameter([2], np.float32)]
    sources = [list[int]()]
    for _ in range(9):
        read = random.integers(0, len(nodes), 2).tolist()
        nodes.append(ops.add(nodes[read[0]], nodes[read[1]]))
        sources.append(read)
    for _ in range(20):
        node, source = (int(number) for number in random.integers(1, 10, 2))
        upstream, waiting = {source}, [source]
        while waiting:
            reached = {*sources[waiting.pop()]} - upstream
            upstream |= reached
            waiting += reached
        port = nodes[node].input(int(random.integers(0, 2)))
        if node in upstream:
            with pytest.raises(InputError, match="which is computed from it"):
                port.replace_source_output(nodes[source].output(0))
        else:
            port.replace_source_output(nodes[source].output(0))
            sources[node][port.get_index()] = source
    assert [[nodes.index(node.input_value(slot).node) for slot in (0, 1)] for node in nodes[1:]] == sources[1:]


def test_a_thread_sees_nodes_that_another_one_is_looking_for(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ops.parameter([2], np.float32)
    model = ov.Model([ops.relu(x)], [x])
    model.get_result().input(0).replace_source_output(ops.abs(x).output(0))
    order_of_nodes, seen = graph._order_of, list[list[str]]()

    def types() -> list[str]:
        return sorted(node.type for node in model.nodes)

    def interrupted(*arguments: Any) -> Any:
        monkeypatch.setattr(graph, "_order_of", order_of_nodes)
        seen.append(types())
        return order_of_nodes(*arguments)

    monkeypatch.setattr(graph, "_order_of", interrupted)
    assert types() == seen[0] == ["Abs", "Parameter", "Relu", "Result"]
