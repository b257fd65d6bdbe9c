"""Transposed convolutions with epilogues, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops

from tests.support.planned import PROVIDERS, hold, variants

RNG = np.random.default_rng(3)


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32) * 0.2)


CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "2x2 stride 2": ((1, 4, 5, 6), (4, 3, 2, 2), {"strides": [2, 2]}),
    "4x4 stride 2": ((2, 3, 5, 4), (3, 5, 4, 4), {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    "odd length": ((1, 3, 5, 4), (3, 5, 3, 3), {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    "output padding": (
        (1, 3, 5, 4), (3, 2, 3, 3),
        {"strides": [2, 2], "pads_begin": [1, 0], "pads_end": [1, 1], "output_padding": [1, 1]},
    ),
    "gaps": ((1, 3, 4, 3), (3, 2, 2, 1), {"strides": [3, 2]}),
    "stride 1": ((1, 3, 6, 5), (3, 4, 3, 3), {"strides": [1, 1], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    "dilated": ((1, 3, 6, 5), (3, 4, 3, 2), {"strides": [1, 2], "dilations": [2, 3], "pads_begin": [0, 1]}),
    "dilated as far as strides": ((1, 3, 6, 5), (3, 4, 2, 2), {"strides": [2, 2], "dilations": [2, 2]}),
    "wide pads": ((1, 2, 6, 6), (2, 2, 2, 2), {"strides": [1, 1], "pads_begin": [3, 2], "pads_end": [2, 2]}),
    "1-D": ((2, 3, 7), (3, 4, 4), {"strides": [2], "pads_begin": [1], "pads_end": [1]}),
    "1-D of a vocoder": ((1, 24, 40), (24, 18, 8), {"strides": [4], "pads_begin": [2], "pads_end": [2]}),
    "1-D, long kernel": ((2, 5, 9), (5, 3, 11), {"strides": [3], "pads_begin": [4], "pads_end": [4]}),
    "1-D, short kernel": ((1, 6, 9), (6, 3, 2), {"strides": [3], "output_padding": [1]}),
    "lines of stride 1": ((2, 5, 7, 9), (5, 4, 3, 4), {"strides": [1, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    "large": ((1, 32, 20, 21), (32, 24, 4, 4), {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    "large in blocks": ((1, 96, 40, 33), (96, 64, 3, 3), {"strides": [2, 2]}),
    "groups": ((1, 6, 5, 4), (2, 3, 4, 3, 3), {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [0, 1]}),
    "pointwise groups": ((2, 6, 5, 4), (3, 2, 4, 1, 1), {"strides": [1, 1]}),
    "depthwise": ((2, 5, 6, 7), (5, 1, 1, 4, 4), {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    "depthwise, dilated": ((1, 5, 6, 7), (5, 1, 1, 3, 2), {"strides": [2, 3], "dilations": [3, 2]}),
    "depthwise, 1-D": ((1, 5, 60), (5, 1, 1, 8), {"strides": [4], "pads_begin": [2], "pads_end": [2]}),
    "depthwise, large": ((1, 40, 30, 31), (40, 1, 1, 4, 4), {"strides": [2, 2]}),
}  # fmt: skip


LINES = ["stride 1", "1-D", "1-D of a vocoder", "1-D, long kernel", "1-D, short kernel", "lines of stride 1"]
"""Cases whose stride is along pixels only, and whose output is whole strides."""


def transposed(x: Any, weights: tuple[int, ...], fields: dict[str, Any], output_shape: Any = None) -> Any:
    make = ops.group_convolution_backprop_data if len(weights) > len(x.shape) else None
    make = make or ops.convolution_backprop_data
    return make(x, const(*weights), fields["strides"], output_shape, **{k: fields[k] for k in fields if k != "strides"})


@pytest.mark.parametrize("name", CASES)
def test_transposed_convolution(name: str, tmp_path: Path) -> None:
    shape, weights, fields = CASES[name]
    x = ops.parameter(list(shape), np.float32, name="x")
    result = transposed(x, weights, fields)
    hold(result, [x], tmp_path)
    kind = "depthwise" if name.startswith("depthwise") else "phases"
    is_compiled = kind == "depthwise" or name in LINES
    names = {"numpy": kind, "numba": f"{kind}, numba" if is_compiled else kind}
    for provider in PROVIDERS:
        assert variants(tmp_path, provider)[result.get_type_name()] == names[provider]


@pytest.mark.parametrize(
    "name", ["4x4 stride 2", "odd length", "groups", "1-D", "large", "depthwise", "lines of stride 1"]
)
def test_epilogues(name: str, tmp_path: Path) -> None:
    shape, weights, fields = CASES[name]
    x = ops.parameter(list(shape), np.float32, name="x")
    result = transposed(x, weights, fields)
    outputs, *lengths = list(result.shape)[1:]
    residual = ops.parameter([shape[0], outputs, *lengths], np.float32, name="other")
    biased = ops.relu(ops.add(result, const(1, outputs, *(1 for _ in lengths))))
    scaled = ops.multiply(ops.add(biased, residual), const(*(1 for _ in lengths[1:]), lengths[-1]))
    hold(ops.tanh(scaled), [x, residual], tmp_path)


@pytest.mark.parametrize("auto_pad", ["same_upper", "same_lower"])
@pytest.mark.parametrize("lengths", [[9, 8], [10, 7], [12, 12]])
def test_output_shape(auto_pad: str, lengths: list[int], tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 5, 4], np.float32, name="x")
    fields = {"strides": [2, 2], "auto_pad": auto_pad}
    result = transposed(x, (3, 2, 3, 3), fields, ops.constant(np.array(lengths, np.int64)))
    hold(result, [x], tmp_path, openvino=max(lengths) < 12)


def test_weights_that_are_given_are_left_to_the_evaluation(tmp_path: Path) -> None:
    x, weights = (ops.parameter([2, 2, 3, 3], np.float32, name=name) for name in "xw")
    hold(ops.convolution_backprop_data(x, weights, [2, 2]), [x, weights], tmp_path)
    assert "ConvolutionBackpropData" not in variants(tmp_path)
