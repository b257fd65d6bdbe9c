"""Scatter, ScatterElements, ScatterND and TensorScatter."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import cast, i64, normalized, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_REDUCTIONS = {"none": "none", "add": "sum", "mul": "prod", "max": "max", "min": "min"}


def _reduction(node: OnnxNode) -> str:
    text = node.attributes.text("reduction", "none")
    if text not in _REDUCTIONS:
        raise OnnxReadError(f"the attribute 'reduction' is {text!r}; it must be one of {', '.join(_REDUCTIONS)}")
    return _REDUCTIONS[text]


@translates("ScatterElements", 11)
@translates("Scatter", 9)
def scatter_elements(node: OnnxNode) -> Node:
    """Return ScatterElementsUpdate-12."""
    axis = i64(node.attributes.int("axis"))
    return ops.scatter_elements_update(node.input(0), node.input(1), node.input(2), axis, _reduction(node))


@translates("ScatterND", 11)
def scatter_nd(node: OnnxNode) -> Node:
    """Return ScatterNDUpdate-15."""
    names = {"none": "none", "sum": "sum", "prod": "prod", "max": "max", "min": "min"}
    return ops.scatter_nd_update(node.input(0), node.input(1), node.input(2), names[_reduction(node)])


@translates("TensorScatter", 24)
def tensor_scatter(node: OnnxNode) -> Node:
    """Return the cache with the updates of each sample from its index on; mode circular goes on at the beginning."""
    cache, update = node.input(0), node.input(1)
    rank = node.known_rank(0)
    axis = normalized(node.attributes.int("axis"), rank)
    mode = node.attributes.text("mode")
    if mode not in ("linear", "circular"):
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be linear or circular")
    length = ops.gather(shape_of(update), i64(axis), i64(0))
    column = [1] * rank
    column[axis] = -1
    positions = ops.reshape(ops.range(i64(0), length, i64(1), "i64"), i64(column), special_zero=False)
    if node.has(2):
        first = cast(node.input(2), ElementType.i64)
        positions = ops.add(positions, ops.reshape(first, i64([-1] + [1] * (rank - 1)), special_zero=False))
    if mode == "circular":
        positions = ops.floor_mod(positions, ops.gather(shape_of(cache), i64(axis), i64(0)))
    everywhere = ops.broadcast(positions, shape_of(update))
    return ops.scatter_elements_update(cache, everywhere, update, i64(axis))
