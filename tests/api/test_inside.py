"""Inside a run: intermediate values, steps, and printing."""

from __future__ import annotations

import numpy as np
import pytest

import ir_plugin
from ir_plugin import CompiledModel, InputError
from ir_plugin.tensors import Array
from tests.api.models import WEIGHTS, in_a_loop, two_inputs
from tests.support.changed import DIGITS

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4)
Y = np.array([0.5, -0.5, 0.25], np.float32).reshape(1, 3, 1)
SCALED = X * np.array([1, 2, 3], np.float32).reshape(1, 3, 1)


@pytest.fixture
def compiled() -> CompiledModel:
    return ir_plugin.Core().compile_model(two_inputs(), weights=WEIGHTS)


def test_every_layer(compiled: CompiledModel) -> None:
    layers = compiled([X, Y], intermediate=True)
    assert list(layers) == ["scaled", "sum", "relu", "split:0", "split:1", "split:2"]
    np.testing.assert_array_equal(layers["scaled"], SCALED)
    np.testing.assert_array_equal(layers["scaled_0"], SCALED)
    np.testing.assert_array_equal(layers["split_2"], np.maximum(SCALED + Y, 0)[:, 2:])
    np.testing.assert_array_equal(layers[compiled.model.results[0].inputs[0].get_source_output()], layers["split"])
    np.testing.assert_array_equal(layers["split", 1], layers["split:1"])
    assert layers.results is not None
    np.testing.assert_allclose(layers.results["relu_0"], compiled([X, Y])["relu_0"], rtol=1e-6)
    with pytest.raises(KeyError, match='did you mean "relu"'):
        layers["relo"]


def test_globs_and_constants(compiled: CompiledModel) -> None:
    assert list(compiled.intermediates([X, Y], layers="s*")) == ["scaled", "sum", "split:0", "split:1", "split:2"]
    assert list(compiled.intermediates([X, Y], layers=["w", "*elu"])) == ["w", "relu"]
    with pytest.raises(InputError, match="the model has no layer 'conv\\*'"):
        compiled.intermediates([X, Y], layers="conv*")


def test_stops_after_a_layer(compiled: CompiledModel) -> None:
    layers = compiled.intermediates([X, Y], stop_after="sum")
    assert list(layers) == ["scaled", "sum"]
    assert layers.results is None
    with pytest.raises(InputError, match="no layer 'sun'"):
        compiled.intermediates([X, Y], stop_after="sun")


def test_iterations_of_bodies() -> None:
    compiled = ir_plugin.Core().compile_model(in_a_loop())
    x, start = np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((1, 2), np.float32)
    layers = compiled.intermediates([x, start], layers=["total", "loop"])
    assert list(layers) == ["loop[0]/total", "loop[1]/total", "loop[2]/total", "loop"]
    np.testing.assert_array_equal(layers["loop[1]/total"], [[3, 5]])
    np.testing.assert_array_equal(layers["loop[1]/total_0"], [[3, 5]])
    np.testing.assert_array_equal(layers["loop"], compiled([x, start])[0])
    stopped = compiled.intermediates([x, start], layers="total", stop_after="loop[[]1]/total")
    assert list(stopped) == ["loop[0]/total", "loop[1]/total"]


def test_prints(compiled: CompiledModel, capsys: pytest.CaptureFixture[str]) -> None:
    compiled([X, Y], verbose=1)
    assert "Multiply(x, w) -> scaled\n" in capsys.readouterr().out
    compiled([X, Y], verbose=2)
    assert " + scaled:0: float32[1, 3, 4] -1.0, " in capsys.readouterr().out


def test_steps(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    names = []
    for layer, inputs, outputs in request.steps([X, Y]):
        names.append(layer.friendly_name)
        assert all(array is not None for array in inputs)
        if layer.friendly_name == "scaled":
            outputs[0] = np.full((1, 3, 4), 2, np.float32)
    assert [name for name in names if name not in ("w", "axis")] == ["scaled", "sum", "relu", "split", "first", "whole"]
    np.testing.assert_array_equal(request.results["relu_0"], np.broadcast_to(2 + Y, (1, 3, 4)))
    np.testing.assert_allclose(request.infer([X, Y])["relu_0"], np.maximum(SCALED + Y, 0), rtol=1e-6)


@pytest.mark.parametrize("wrong", [np.zeros((1, 3, 5), np.float32), np.zeros((1, 3, 4), complex)])
def test_a_step_cannot_change_shape_or_kind(compiled: CompiledModel, wrong: Array) -> None:
    with pytest.raises(InputError, match='output 0 of "scaled" is replaced by'):
        replace(compiled, wrong)


def replace(compiled: CompiledModel, array: Array) -> None:
    for layer, _, outputs in compiled.create_infer_request().steps([X, Y]):
        if layer.friendly_name == "scaled":
            outputs[0] = array


def test_steps_may_be_left(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    steps = request.steps([X, Y])
    next(steps)
    with pytest.raises(ir_plugin.Error, match="running"):
        request.infer([X, Y])
    steps.close()  # type: ignore[attr-defined]
    request.infer([X, Y])


def test_steps_of_bodies() -> None:
    request = ir_plugin.Core().compile_model(in_a_loop()).create_infer_request()
    x, start = np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((1, 2), np.float32)
    names = []
    for run in request.steps([x, start], bodies=True):
        names.append(run.name)
        if run.name == "loop[1]/total":
            np.testing.assert_array_equal(run.inputs[0], x[1:2])
            run.outputs[0] = np.full((1, 2), 100, np.float32)
    totals = [f"loop[{iteration}]/{name}" for iteration in range(3) for name in ("total", "after")]
    assert names == [*totals, "loop", "out"]
    np.testing.assert_array_equal(request.results[0], [[104, 105]])
    assert [run.name for run in request.steps([x, start])] == ["loop", "out"]
    np.testing.assert_array_equal(request.results[0], x.sum(axis=0, keepdims=True) + start)


@pytest.mark.parametrize("wrong", [np.zeros((1, 3), np.float32), np.zeros((1, 2), complex)])
def test_a_step_of_a_body_cannot_change_shape_or_kind(wrong: Array) -> None:
    request = ir_plugin.Core().compile_model(in_a_loop()).create_infer_request()
    steps = request.steps([np.ones((3, 2)), np.ones((1, 2))], bodies=True)
    next(steps).outputs[0] = wrong
    with pytest.raises(InputError, match='output 0 of "total" is replaced by'):
        next(steps)
    steps.close()  # type: ignore[attr-defined]
    request.infer([np.ones((3, 2)), np.ones((1, 2))])


def test_seconds_of_a_loop_are_those_of_its_layers_and_its_own() -> None:
    compiled = ir_plugin.Core().compile_model(in_a_loop())
    runs = compiled.intermediates([np.ones((3, 2)), np.ones((1, 2))], layers="*").runs
    inner = sum(run.seconds for run in runs if run.frames)
    assert next(run.seconds for run in runs if run.name == "loop") >= inner > 0


def test_what_does_not_fit_names_the_layer() -> None:
    model = ir_plugin.read_model(DIGITS)
    model.reshape([-1, 1, -1, -1])
    with pytest.raises(ir_plugin.ValidationError, match="layer "):
        ir_plugin.compile_model(model).intermediates(np.zeros((1, 1, 1, 1), np.float32))
