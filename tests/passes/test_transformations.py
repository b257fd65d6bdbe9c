"""What transformations leave is an IR that OpenVINO reads, and computes the numbers of before from."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import _offline_transformations as offline
from ir_plugin import opset13 as ops
from tests.compiler.passes.test_activation_fusion import FUSED
from tests.support.changed import DIGITS

openvino = pytest.importorskip("openvino")

RNG = np.random.default_rng(3)
EXACT = {"INFERENCE_PRECISION_HINT": "f32"}


def network() -> ov.Model:
    x = ops.parameter([-1, 3, 8, 8], np.float32, name="x")
    weights = ops.constant(RNG.standard_normal((4, 3, 3, 3)).astype(np.float32))
    conv = ops.convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1], name="conv")
    act = ops.multiply(conv, ops.sigmoid(conv), name="swish")
    shape = ops.concat([ops.gather(ops.shape_of(act), [0], 0), np.array([-1])], 0)
    flat = ops.reshape(ops.transpose(ops.transpose(act, [0, 2, 3, 1]), [0, 3, 1, 2]), shape, False, name="flat")
    dense = ops.matmul(flat, RNG.standard_normal((144, 5)).astype(np.float32), False, False, name="dense")
    biased = ops.add(ops.add(dense, np.array([1, 2, 3, 4, 5], np.float32)), np.array([0.5], np.float32), name="biased")
    return ov.Model(
        [ops.result(ops.softmax(biased, 1, name="p"), name="out"), ops.result(act, name="features")], [x], "net"
    )


def series(kind: str, gates: int, states: int, direction: str, length: int = 4) -> ov.Model:
    def weights(*shape: int) -> Any:
        return ops.constant(RNG.standard_normal(shape).astype(np.float32))

    x = ops.parameter([2, length, 3], np.float32, name="x")
    initial = [ops.parameter([2, 1, 4], np.float32, name=f"s{index}") for index in range(states)]
    lengths = ops.constant(np.full(2, length, np.int32))
    own = weights(1, gates * 4, 3), weights(1, gates * 4, 4), weights(1, gates * 4)
    node = getattr(ops, kind)(x, *initial, lengths, *own, 4, direction)
    return ov.Model([ops.result(port, name=f"o{port.index}") for port in node.outputs], [x, *initial], kind)


def replace_lengths(model: ov.Model, lengths: list[int]) -> None:
    constants = [node for node in model.get_ops() if node.get_type_name() == "Constant"]
    old = next(node for node in constants if node.element_type == ov.Type.i32)
    old.output(0).replace(ops.constant(np.array(lengths, np.int32)).output(0))


def inputs_of(model: ov.Model) -> list[np.ndarray[Any, Any]]:
    shapes = [port.partial_shape.get_min_shape() for port in model.inputs]
    return [RNG.standard_normal([max(length, 1) for length in shape]).astype(np.float32) for shape in shapes]


TRANSFORMATIONS: dict[str, Callable[[ov.Model], Any]] = {
    "moc": lambda model: offline.apply_moc_transformations(model, True),
    "moc without folding of shapes": lambda model: offline.apply_moc_transformations(model, False),
    "folding": lambda model: ov.passes.ConstantFolding().run_on_model(model),
    "loops": offline.convert_sequence_to_tensor_iterator_transformation,
    "pruning of nothing": offline.apply_pruning_transformation,
    "legacy": lambda model: offline.apply_moc_legacy_transformations(model, []),
}
MODELS: dict[str, Callable[[], ov.Model]] = {
    "network": network,
    "digits": lambda: ov.Core().read_model(DIGITS),
    "lstm": lambda: series("lstm_sequence", 4, 2, "forward"),
    "lstm from the end": lambda: series("lstm_sequence", 4, 2, "reverse"),
    "gru": lambda: series("gru_sequence", 3, 1, "forward"),
    "rnn": lambda: series("rnn_sequence", 1, 1, "forward"),
}


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("name", MODELS)
def test_results_stay(name: str, transformation: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    inputs = inputs_of(model)
    before = [np.array(value) for value in ov.compile_model(model)(inputs).values()]
    TRANSFORMATIONS[transformation](model)
    model.validate_nodes_and_infer_types()
    ov.serialize(model, tmp_path / "m.xml")
    theirs = openvino.compile_model(tmp_path / "m.xml", "CPU", EXACT)(inputs)
    for old, new, other in zip(before, ov.compile_model(model)(inputs).values(), theirs.values(), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(other, old, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", FUSED)
def test_activations_that_the_compiler_fuses_become_one_node(name: str, tmp_path: Path) -> None:
    x = openvino.opset13.parameter([2, 3], np.float32)
    type, spell = FUSED[name]
    openvino.serialize(openvino.Model([spell(x)], [x], "m"), tmp_path / "m.xml")
    model = ov.Core().read_model(tmp_path / "m.xml")
    offline.apply_moc_transformations(model, True)
    assert [node.get_type_name() for node in model.get_ordered_ops()] == ["Parameter", type, "Result"]


@pytest.mark.parametrize("kind", [("lstm_sequence", 4, 2), ("gru_sequence", 3, 1), ("rnn_sequence", 1, 1)])
def test_a_sequence_runs_step_by_step(kind: tuple[str, int, int], tmp_path: Path) -> None:
    whole = series(*kind, "forward", 3)
    step = whole.clone()
    x, *states = inputs_of(whole)
    states = [np.zeros_like(state) for state in states]
    expected = ov.compile_model(whole)([x, *states])[0]
    step.reshape({"x": [2, 1, 3]} if step.inputs[0].names else {0: [2, 1, 3]})
    constant = next(
        node for node in step.get_ops() if node.get_type_name() == "Constant" and node.element_type == ov.Type.i32
    )
    constant.output(0).replace(ops.constant(np.ones(2, np.int32)).output(0))
    offline.apply_low_latency_transformation(step)
    ov.serialize(step, tmp_path / "m.xml")
    for library in (ov, openvino):
        request = library.Core().compile_model(tmp_path / "m.xml", "CPU", EXACT).create_infer_request()
        outputs = [np.array(request.infer([x[:, at : at + 1], *states])[0]) for at in range(3)]
        np.testing.assert_allclose(np.concatenate(outputs, axis=2), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "function", [offline.paged_attention_transformation, offline.stateful_to_stateless_transformation]
)
def test_what_is_not_offered_says_what_to_do(function: Callable[[ov.Model], None]) -> None:
    with pytest.raises(ov.AbsentError, match="openvino"):
        function(network())


def test_pruning_and_integer_weights_are_refused_where_they_would_apply() -> None:
    x = ops.parameter([1, 3], np.float32)
    weights = np.array([[1, 2, 3], [0, 0, 0]], np.float32)
    low, high = np.float32(-1), np.float32(1)
    pruned = ov.Model([ops.matmul(x, weights, False, True)], [x], "p")
    with pytest.raises(ov.AbsentError):
        offline.apply_pruning_transformation(pruned)
    quantized = ops.fake_quantize(ops.constant(weights), low, high, low, high, 255)
    with pytest.raises(ov.AbsentError):
        offline.compress_quantize_weights_transformation(ov.Model([ops.matmul(x, quantized, False, True)], [x], "q"))
    offline.compress_quantize_weights_transformation(pruned)


def test_sequences_of_two_directions_and_of_short_lengths_stay() -> None:
    model = series("lstm_sequence", 4, 2, "forward")
    constant = next(
        node for node in model.get_ops() if node.get_type_name() == "Constant" and node.element_type == ov.Type.i32
    )
    constant.output(0).replace(ops.constant(np.array([4, 2], np.int32)).output(0))
    offline.convert_sequence_to_tensor_iterator_transformation(model)
    assert "LSTMSequence" in [node.get_type_name() for node in model.get_ops()]


def test_subnormal_weights_become_zero() -> None:
    x = ops.parameter([1, 4], np.float32)
    total = ops.add(x, np.array([1, 2, -2e-45, 2e-45], np.float32))
    model = ov.Model([total], [x], "m")
    offline.apply_moc_transformations(model, cf=False, smart_reshape=True)
    assert total.input_value(1).node.data.tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize("starts_as_zeros", [True, False])
@pytest.mark.parametrize("length", [1, 5])
def test_low_latency_of_a_loop_is_openvinos(length: int, starts_as_zeros: bool, tmp_path: Path) -> None:
    write_iterator(tmp_path / "m.xml", length)
    outputs = []
    for library in (openvino, ov):
        transform = import_module(f"{library.__name__}._offline_transformations").apply_low_latency_transformation
        model = library.Core().read_model(tmp_path / "m.xml")
        transform(model, starts_as_zeros)
        request = library.compile_model(model, "CPU").create_infer_request()
        inputs = [np.arange(6 * length, dtype=np.float32).reshape(2, length, 3), np.full((2, 1, 3), 0.5, np.float32)]
        runs = [[value.tolist() for value in request.infer(inputs).values()] for _ in range(3)]
        variables = [variable.get_info().variable_id for variable in model.get_variables()]
        outputs.append((sorted(node.get_type_name() for node in model.get_ops()), variables, runs))
    assert outputs[0] == outputs[1]


def write_iterator(path: Path, length: int) -> None:
    """Write a TensorIterator that sums the slices of its input, made by OpenVINO."""
    opset = import_module("openvino.opset13")
    data, state = (opset.parameter(shape, np.float32) for shape in ([2, length, 3], [2, 1, 3]))
    part, before = (opset.parameter([2, 1, 3], np.float32) for _ in range(2))
    total = opset.add(part, before)
    iterator = opset.tensor_iterator()
    iterator.set_friendly_name("sum")
    iterator.set_body(openvino.Model([total], [part, before], "body"))
    iterator.set_sliced_input(part, data.output(0), 0, 1, 1, -1, 1)
    iterator.set_merged_input(before, state.output(0), total.output(0))
    last = iterator.get_iter_value(total.output(0), -1)
    every = iterator.get_concatenated_slices(total.output(0), 0, 1, 1, -1, 1)
    openvino.serialize(openvino.Model([opset.result(last), opset.result(every)], [data, state]), path)
