"""Layers behind a length that only a run decides have kernels, and give the numbers of the evaluation and OpenVINO."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.compiler.selection.by_shape import _ByShape
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS, close

CHANNELS = 6
LENGTHS = [9, 12, 9, 1, 30, 12]


def _weights(*shape: int) -> Any:
    return ops.constant(np.random.default_rng(3).standard_normal(shape).astype(np.float32))


def _integers(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


def _convolution(x: Any) -> Any:
    y = ops.convolution(x, _weights(5, CHANNELS, 3, 3), [1, 1], [2, 1], [2, 1], [2, 1])
    y = ops.add(y, _weights(1, 5, 1, 1))
    return ops.convolution(ops.relu(y), _weights(4, 5, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1])


def _residual(x: Any) -> Any:
    y = ops.prelu(x, ops.constant(np.array([0.1], np.float32)))
    y = ops.convolution(y, _weights(CHANNELS, CHANNELS, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
    return ops.add(x, ops.add(y, _weights(1, CHANNELS, 1, 1)))


def _line(x: Any) -> Any:
    y = ops.reduce_mean(x, _integers(3), False)
    y = ops.convolution(y, _weights(8, CHANNELS, 5), [1], [6], [6], [3])
    y = ops.prelu(ops.add(y, _weights(1, 8, 1)), ops.constant(np.array([0.1], np.float32)))
    return ops.convolution_backprop_data(y, _weights(8, 3, 4), [2], pads_begin=[1], pads_end=[1], dilations=[1])


def _line_scaled_by_bf16(x: Any) -> Any:
    """Return a convolution with an operation that jobs do not have in its epilogue, and constants behind it."""
    scale = ops.convert(ov.op.Constant(ov.Type.bf16, ov.Shape([5, 1]), [2, 3, 4, 5, 6]), "f32")
    y = ops.reduce_mean(x, _integers(3), False)
    y = ops.convolution(y, _weights(5, CHANNELS, 4), [1], [0], [0], [1], "same_lower")
    return ops.add(ops.multiply(ops.sin(y), scale), scale)


def _taken_from_a_constant(x: Any) -> Any:
    y = ops.convolution(x, _weights(5, CHANNELS, 2, 1), [1, 1], [0, 0], [0, 0], [1, 1], "same_lower")
    return ops.relu(ops.subtract(_weights(1, 5, 1, 1), y))


def _groups(x: Any) -> Any:
    return ops.swish(ov.opset12.group_normalization(x, _weights(CHANNELS), _weights(CHANNELS), 3, 1e-4))


def _wide(x: Any) -> Any:
    """Return so many elements that lengths of 9 and more have a kernel."""
    return ops.tile(x, _integers(2, 1, 1, 8))


LAYERS: dict[str, Callable[[Any], Any]] = {
    "Convolution": _convolution,
    "Convolution of a residual": _residual,
    "Convolution scaled by bf16": _line_scaled_by_bf16,
    "Convolution taken from a constant": _taken_from_a_constant,
    "ConvolutionBackpropData": _line,
    "GroupConvolution": lambda x: ops.swish(
        ops.group_convolution(x, _weights(CHANNELS, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
    ),
    "GroupNormalization": _groups,
    "Softmax": lambda x: ops.softmax(_wide(x), 1),
    "MaxPool": lambda x: ops.max_pool(x, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3]).output(0),
    "AvgPool": lambda x: ops.avg_pool(x, [1, 1], [1, 1], [1, 1], [3, 3], True),
    "Interpolate": lambda x: ops.interpolate(
        x, ops.constant(np.array([2, 2], np.float32)), "linear_onnx", "scales", axes=_integers(2, 3)
    ),
    "Pad": lambda x: ops.pad(x, _integers(0, 0, 2, 1), _integers(0, 0, 1, 3), "edge"),
    "ScatterElementsUpdate": lambda x: ops.scatter_elements_update(
        x, ops.convert(ops.greater(x, ops.constant(np.float32(0))), "i64"), ops.exp(x), _integers(1)
    ),
}


def _model(layer: Callable[[Any], Any]) -> ov.Model:
    data = ops.parameter([1, CHANNELS, -1, 8], np.float32)
    length = ops.parameter([1], np.int64)
    part = ops.slice(data, _integers(0), length, _integers(1), _integers(2))
    return ov.Model([ops.result(layer(part))], [data, length], "layer")


@pytest.mark.parametrize("name", LAYERS)
def test_layers_behind_a_length(name: str, tmp_path: Path) -> None:
    model = _model(LAYERS[name])
    ov.serialize(model, tmp_path / "m.xml")
    reference = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})
    rng = np.random.default_rng(5)
    for provider in PROVIDERS:
        compiled = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})
        for length in LENGTHS:
            inputs: list[Array] = [rng.standard_normal((1, CHANNELS, 32, 8)).astype(np.float32), np.array([length])]
            expected = plain(inputs)[0]
            close(expected, reference(inputs)[0], 1e-4, "OpenVINO")
            close(compiled(inputs)[0], expected, 2e-5, f"{provider} {length}")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", [name for name in LAYERS if "Convolution" in name])
def test_kernels_read_constants_of_epilogues(
    name: str, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constant that is no input of the layer is no reason to evaluate it."""
    monkeypatch.setattr(_ByShape, "_evaluated", None)
    ov.serialize(_model(LAYERS[name]), tmp_path / "m.xml")
    compiled = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})
    for length in (9, 12):
        assert compiled([np.ones((1, CHANNELS, 32, 8), np.float32), np.array([length])])[0].size


@pytest.mark.parametrize("name", ["Convolution", "Pad"])
def test_no_elements(name: str, tmp_path: Path) -> None:
    ov.serialize(_model(LAYERS[name]), tmp_path / "m.xml")
    inputs = [np.ones((1, CHANNELS, 32, 8), np.float32), np.array([0])]
    plain, compiled = (Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": on}) for on in (False, True))
    assert _outcome(plain, inputs) == _outcome(compiled, inputs)


def _outcome(compiled: Any, inputs: list[Array]) -> str:
    """Return the shape of the result, or the first line of the error."""
    try:
        return str(compiled(inputs)[0].shape)
    except RuntimeError as error:
        return str(error).splitlines()[0]


def test_softmax_of_short_rows(tmp_path: Path) -> None:
    """Rows too short for vectors are computed together; special numbers change their own row alone."""
    rows, width = 150, 5
    data = np.random.default_rng(7).standard_normal((rows, width)).astype(np.float32) * 8
    data[3, 1], data[70, 0], data[149, 4], data[20] = np.nan, np.inf, -np.inf, -np.inf
    x = ops.parameter([-1, width], np.float32)
    ov.serialize(ov.Model([ops.result(ops.softmax(x, 1))], [x], "rows"), tmp_path / "m.xml")
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})
    compiled = Core().compile_model(tmp_path / "m.xml")
    for count in (1, 63, 64, 65, rows):
        np.testing.assert_allclose(compiled([data[:count]])[0], plain([data[:count]])[0], 1e-5, 1e-7)
