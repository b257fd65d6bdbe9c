"""Random networks of float numbers, and the same with quantizers whose ranges fit random inputs; one may be bad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ir_plugin
from ir_plugin import opset13 as ops
from ir_plugin.tensors import Array

SEQUENCE, WIDTH, HEADS, IMAGE = 10, 16, 4, 8
PLANTS = ("small", "large", "shifted", "tensor")
Quantize = Callable[[str, Any, str], Any]


@dataclass(frozen=True)
class Planted:
    """A bad quantizer: its name, and how its range is wrong."""

    name: str
    fault: str
    factor: float


class Ranges:
    """The smallest and largest numbers of each quantizer's source over calibration data."""

    def __init__(self) -> None:
        self.limits: dict[str, tuple[Array, Array]] = {}
        self.kinds: dict[str, str] = {}


def conv_net(rng: np.random.Generator, quantize: Quantize) -> Any:
    """Convolutions, also by depth, with a residual sum, an average and a classifier."""
    x = ops.parameter([4, 3, IMAGE, IMAGE], np.float32, name="x")
    data, channels = quantize("x", x.output(0), "activations"), 3
    for index in range(int(rng.integers(2, 5))):
        width = int(rng.integers(2, 5)) * 8
        name = f"conv{index}"
        data = _convolution(rng, quantize, name, data, channels, width)
        if rng.random() < 0.5:
            data = ops.add(data, _convolution(rng, quantize, f"{name}/branch", data, width, width)).output(0)
            data = quantize(f"{name}/sum", data, "activations")
        channels = width
    data = ops.reduce_mean(data, np.array([2, 3]), False).output(0)
    return ops.matmul(data, _weight(rng, quantize, "classifier", (10, channels)), False, True, name="scores"), x


def _convolution(rng: np.random.Generator, quantize: Quantize, name: str, data: Any, channels: int, width: int) -> Any:
    kernel = _weight(rng, quantize, name, (width, channels, 3, 3))
    sums = ops.convolution(data, kernel, [1, 1], [1, 1], [1, 1], [1, 1], name=name)
    bias = (rng.standard_normal((1, width, 1, 1)) * 0.1).astype(np.float32)
    shifted = ops.add(sums, ops.constant(bias))
    active = (ops.relu, ops.swish, ops.tanh)[int(rng.integers(3))](shifted)
    return quantize(f"{name}/out", active.output(0), "activations")


def transformer(rng: np.random.Generator, quantize: Quantize) -> Any:
    """Blocks of attention with several heads and of two products with GELU, both with residual sums."""
    x = ops.parameter([2, SEQUENCE, WIDTH], np.float32, name="x")
    data = x.output(0)
    for index in range(int(rng.integers(1, 3))):
        name = f"block{index}"
        data = ops.add(data, _attention(rng, quantize, name, data)).output(0)
        data = ops.add(data, _feed_forward(rng, quantize, name, data)).output(0)
    normal = quantize("norm", _norm(data), "activations")
    return ops.matmul(normal, _weight(rng, quantize, "head", (20, WIDTH)), False, True, name="scores"), x


def _norm(data: Any) -> Any:
    return ops.mvn(data, np.array([-1]), True, 1e-5, "inside_sqrt").output(0)


def _dense(rng: np.random.Generator, quantize: Quantize, name: str, data: Any, rows: int, columns: int) -> Any:
    return ops.matmul(data, _weight(rng, quantize, name, (columns, rows)), False, True, name=name).output(0)


def _attention(rng: np.random.Generator, quantize: Quantize, name: str, data: Any) -> Any:
    normal = quantize(f"{name}/norm1", _norm(data), "activations")
    heads = []
    for part in ("query", "key", "value"):
        product = _dense(rng, quantize, f"{name}/{part}", normal, WIDTH, WIDTH)
        split = ops.reshape(product, np.array([0, SEQUENCE, HEADS, WIDTH // HEADS]), True)
        head = ops.transpose(split, np.array([0, 2, 1, 3])).output(0)
        heads.append(quantize(f"{name}/{part}/out", head, "activations"))
    scores = ops.multiply(ops.matmul(heads[0], heads[1], False, True), np.float32(HEADS / WIDTH) ** 0.5)
    weights = quantize(f"{name}/softmax", ops.softmax(scores, -1).output(0), "activations")
    mixed = ops.transpose(ops.matmul(weights, heads[2], False, False), np.array([0, 2, 1, 3]))
    mixed = ops.reshape(mixed, np.array([0, SEQUENCE, WIDTH]), True)
    mixed = quantize(f"{name}/mixed", mixed.output(0), "activations")
    return _dense(rng, quantize, f"{name}/project", mixed, WIDTH, WIDTH)


def _feed_forward(rng: np.random.Generator, quantize: Quantize, name: str, data: Any) -> Any:
    normal = quantize(f"{name}/norm2", _norm(data), "activations")
    wide = ops.gelu(_dense(rng, quantize, f"{name}/wide", normal, WIDTH, 2 * WIDTH), "erf").output(0)
    wide = quantize(f"{name}/gelu", wide, "activations")
    return _dense(rng, quantize, f"{name}/narrow", wide, 2 * WIDTH, WIDTH)


def _weight(rng: np.random.Generator, quantize: Quantize, name: str, shape: tuple[int, ...]) -> Any:
    """Return a weight whose output channels have magnitudes of their own."""
    scale = np.exp(rng.uniform(-1.5, 1.5, (shape[0], *[1] * (len(shape) - 1))))
    values = rng.standard_normal(shape) * scale / np.sqrt(np.prod(shape[1:]))
    constant = ops.constant(values.astype(np.float32), name=f"{name}/weight")
    return quantize(f"{name}/fq_weight", constant.output(0), "weights")


NETWORKS: dict[str, Callable[[np.random.Generator, Quantize], Any]] = {"conv": conv_net, "transformer": transformer}


def _model(kind: str, seed: int, quantize: Quantize) -> Any:
    output, x = NETWORKS[kind](np.random.default_rng(seed), quantize)
    return ir_plugin.Model([ops.result(output)], [x], kind)


def batch(model: Any, seed: int) -> Array:
    """Return random inputs."""
    shape = model.inputs[0].partial_shape.to_shape()
    values: Array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return values


def calibrated(kind: str, seed: int) -> tuple[Any, Ranges]:
    """Return a network of float numbers, and the ranges of what its quantizers would read over six batches."""
    ranges = Ranges()
    sources: dict[str, Any] = {}

    def keep(name: str, value: Any, role: str) -> Any:
        ranges.kinds[name] = role
        sources[name] = value
        return value

    model = _model(kind, seed, keep)
    compiled = ir_plugin.compile_model(model, config={"OPTIMIZE": False})
    for number in range(6):
        run = compiled.intermediates([batch(model, 1000 * seed + number)], layers="*")
        for name, value in sources.items():
            is_input = value.get_node().get_type_name() == "Parameter"
            array = batch(model, 1000 * seed + number) if is_input else run[value.get_node().get_friendly_name()]
            axes = tuple(range(1, array.ndim)) if ranges.kinds[name] == "weights" else None
            low, high = array.min(axes, keepdims=True), array.max(axes, keepdims=True)
            before = ranges.limits.get(name, (low, high))
            ranges.limits[name] = np.minimum(before[0], low), np.maximum(before[1], high)
    return model, ranges


def quantized(kind: str, seed: int, ranges: Ranges, bits: int, planted: Planted | None) -> Any:
    """Return the network with a FakeQuantize at each place, weights of `bits` bits per channel, else of 8 bits."""

    def fake(name: str, value: Any, role: str) -> Any:
        low, high = ranges.limits[name]
        levels = 256 if role == "activations" else 2**bits - 1
        if role == "weights":
            high = np.maximum(np.abs(low), np.abs(high))
            low = -high
        else:
            low, high = np.minimum(low, 0), np.maximum(high, 0)
        if planted is not None and planted.name == name:
            low, high = _spoiled(low, high, planted)
        first, last = (ops.constant(np.asarray(limit, np.float32)) for limit in (low, high))
        return ops.fake_quantize(value, first, last, first, last, levels, name=layer_of(name)).output(0)

    return _model(kind, seed, fake)


def layer_of(name: str) -> str:
    """Return the name of a quantizer's layer; that of the input is taken."""
    return "x/fq" if name == "x" else name


def _spoiled(low: Array, high: Array, planted: Planted) -> tuple[Array, Array]:
    if planted.fault == "small":
        return low / planted.factor, high / planted.factor
    if planted.fault == "large":
        return low * planted.factor, high * planted.factor
    if planted.fault == "shifted":
        by = (high - low) / 3
        return low + by, high + by
    return np.full_like(low[:1], low.min()), np.full_like(high[:1], high.max())


def plant(ranges: Ranges, seed: int, fault: str) -> Planted:
    """Return a random bad quantizer: a weight for a range shared by its channels."""
    rng = np.random.default_rng(seed + 7)
    names = [name for name, role in ranges.kinds.items() if fault != "tensor" or role == "weights"]
    return Planted(str(rng.choice(names)), fault, float(rng.uniform(4, 10)))
