"""The domain of onnxruntime's operators, and translators that it shares with ONNX's operators."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.frontends.onnx.common import output
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import Translate, Translated, translates
from ir_plugin.frontends.onnx.rewording import as_operator
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


def microsoft(type: str) -> Callable[[Translate], Translate]:
    """Register a function as the translator of an operator of the domain com.microsoft."""
    return translates(type, 1, domain="com.microsoft")


_SAME = {"GatherND": 13, "Pad": 13, "Trilu": 14}
"""Operators that are ONNX's of a version."""


def _register(type: str, version: int) -> None:
    @microsoft(type)
    def translate(node: OnnxNode) -> Translated:
        return as_operator(node, type, version, node.inputs)


for _type, _version in _SAME.items():
    _register(_type, _version)


@microsoft("Range")
def range_(node: OnnxNode) -> Translated:
    """Return ONNX's Range; the step is 1 by default."""
    start = node.input(0)
    step = node.optional(2) or output(ops.convert_like(1, start))
    return as_operator(node, "Range", 11, [start, node.input(1), step])


@microsoft("Inverse")
def inverse(node: OnnxNode) -> Translated:
    """Return Inverse-14."""
    return ops.inverse(node.input(0), adjoint=False)


def bias_added(value: Output, bias: Output | None) -> Output:
    """Return the sum with a bias, if there is one."""
    return value if bias is None else output(ops.add(value, bias))
