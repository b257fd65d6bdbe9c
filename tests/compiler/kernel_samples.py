"""Models that run the kernels which no layer alone gets: beside others, for many elements, or for open lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from ir_plugin.tensors import Array
from tests.compiler.passes import test_grouped_query_attention
from tests.compiler.passes.test_low_precision import gated
from tests.compiler.test_compiled_loops import iterator
from tests.compiler.test_dynamic_quantization import KEY, product
from tests.support.passes import convolution, data, model_of, number
from tests.support.quantized import integer_weights, on_levels, rounded


@dataclass
class KernelSample:
    """A model with inputs, and the configuration that its kernels need."""

    model: ov.Model
    inputs: list[Array]
    config: Mapping[str, Any] = field(default_factory=dict)
    rtol: float = 2e-5


def _numbers(*shape: int, seed: int = 3) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _convolved(layer: Callable[[Any], Any], channels: int = 4, length: int = 10) -> KernelSample:
    """Return a layer after a convolution, whose output has its channels last."""
    x = data(1, channels, length, length)
    return KernelSample(model_of(layer(convolution(x)), [x]), [_numbers(1, channels, length, length)])


def _vectors(*shape: int) -> list[Any]:
    return [ops.constant(_numbers(*shape, seed=seed)) for seed in (5, 6)]


def _wide_convolution() -> KernelSample:
    x, weights = data(1, 64, 28, 28), ops.constant(_numbers(64, 64, 3, 3) / 16)
    layer = ops.convolution(x, weights, [1, 1], [1, 1], [1, 1], [1, 1])
    return KernelSample(model_of(layer, [x]), [_numbers(1, 64, 28, 28)], rtol=1e-3)


def _open(layer: Callable[[Any], Any]) -> KernelSample:
    """Return a layer on rows of unknown number, before a product that keeps the model's lengths open."""
    x = ops.parameter([-1, 32], np.float32)
    model = model_of(ops.matmul(layer(x), ops.constant(_numbers(32, 48)), False, False), [x])
    return KernelSample(model, [_numbers(5, 32)])


def _shared_heads() -> KernelSample:
    shapes = ((1, 4, 3, 8), (1, 2, 5, 8), (1, 2, 5, 8))
    return KernelSample(test_grouped_query_attention.example(), [_numbers(*shape) for shape in shapes])


def _cached_attention() -> KernelSample:
    query, key, value = (ops.parameter([1, 2, -1, 8], np.float32) for _ in range(3))
    layer = ops.scaled_dot_product_attention(query, key, value, causal=False)
    weights = ops.constant(_numbers(8, 8))
    shapes = ((1, 2, 1, 8), (1, 2, 9, 8), (1, 2, 9, 8))
    arrays = [_numbers(*shape, seed=seed) for seed, shape in enumerate(shapes)]
    return KernelSample(model_of(ops.matmul(layer, weights, False, False), [query, key, value]), arrays)


def _quantized(layer: Callable[[Any], Any], *shape: int) -> KernelSample:
    x = data(*shape)
    return KernelSample(model_of(layer(rounded(x)), [x]), [on_levels(shape)], rtol=1e-4)


def _quantized_convolution(x: Any) -> Any:
    return ops.convolution(x, integer_weights((8, 8, 3, 3)), [1, 1], [1, 1], [1, 1], [1, 1])


def _gated() -> KernelSample:
    x = data(2, 6, 8, 8)
    return KernelSample(model_of(gated(x), [x]), [on_levels((2, 6, 8, 8))], rtol=0.1)


def _sum_of_levels(x: Any) -> Any:
    levels = rounded(_quantized_convolution(x))
    return _quantized_convolution(rounded(ops.add(levels, rounded(_quantized_convolution(levels)))))


def _scattered(layer: Callable[[Any, Any, Any], Any], indices: Array, updates: Array) -> KernelSample:
    x, y = data(64, 64), data(*updates.shape)
    return KernelSample(model_of(layer(x, ops.constant(indices), y), [x, y]), [_numbers(64, 64), updates])


def _elements(x: Any, indices: Any, updates: Any) -> Any:
    return ops.scatter_elements_update(x, indices, updates, ops.constant(1))


def _selected() -> KernelSample:
    mask, x, y = ops.parameter([50, 60], np.bool_), data(6, 50, 60), data(6, 50, 60)
    arrays = [_numbers(50, 60) > 0, _numbers(6, 50, 60), _numbers(6, 50, 60, seed=4)]
    return KernelSample(model_of(ops.select(mask, x, y), [mask, x, y]), arrays)


def _exact_integers() -> KernelSample:
    x = ops.parameter([1, 4, 9, 9], np.uint8)
    weights = ops.constant(np.random.default_rng(2).integers(0, 9, (5, 4, 3, 3)).astype(np.int32))
    layer = ops.convolution(ops.convert(x, np.int32), weights, [1, 1], [0, 0], [0, 0], [1, 1])
    return KernelSample(model_of(layer, [x]), [np.random.default_rng(1).integers(0, 9, (1, 4, 9, 9)).astype(np.uint8)])


def _reshaped(x: Any) -> Any:
    return ops.multiply(ops.reshape(x, ops.constant([4, 64]), False), number(2))


MODELS: dict[str, Callable[[], KernelSample]] = {
    "compressed product": lambda: KernelSample(product("u8", 128), [_numbers(3, 256)], rtol=1e-4),
    "compressed product, known rows": lambda: KernelSample(product("u8", 128, rows=3), [_numbers(3, 256)], rtol=1e-4),
    "concatenation": lambda: _convolved(lambda x: ops.concat([ops.relu(x), ops.exp(x)], 1)),
    "dynamic quantization": lambda: KernelSample(product("u8", 128), [_numbers(3, 256)], {KEY: 32}, rtol=0.1),
    "exact integers": _exact_integers,
    "few queries": _cached_attention,
    "group normalization": lambda: _convolved(lambda x: ops.group_normalization(x, *_vectors(4), 2, 1e-3)),
    "loop": lambda: KernelSample(iterator(60, 0), [_numbers(60, 3, 6)]),
    "mean of levels": _gated,
    "normalization of open rows": lambda: _open(lambda x: ops.mvn(x, ops.constant([1]), True, 1e-3, "inside_sqrt")),
    "pooling": lambda: _convolved(lambda x: ops.max_pool(x, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2]).output(0)),
    "product of open rows": lambda: _open(ops.relu),
    "quantized convolution": lambda: _quantized(_quantized_convolution, 1, 8, 6, 6),
    "quantized product": lambda: _quantized(lambda x: ops.matmul(x, integer_weights((16, 32)), False, True), 5, 32),
    "response normalization": lambda: _convolved(lambda x: ops.lrn(x, ops.constant([1]), 0.1, 0.75, 1.0, 3)),
    "scattered elements": lambda: _scattered(_elements, np.arange(4096).reshape(64, 64) % 64, _numbers(64, 64)),
    "scattered tuples": lambda: _scattered(
        ops.scatter_nd_update, np.indices((64, 64)).reshape(2, -1).T.copy(), _numbers(4096)
    ),
    "selection": _selected,
    "shared heads": _shared_heads,
    "softmax of open rows": lambda: _open(lambda x: ops.softmax(x, 1)),
    "sum of levels": lambda: _quantized(_sum_of_levels, 1, 8, 6, 6),
    "transposition": lambda: _convolved(
        lambda x: ops.multiply(ops.reshape(x, ops.constant([4, 64]), False), number(2))
    ),
    "wide convolution": _wide_convolution,
}
"""The models by what they show."""
