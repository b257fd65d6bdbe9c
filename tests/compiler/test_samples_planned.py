"""Planned equals plain: every operation sample with each provider, and random graphs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openvino import opset8 as ops
from openvino.opset11 import interpolate

from ir_plugin import Core
from ir_plugin.compiler.selection.registry import _SELECTORS
from ir_plugin.tensors import Array
from tests.support.collect import samples
from tests.support.ir import build
from tests.support.planned import PROVIDERS
from tests.support.sample import Sample

SAMPLES = {name: sample for name, sample in samples() if sample.type in _SELECTORS}
"""Samples of operations with kernels; the others are evaluated as without a plan (tests/operations covers both)."""


def run(sample: Sample, config: dict[str, Any]) -> list[Array]:
    ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, {})
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config=config)
    arrays = [item.value for item in (sample.inputs[position] for position in ir.parameters) if item is not None]
    return [np.asarray(array) for array in compiled(arrays).to_dict().values()]


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_run_alike_with_every_provider(name: str) -> None:
    sample = SAMPLES[name]
    plain = run(sample, {"OPTIMIZE": False})
    for provider in PROVIDERS:
        for planned, right in zip(run(sample, {"PROVIDER": provider}), plain, strict=True):
            assert planned.dtype == right.dtype
            close(planned, right, provider)


def close(planned: Array, right: Array, message: str) -> None:
    assert planned.shape == right.shape, message
    if right.dtype.kind in "biuOU":
        np.testing.assert_array_equal(planned, right, message)
        return
    tolerance = {2: 8e-3, 1: 0.13}.get(right.dtype.itemsize, 2e-5)
    scale = float(np.nanmax(np.abs(np.where(np.isfinite(right), right, 0).astype(np.float64)), initial=1))
    left, expected = planned.astype(np.float64), right.astype(np.float64)
    np.testing.assert_allclose(left, expected, rtol=tolerance, atol=tolerance * scale, err_msg=message)


class Grower:
    """Adds random layers to a graph of values [N, C, H, W]."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw
        self.rng = np.random.default_rng(draw(st.integers(0, 2**16)))
        shape = [draw(st.integers(1, 2)), *(draw(st.integers(1, 6)) for _ in range(3))]
        self.parameter = ops.parameter(shape, np.float32, name="x")
        self.values: list[Any] = [self.parameter]

    def pick(self) -> Any:
        return self.values[self.draw(st.integers(0, len(self.values) - 1))]

    def const(self, *shape: int) -> Any:
        return ops.constant(self.rng.standard_normal(shape).astype(np.float32) * 0.5)

    def grow(self) -> None:
        makers = [self.convolve, self.alone, self.with_constant, self.pair, self.join, self.pool, self.turn, self.cut]
        makers += [self.normalize, self.reduce, self.shuffle, self.spread, self.surround, self.resize]
        layer = makers[self.draw(st.integers(0, len(makers) - 1))](self.pick())
        self.values.append(layer)

    def convolve(self, x: Any) -> Any:
        _, channels, height, width = x.shape
        kernel = [self.draw(st.integers(1, min(3, height))), self.draw(st.integers(1, min(3, width)))]
        pads = [self.draw(st.integers(0, 1)), self.draw(st.integers(0, 1))]
        stride = [self.draw(st.integers(1, 2)), self.draw(st.integers(1, 2))]
        if self.draw(st.booleans()):
            depth = self.draw(st.sampled_from([1, channels]))
            weights = self.const(channels // depth, self.draw(st.integers(1, 2)), depth, *kernel)
            return ops.group_convolution(x, weights, stride, pads, pads, [1, 1])
        return ops.convolution(
            x, self.const(self.draw(st.integers(1, 5)), channels, *kernel), stride, pads, pads, [1, 1]
        )

    def alone(self, x: Any) -> Any:
        names = ["relu", "sigmoid", "tanh", "hswish", "hsigmoid", "swish", "abs", "negative", "erf"]
        name = self.draw(st.sampled_from(names))
        layer: Any = getattr(ops, name)(x)
        return ops.multiply(x, layer) if self.draw(st.booleans()) else layer

    def with_constant(self, x: Any) -> Any:
        shape = [self.draw(st.sampled_from([1, length])) for length in x.shape]
        shape = shape[self.draw(st.integers(0, 3)) :]
        make = self.draw(st.sampled_from([ops.add, ops.multiply, ops.subtract, ops.maximum]))
        pair = (x, self.const(*shape))
        return make(*pair) if self.draw(st.booleans()) else make(*pair[::-1])

    def pair(self, x: Any) -> Any:
        fitting = [value for value in self.values if list(value.shape) == list(x.shape)]
        operand = fitting[self.draw(st.integers(0, len(fitting) - 1))]
        return self.draw(st.sampled_from([ops.add, ops.multiply, ops.subtract]))(x, operand)

    def join(self, x: Any) -> Any:
        axis = self.draw(st.integers(0, 3))
        if x.shape[axis] > 12:
            return ops.relu(x)
        fitting = [v for v in self.values if all(i == axis or v.shape[i] == x.shape[i] for i in range(4))]
        return ops.concat([x, fitting[self.draw(st.integers(0, len(fitting) - 1))]], axis)

    def pool(self, x: Any) -> Any:
        kernel = [self.draw(st.integers(1, min(3, length))) for length in list(x.shape)[2:]]
        pads = [size // 2 for size in kernel]
        stride = [self.draw(st.integers(1, 2)) for _ in kernel]
        if self.draw(st.booleans()):
            return ops.avg_pool(x, stride, pads, pads, kernel, self.draw(st.booleans()))
        return ops.max_pool(x, stride, [1, 1], pads, pads, kernel).output(0)

    def turn(self, x: Any) -> Any:
        order = self.draw(st.permutations(range(4)))
        return ops.transpose(x, ops.constant(np.array(order)))

    def shuffle(self, x: Any) -> Any:
        count = int(np.prod(list(x.shape)))
        first = self.draw(st.sampled_from([n for n in (1, 2, 3, 4, 6) if count % n == 0]))
        second = self.draw(st.sampled_from([n for n in (1, 2, 3, 4, 6) if count // first % n == 0]))
        return ops.reshape(x, ops.constant(np.array([1, first, second, -1])), False)

    def spread(self, x: Any) -> Any:
        _, channels, height, width = x.shape
        if height * width > 150:
            return ops.relu(x)
        kernel = [self.draw(st.integers(1, 3)), self.draw(st.integers(1, 3))]
        weights = self.const(channels, self.draw(st.integers(1, 4)), *kernel)
        return ops.convolution_backprop_data(x, weights, [self.draw(st.integers(1, 2)), self.draw(st.integers(1, 2))])

    def surround(self, x: Any) -> Any:
        mode = self.draw(st.sampled_from(["constant", "constant", "edge", "symmetric"]))
        pads = [[0, 0, self.draw(st.integers(0, 1)), self.draw(st.integers(0, 1))] for _ in range(2)]
        return ops.pad(x, *pads, mode, ops.constant(np.float32(0)))

    def resize(self, x: Any) -> Any:
        sizes = ops.constant([self.draw(st.integers(1, 9)), self.draw(st.integers(1, 9))])
        mode = self.draw(st.sampled_from(["nearest", "linear_onnx", "cubic"]))
        return interpolate(x, sizes, mode, "sizes", axes=ops.constant([2, 3]))

    def cut(self, x: Any) -> Any:
        axis = self.draw(st.integers(0, 3))
        start = self.draw(st.integers(0, int(x.shape[axis]) - 1))
        return ops.slice(x, *(ops.constant([n]) for n in (start, 2**31, self.draw(st.integers(1, 2)), axis)))

    def normalize(self, x: Any) -> Any:
        axes = self.draw(st.sampled_from([[1], [2, 3], [3], [1, 2, 3]]))
        if self.draw(st.booleans()):
            return ops.softmax(x, axes[0])
        return ops.mvn(x, ops.constant(np.array(axes)), self.draw(st.booleans()), 1e-2, "inside_sqrt")

    def reduce(self, x: Any) -> Any:
        axes = self.draw(st.sampled_from([[2, 3], [3], [1], [2]]))
        return ops.reduce_mean(x, ops.constant(np.array(axes)), True)


@given(st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_random_graphs_run_alike(tmp_path: Path, data: st.DataObject) -> None:
    grower = Grower(data.draw)
    for _ in range(data.draw(st.integers(1, 9))):
        grower.grow()
    results = {len(grower.values) - 1, data.draw(st.integers(0, len(grower.values) - 1))}
    model = ov.Model([ops.result(grower.values[index]) for index in sorted(results)], [grower.parameter], "random")
    ov.serialize(model, tmp_path / "m.xml")
    x = grower.rng.standard_normal(list(grower.parameter.shape)).astype(np.float32)
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})([x])
    for provider in PROVIDERS:
        compiled = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})
        for _ in range(2):
            for index, planned in enumerate(compiled([x]).to_tuple()):
                close(planned, plain[index], provider)
