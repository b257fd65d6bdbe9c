"""Random valid IRs: held against OpenVINO, and then mutated.

`TOLD` names the cases in which OpenVINO is no judge; everything else must agree.
"""

from __future__ import annotations

import random
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from openvino import opset1

from ir_plugin import Core, Error
from ir_plugin.tensors import Array, ElementType
from tests.fuzz.entries import feed
from tests.fuzz.graph import ValidIR
from tests.fuzz.mutate import garbled, mutated
from tests.fuzz.valid import grown, valid_irs
from tests.fuzz.words import grown_of_words

FEW = settings().max_examples
CASES = FEW if FEW < 1000 else FEW // 8
RTOL, ATOL = 1e-3, 1e-4
SMALL = 100
"""How much greater the error may be of what is rounded to f16 or bf16 after every layer."""

IDLE = "IR209"
"""What a body computes and nothing reads."""

TOLD = {
    "own shape": "the CPU plugin's result has a shape that OpenVINO's own inference excludes (Transpose of [1..3,1])",
    "static": "the CPU plugin gives something else for dynamic shapes than for the same shapes as static ones",
    "apart": "the CPU plugin gives something else for layers that it fuses, or lets share memory, than for each apart",
    "not compiled": "a transformation of OpenVINO's throws (a VariadicSplit behind a Convolution with strides; seed "
    "1535: a Convolution over the ReduceMax of a Concat of another one), or its CPU plugin has no Concat or Transpose "
    "of strings in this order",
    "one channel": "a Convolution of oneDNN is wrong for one channel, one place along the last axis, a stride and pads "
    "there (seed 2458677256); with a second channel of zeros it is right",
    "not finite": "a value left what f32 holds, and rounding decides where",
}

NOT_COMPILED = (
    "UnsupportedNodesStridesPropagation",
    "does not support string for use with oneDNN",
    "Check 'index < m_inputs.size()' failed",
)


@cache
def openvino_core() -> ov.Core:
    return ov.Core()


@settings(max_examples=CASES)
@given(valid_irs())
def test_a_valid_ir_is_read_inferred_and_computed_as_openvino_does(ir: ValidIR) -> None:
    note(ir.xml.decode())
    hold_against_openvino(ir)


def hold_against_openvino(ir: ValidIR) -> None:
    model = openvino_core().read_model(ir.xml, ir.weights)
    report = Core().validate(ir.xml, ir.weights)
    assert [found for found in report.findings if found.code != IDLE] == []
    assert report.model is not None
    theirs = {node.get_friendly_name(): [_shown(port) for port in node.outputs()] for node in model.get_ordered_ops()}
    for node in report.model.ordered():
        if node.type != "Result":
            mine = [f"{port.tensor_info.element_type.name}{port.tensor_info.shape}" for port in node.outputs]
            assert mine == theirs[node.name], (
                node.name,
                [str(port.source.tensor_info) for port in node.inputs if port.source],
            )
    found = {optimize: _ours(ir, optimize) for optimize in (True, False)}
    judges = model, _static(model, ir), _apart(_static(model, ir)), _with_zero_channels(_static(model, ir))
    faults = []
    for judge in judges:
        fault = _difference(model, found, judge, ir)
        if fault is None:
            return
        faults.append(fault)
    raise next((fault for fault in faults if isinstance(fault, AssertionError)), faults[0])


def _difference(model: ov.Model, found: dict[bool, list[Array]], judge: ov.Model, ir: ValidIR) -> Exception | None:
    """Return how our results differ from those of a form of the model, or what keeps it from being compiled."""
    try:
        _compare_all(model, found, _computed(judge, ir)[: len(model.outputs)])
    except AssertionError as fault:
        return fault
    except RuntimeError as fault:
        return None if any(text in str(fault) for text in NOT_COMPILED) else fault  # TOLD["not compiled"]
    return None


def _static(model: ov.Model, ir: ValidIR) -> ov.Model:
    """Return the model for just the shapes of the inputs."""
    made = model.clone()
    made.reshape({port: list(value.shape) for port, value in zip(made.inputs, ir.inputs, strict=True)})
    return made


def _apart(model: ov.Model) -> ov.Model:
    """Return the model with every value as a result."""
    for node in model.get_ordered_ops():
        if node.get_type_name() not in ("Result", "Constant", "Parameter"):
            model.add_outputs(node.outputs())
    return model


def _with_zero_channels(model: ov.Model) -> ov.Model:
    """Return the model with a second channel, of zeros, for what is convolved over one channel to one place a row."""
    for node in model.get_ordered_ops():
        if node.get_type_name() == "Convolution" and _is_one_channel_to_one_place(node):
            for port in node.inputs():
                zeros = opset1.constant(np.zeros(port.get_shape()), port.get_element_type())
                port.replace_source_output(opset1.concat([port.get_source_output(), zeros], 1).output(0))
    return model


def _is_one_channel_to_one_place(node: Any) -> bool:
    data, output = node.input(0).get_partial_shape(), node.output(0).get_partial_shape()
    return bool(data.is_static and output.is_static and data[1] == output[-1] == 1)


def _ours(ir: ValidIR, optimize: bool) -> list[Array]:
    """Return the results of a run behind others on other data, of which no plan may keep anything."""
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": optimize})
    others = [np.flip(value.reshape(-1)).reshape(value.shape) for value in ir.inputs]
    runs = 7 if optimize else 1
    for inputs in [ir.inputs, others] * (runs // 2):
        with suppress(Error):  # reversed values may be no shape or index
            compiled(inputs)
    return list(compiled(ir.inputs).to_dict().values())


def _compare_all(model: ov.Model, found: dict[bool, list[Array]], wanted: list[Array]) -> None:
    for optimize, arrays in found.items():
        for port, our, their in zip(model.outputs, arrays, wanted, strict=True):
            _compare(port, our, their, f"optimize={optimize}")


def _shown(port: Any) -> str:
    return f"{port.get_element_type().to_string()}{port.get_partial_shape()}"


def _computed(model: ov.Model, ir: ValidIR) -> list[Array]:
    compiled = openvino_core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return [np.array(array) for array in compiled([_fed(value) for value in ir.inputs]).values()]


def _fed(value: Array) -> Any:
    """Return an input as OpenVINO's Python takes it."""
    if value.dtype == object:
        return np.array(value.tolist(), str)
    is_bf16 = value.dtype == ElementType.bf16.dtype
    return ov.Tensor(value.view(np.uint16), value.shape, ov.Type.bf16) if is_bf16 else value


def _compare(port: Any, mine: Array, their: Array, about: str) -> None:
    if not port.get_partial_shape().compatible(ov.PartialShape(list(their.shape))):
        return  # TOLD["own shape"]
    assert mine.shape == their.shape, about
    if their.dtype.kind == "U":
        assert mine.tolist() == their.tolist(), about
        return
    assert mine.dtype == their.dtype, about
    if their.dtype.kind != "f":
        np.testing.assert_array_equal(mine, their, about)
    elif np.isfinite(their).all():  # otherwise TOLD["not finite"]
        name = port.get_node().input(0).get_source_output().get_node().get_friendly_name()
        error = SMALL if their.dtype == np.float16 or name.startswith("small") else 1
        atol = ATOL * error * max(1.0, float(np.abs(their).max(initial=0)))
        np.testing.assert_allclose(mine, their, RTOL * error, atol, err_msg=f"{about} {port}")


@settings(max_examples=CASES // 4)
@given(valid_irs())
def test_what_openvino_declares_for_a_valid_ir_is_what_we_infer(ir: ValidIR) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        ov.serialize(openvino_core().read_model(ir.xml, ir.weights), path, path.with_suffix(".bin"))
        assert list(Core().validate(path).findings) == []


@settings(max_examples=CASES // 4)
@given(st.integers(0, 2**32))
def test_a_valid_ir_of_strings_is_computed_as_openvino_does(seed: int) -> None:
    ir = grown_of_words(random.Random(seed))
    note(ir.xml.decode())
    hold_against_openvino(ir)


@settings(max_examples=CASES // 4)
@given(st.integers(0, 2**32))
def test_a_mutated_ir_of_strings_raises_nothing_but_our_errors(seed: int) -> None:
    ir = grown_of_words(random.Random(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        feed(mutated(ir.xml, seed), garbled(ir.weights, seed) if seed % 3 == 0 else ir.weights)


@settings(max_examples=2 * CASES)
@given(st.integers(0, 2**32))
def test_a_mutated_valid_ir_raises_nothing_but_our_errors(seed: int) -> None:
    ir = grown(random.Random(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        feed(mutated(ir.xml, seed), ir.weights[: seed % 97 * 8] if seed % 7 == 0 else ir.weights)


@pytest.mark.parametrize("seed", [1014, 1060, 784, 395, 118, 818828, 225187, 1535, 2458677256, 2659652])
def test_seeds_that_once_told_us_something(seed: int) -> None:
    hold_against_openvino(grown(random.Random(seed)))


def test_random_graphs_have_3_to_25_layers_of_many_operations() -> None:
    made = [grown(random.Random(seed)) for seed in range(150)]
    assert all(3 <= len(ir.types) <= 30 for ir in made)
    assert len({type for ir in made for type in ir.types}) >= 60
