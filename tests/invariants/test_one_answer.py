"""Invariant: a compiled model gives one answer for one input, whatever came before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as op

from ir_plugin import CompiledModel, Core
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS

INPUTS, REPETITIONS, WIDTH, STATE = 60, 20, 24, 16


@dataclass
class Network:
    """Layers with seeded weights behind a parameter of open lengths."""

    shape: Sequence[int]
    """The shape of the parameter; -1 stands for an open length."""
    layers: Callable[[Network, Any], Any]
    longest: int = 40

    def weights(self, *shape: int) -> Any:
        values = self.random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        return op.constant(values.astype(np.float32))

    def write(self, folder: Path) -> Path:
        """Write the model."""
        self.random = np.random.default_rng(1)
        x = op.parameter(list(self.shape), np.float32)
        model = ov.Model([op.result(self.layers(self, x))], [x], "network")
        ov.save_model(model, folder / "network.xml", compress_to_fp16=False)
        return folder / "network.xml"

    def inputs(self) -> list[Array]:
        """Return inputs of many lengths, 1 among them."""
        random = np.random.default_rng(2)
        batches = (1, 1, 2, 5) if len(self.shape) > 2 else (1, *range(2, self.longest))
        shapes = [
            [
                length if length > 0 else int(random.choice(batches) if axis == 0 else random.integers(1, self.longest))
                for axis, length in enumerate(self.shape)
            ]
            for _ in range(INPUTS)
        ]
        return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def integers(*values: int) -> Any:
    return op.constant(np.array(values, np.int64))


def lines(network: Network, x: Any) -> Any:
    inner = op.relu(op.convolution(x, network.weights(16, 8, 3), [1], [1], [1], [1]))
    return op.relu(
        op.add(op.convolution(inner, network.weights(WIDTH, 16, 5), [1], [2], [2], [1]), inner_bias(network))
    )


def inner_bias(network: Network) -> Any:
    return network.weights(1, WIDTH, 1)


def images(network: Network, x: Any) -> Any:
    inner = op.relu(op.convolution(x, network.weights(16, 8, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1]))
    pooled = op.max_pool(inner, [1, 1], [1, 1], [1, 1], [1, 1], [3, 3]).output(0)
    return op.clamp(op.convolution(pooled, network.weights(WIDTH, 16, 3, 3), [2, 2], [1, 1], [1, 1], [1, 1]), 0.0, 6.0)


def product(network: Network, x: Any) -> Any:
    inner = op.relu(op.matmul(x, network.weights(WIDTH, 4 * WIDTH), False, False))
    return op.gelu(op.matmul(inner, network.weights(4 * WIDTH, WIDTH), False, False), "erf")


def normalized(_: Network, x: Any) -> Any:
    return op.mvn(x, integers(-1), True, 1e-6, "inside_sqrt")


def attention(network: Network, x: Any) -> Any:
    def heads() -> Any:
        rows = op.matmul(x, network.weights(WIDTH, WIDTH), False, True)
        return op.transpose(op.reshape(rows, integers(0, 0, 4, WIDTH // 4), True), integers(0, 2, 1, 3))

    mixed = op.scaled_dot_product_attention(heads(), heads(), heads())
    joined = op.reshape(op.transpose(mixed, integers(0, 2, 1, 3)), integers(0, 0, WIDTH), True)
    return normalized(network, op.add(x, op.matmul(joined, network.weights(WIDTH, WIDTH), False, True)))


def lstm(network: Network, x: Any) -> Any:
    batch, length = (op.gather(op.shape_of(x), integers(axis), op.constant(0)) for axis in (0, 1))
    start = op.broadcast(op.constant(np.float32(0)), op.concat([batch, integers(1, STATE)], 0))
    lengths = op.broadcast(op.squeeze(length, op.constant(0)), batch)
    weights = [network.weights(1, 4 * STATE, width) for width in (WIDTH, STATE)]
    bias = network.weights(1, 4 * STATE)
    return op.lstm_sequence(x, start, start, lengths, *weights, bias, STATE, "forward").output(0)


NETWORKS: dict[str, Network] = {
    "convolution along a line": Network([-1, 8, -1], lines, 150),
    "convolution of images": Network([-1, 8, -1, -1], images),
    "attention": Network([-1, -1, WIDTH], attention, 90),
    "LSTM": Network([-1, -1, WIDTH], lstm),
    "product": Network([-1, -1, WIDTH], product, 90),
    "product of rows": Network([-1, WIDTH], product, 150),
    "normalization": Network([-1, -1, WIDTH], lambda own, x: normalized(own, product(own, normalized(own, x))), 90),
}


def answers(compiled: CompiledModel, inputs: Sequence[Array], order: Sequence[int]) -> dict[int, bytes]:
    """Return the bytes of the result of each input, computed in this order."""
    return {number: np.array(compiled([inputs[number]])[0]).tobytes() for number in order}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", NETWORKS)
def test_a_compiled_model_gives_one_answer_for_one_input(name: str, provider: str, tmp_path: Path) -> None:
    network = NETWORKS[name]
    path, inputs = network.write(tmp_path), network.inputs()
    random, first = np.random.default_rng(3), dict[int, bytes]()
    for _ in range(2):
        compiled = Core().compile_model(path, config={"PROVIDER": provider})
        for repetition in range(REPETITIONS // 2):
            order = random.permutation(INPUTS)[repetition:].tolist()
            got = answers(compiled, inputs, order)
            differing = [
                inputs[number].shape for number in order if first.setdefault(number, got[number]) != got[number]
            ]
            assert not differing
