"""RandomUniform, RandomNormal, Multinomial and Bernoulli."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, scalar, shape_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("RandomUniform", 1)
def random_uniform(node: OnnxNode) -> Value:
    """Return RandomUniform-8."""
    return _uniform(node, i64(node.attributes.ints("shape")), node.attributes.element_type("dtype"))


@translates("RandomUniformLike", 1)
def random_uniform_like(node: OnnxNode) -> Value:
    """As RandomUniform in the shape, and without `dtype` in the type, of the input."""
    return _uniform(node, shape_of(node.input(0)), _type_like(node))


@translates("RandomNormal", 1)
def random_normal(node: OnnxNode) -> Value:
    """Return normally distributed numbers, made of two evenly distributed ones."""
    return _normal(node, i64(node.attributes.ints("shape")), node.attributes.element_type("dtype"))


@translates("RandomNormalLike", 1)
def random_normal_like(node: OnnxNode) -> Value:
    """As RandomNormal in the shape, and without `dtype` in the type, of the input."""
    return _normal(node, shape_of(node.input(0)), _type_like(node))


@translates("Multinomial", 7)
def multinomial(node: OnnxNode) -> Value:
    """Return Multinomial-13 of logarithms of probabilities."""
    kind = node.attributes.element_type("dtype")
    drawn = ops.multinomial(
        node.input(0),
        i64([node.attributes.int("sample_size")]),
        kind.name if kind in (ElementType.i32, ElementType.i64) else "i64",
        with_replacement=True,
        log_probs=True,
        global_seed=_seed(node),
        op_seed=0,
    )
    return cast(drawn, kind)


@translates("Bernoulli", 15)
def bernoulli(node: OnnxNode) -> Value:
    """Return 1 with the probability that the input holds, else 0."""
    data = node.input(0)
    drawn = ops.random_uniform(
        shape_of(data), scalar(0, ElementType.f32), scalar(1, ElementType.f32), "f32", 0, _seed(node)
    )
    return cast(ops.less(drawn, cast(data, ElementType.f32)), _type_like(node))


def _type_like(node: OnnxNode) -> ElementType:
    kind: ElementType = node.attributes.element_type("dtype", node.type_of(0))
    return kind


def _seed(node: OnnxNode) -> int:
    """Return the bits of the seed as f32, as OpenVINO does, or 1 where they are 0; 0 without the attribute."""
    if "seed" not in node.attributes:
        return 0
    return int(np.array(node.attributes.float("seed"), np.float32).view(np.uint32)) or 1


def _uniform(node: OnnxNode, shape: Value, kind: ElementType) -> Value:
    low, high = node.attributes.float("low"), node.attributes.float("high")
    return _even(shape, kind, low, high, _seed(node))


def _even(shape: Value, kind: ElementType, low: float, high: float, seed: int) -> Value:
    drawn = kind if kind.is_floating and kind.bits >= 16 else ElementType.f32
    numbers = ops.random_uniform(shape, scalar(low, drawn), scalar(high, drawn), drawn.name, 0, seed)
    return cast(numbers, kind)


def _normal(node: OnnxNode, shape: Value, kind: ElementType) -> Value:
    drawn = ElementType.f64 if kind is ElementType.f64 else ElementType.f32
    seed = _seed(node)
    tiny = float(np.finfo(drawn.dtype).tiny)
    radius = _even(shape, drawn, tiny, 1.0, seed)
    angle = ops.multiply(_even(shape, drawn, tiny, 1.0, seed + 10000 if seed else 0), scalar(2 * math.pi, drawn))
    distance = ops.sqrt(ops.multiply(ops.log(radius), scalar(-2, drawn)))
    numbers: Node = ops.multiply(distance, ops.cos(angle))
    scaled = ops.multiply(numbers, scalar(node.attributes.float("scale"), drawn))
    return cast(ops.add(scaled, scalar(node.attributes.float("mean"), drawn)), kind)
