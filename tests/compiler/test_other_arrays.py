"""Compiled jobs read and write the arrays of each call, whichever of them are others than in the call before."""

from __future__ import annotations

import gc
import weakref
from itertools import product
from typing import Any

import numpy as np
import openvino
import openvino.opset13 as ops
import pytest

import ir_plugin

RNG = np.random.default_rng(5)


def residual() -> openvino.Model:
    """Return Relu(x) through a convolution, with the other input added by rows."""
    x, other = (ops.parameter([1, 16, 12, 12], np.float32) for _ in range(2))
    weights = ops.constant(RNG.standard_normal((16, 16, 3, 3)).astype(np.float32))
    y = ops.convolution(ops.relu(x), weights, [1, 1], [1, 1], [1, 1], [1, 1])
    return openvino.Model([ops.relu(ops.add(y, other))], [x, other])


def product_plus() -> openvino.Model:
    """Return a product of Relu(x), with the other input added by rows."""
    x, other = (ops.parameter([48, 64], np.float32) for _ in range(2))
    weights = ops.constant(RNG.standard_normal((64, 64)).astype(np.float32))
    return openvino.Model([ops.tanh(ops.add(ops.matmul(ops.relu(x), weights, False, False), other))], [x, other])


def attention() -> openvino.Model:
    """Return the attention of Tanh(query) to keys and values that are inputs."""
    query, key, value = (ops.parameter([2, 4, 10, 16], np.float32) for _ in range(3))
    y = ops.scaled_dot_product_attention(ops.tanh(query), key, value)
    return openvino.Model([ops.relu(y)], [query, key, value])


def chain() -> openvino.Model:
    """Return elementwise layers alone."""
    x, other = (ops.parameter([3, 1000], np.float32) for _ in range(2))
    return openvino.Model([ops.sigmoid(ops.multiply(ops.tanh(x), other))], [x, other])


def concatenated() -> openvino.Model:
    """Return both inputs beside each other."""
    x, other = (ops.parameter([3, 1000], np.float32) for _ in range(2))
    return openvino.Model([ops.concat([ops.tanh(x), other], 1)], [x, other])


MODELS = [residual, product_plus, attention, chain, concatenated]


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("share", [False, True])
def test_each_input_may_be_another_array(make: Any, share: bool, tmp_path: Any) -> None:
    openvino.save_model(make(), tmp_path / "m.xml", compress_to_fp16=False)
    reference = openvino.Core().compile_model(tmp_path / "m.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    compiled = ir_plugin.Core().compile_model(tmp_path / "m.xml")
    shapes = [tuple(port.shape) for port in reference.inputs]
    pairs = [[RNG.standard_normal(shape).astype(np.float32) for _ in range(2)] for shape in shapes]
    request = compiled.create_infer_request()
    for choice in product((0, 1), repeat=len(shapes)):
        inputs = [pair[which] for pair, which in zip(pairs, choice, strict=True)]
        ours = request.infer(inputs, share_inputs=share)[0]
        np.testing.assert_allclose(ours, reference(inputs)[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", MODELS)
def test_no_call_keeps_its_result(make: Any, tmp_path: Any) -> None:
    openvino.save_model(make(), tmp_path / "m.xml", compress_to_fp16=False)
    compiled = ir_plugin.Core().compile_model(tmp_path / "m.xml")
    inputs = [RNG.standard_normal(tuple(port.shape)).astype(np.float32) for port in compiled.inputs]
    for _ in range(3):
        result = compiled(inputs, share_inputs=True)[0]
    reference = weakref.ref(result)
    del result
    gc.collect()
    assert reference() is None
