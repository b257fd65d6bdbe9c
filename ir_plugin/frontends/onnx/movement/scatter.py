"""Scatter, ScatterElements, ScatterND and TensorScatter."""

from __future__ import annotations

from ir_plugin import opset16 as ops
from ir_plugin.frontends.onnx.common import i64
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node

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
