"""Graphs that are built with the functions of opsets: OpenVINO reads them, and computes what we compute."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino.opset13 as their_ops
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.errors import ArgumentTypeError, InputError, ValidationError
from tests.support.work import counted_lines

RNG = np.random.default_rng(2)
X = RNG.standard_normal((2, 3, 8, 8)).astype(np.float32)


def small(library: Any) -> Any:
    """Return a convolution with bias and activation behind an arithmetic of nodes."""
    x = library.parameter([2, 3, -1, 8], np.float32, name="x")
    weights = library.constant(np.random.default_rng(3).standard_normal((4, 3, 3, 3)).astype(np.float32))
    half, two = (library.constant(np.array([number], np.float32)) for number in (0.5, 2))
    y = library.convolution((x - half) * two, weights, [1, 1], [1, 1], [1, 1], [1, 1])
    flat = library.reshape(library.relu(y), np.array([0, 4, -1]), True)
    scores, positions = library.topk(flat, library.constant(3), 2, "max", "value").outputs()
    means = library.reduce_mean(flat, [1], keep_dims=True)
    return [library.softmax(scores, -1, name="scores").output(0), positions, means.output(0)], [x]


def agree(model: ov.Model, inputs: list[Any], folder: Path) -> None:
    """Hold a model's results against those of OpenVINO for the file that it is saved to, and their shapes."""
    ov.save_model(model, folder / "built.xml", compress_to_fp16=False)
    theirs = openvino.Core().read_model(folder / "built.xml")
    for mine, right in zip(model.outputs, theirs.outputs, strict=True):
        assert str(mine.partial_shape) == str(right.get_partial_shape()).replace(" ", "")
        assert mine.element_type.to_string() == right.get_element_type().to_string()
    precise = {"INFERENCE_PRECISION_HINT": "f32"}
    expected = openvino.Core().compile_model(theirs, "CPU", precise)(inputs)
    results = ov.compile_model(model)(inputs)
    for result, answer in zip(results.to_tuple(), expected.to_tuple(), strict=True):
        np.testing.assert_allclose(np.asarray(result), np.asarray(answer), rtol=1e-4, atol=1e-5)


def test_a_graph_is_what_openvino_builds_with_the_same_calls(tmp_path: Path) -> None:
    results, parameters = small(ops)
    model = ov.Model(results, parameters, "small")
    theirs = openvino.Model(*small(their_ops), "small")
    assert [str(port.partial_shape) for port in model.outputs] == [
        str(port.get_partial_shape()).replace(" ", "") for port in theirs.outputs
    ]
    agree(model, [X], tmp_path)


@pytest.mark.parametrize(
    "form",
    [
        lambda y, x: ov.Model([y], [x], "m"),
        lambda y, x: ov.Model(y, [x]),
        lambda y, x: ov.Model([ops.result(y)], [x]),
        lambda y, x: ov.Model([y.output(0)], [], [x], "m"),
        lambda y, x: ov.Model(results=[y], parameters=[x], name="m"),
        lambda y, x: ov.Model([y], [x], []),
    ],
)
def test_forms_of_models(form: Any) -> None:
    x = ops.parameter([2], np.float32)
    model = form(ops.abs(x), x)
    assert len(model.inputs) == len(model.outputs) == 1
    assert ov.compile_model(model)([np.array([-1, 2], np.float32)])[0].tolist() == [1, 2]


def test_a_model_names_what_is_wrong() -> None:
    x, y = ops.parameter([2], np.float32, name="x"), ops.parameter([2], np.float32, name="y")
    with pytest.raises(InputError, match="reads Parameters that are not listed: y"):
        ov.Model([x + y], [x])
    with pytest.raises(ArgumentTypeError, match="results and parameters"):
        ov.Model("m")
    with pytest.raises(TypeError):
        ov.Model([3], [x])


def test_a_node_that_does_not_fit_names_the_line() -> None:
    x = ops.parameter([2, 3], np.float32)
    with pytest.raises(ValidationError, match=rf"{Path(__file__).name}:\d+: layer .*6 elements"):
        ops.reshape(x, [4], False)
    assert not x.output(0).get_target_inputs()
    with pytest.raises(ArgumentTypeError, match="missing a required argument: 'alpha'"):
        ops.elu(x)  # type: ignore[call-arg] # the test is of what is missing
    with pytest.raises(InputError, match="attribute 'mode'"):
        ops.topk(x, 1, 0, "largest", "value")
    with pytest.raises(AttributeError, match='did you mean "relu"'):
        ops.rel(x)  # type: ignore[attr-defined] # the test is of the name


def test_nodes_without_samples_of_their_own() -> None:
    data, state = ops.parameter([2, 3], np.float32), ops.parameter([2, 4], np.float32)
    w, r, b = (ops.parameter(shape, np.float32) for shape in ([4, 3], [4, 4], [4]))
    cell = ov.opset3.rnn_cell(data, state, w, r, b, 4, ["tanh"], [], [])
    assert str(cell.output(0).partial_shape) == "[2,4]"
    image, boxes = ops.parameter([1, 3, 8, 8], np.float32), ops.parameter([5, 5], np.float32)
    assert str(ov.opset2.roi_pooling(image, boxes, [2, 2], 0.5).output(0).partial_shape) == "[5,3,2,2]"
    texts = ops.parameter([3], ov.Type.string)
    types = [port.element_type.to_string() for port in ov.opset15.string_tensor_unpack(texts).outputs()]
    assert types == ["i32", "i32", "u8"]


def test_values_go_through_what_is_built() -> None:
    x = ops.parameter([2, -1, 4], np.float32)
    length = ops.gather(ops.shape_of(x), [2], 0)
    assert str(ops.reshape(x, ops.concat([length, ops.constant([-1])], 0), False).output(0).partial_shape) == "[4,?]"


def test_the_work_of_building_grows_as_nodes_do() -> None:
    lines = []
    for length in (500, 2000):
        node = ops.relu(ops.parameter([2], np.float32))
        with counted_lines() as count:
            for _ in range(length):
                node = ops.relu(node)
        lines.append(count())
        assert str(node.output(0).partial_shape) == "[2]"
    assert lines[1] < 5 * lines[0]


def test_every_opset_has_its_functions() -> None:
    for number in range(1, 18):
        names = set(dir(getattr(ov, f"opset{number}")))
        assert {"parameter", "constant", "result", "relu", "add"} <= names
    assert "erfinv" in dir(ov.opset17)
    assert "erfinv" not in dir(ov.opset16)
    assert "softmax" in (ops.softmax.__doc__ or "").lower()


UNARY = ["relu", "sigmoid", "abs", "tanh", "exp", "floor", "negative"]
BINARY = ["add", "multiply", "subtract", "maximum", "minimum"]


@given(st.data())
def test_random_graphs(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A random graph is read by OpenVINO, which infers the same shapes and computes the same numbers."""
    x, y = ops.parameter([2, -1, 3], np.float32), ops.parameter([1, 4, 1], np.float32)
    nodes = [x, y]
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            nodes.append(getattr(ops, data.draw(st.sampled_from(UNARY)))(data.draw(st.sampled_from(nodes))))
        else:
            pair = [data.draw(st.sampled_from(nodes)) for _ in range(2)]
            nodes.append(getattr(ops, data.draw(st.sampled_from(BINARY)))(*pair))
    inputs = [np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32) for shape in ((2, 4, 3), (1, 4, 1))]
    agree(ov.Model([nodes[-1], nodes[-2]], [x, y]), inputs, tmp_path_factory.mktemp("random"))


def run_a_model(width: int) -> weakref.ref[ov.Model]:
    """Return a reference to a model that has run and has no other reference."""
    x = ops.parameter([1, width], np.float32)
    weights = ops.constant(np.ones((width, 2 * width + 1), np.float32))
    model = ov.Model([ops.matmul(x, weights, False, False)], [x])
    ov.compile_model(model)(np.ones((1, width), np.float32))
    return weakref.ref(model)


def test_models_free_their_memory() -> None:
    width = 611
    models = [run_a_model(width) for _ in range(3)]
    gc.collect()
    assert [model() for model in models] == [None] * 3
    sizes = {array.size for item in gc.get_objects() for array in gc.get_referents(item) if type(array) is np.ndarray}
    assert not sizes & {width * (2 * width + 1), 2 * width + 1, width}
