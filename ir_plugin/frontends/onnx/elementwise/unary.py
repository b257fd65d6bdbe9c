"""Unary operators that translate to one operation of the opsets."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import scalar
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops

_SAME = {
    "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan", "Atanh": "atanh",
    "BitwiseNot": "bitwise_not", "Ceil": "ceiling", "Cos": "cos", "Cosh": "cosh", "Erf": "erf", "Exp": "exp",
    "Floor": "floor", "Log": "log", "Neg": "negative", "Not": "logical_not", "Relu": "relu", "Sigmoid": "sigmoid",
    "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Softsign": "softsign", "Sqrt": "sqrt", "Tan": "tan", "Tanh": "tanh",
    "IsNaN": "is_nan",
}  # fmt: skip
_FIRST = {
    "Acos": 7, "Acosh": 9, "Asin": 7, "Asinh": 9, "Atan": 7, "Atanh": 9, "BitwiseNot": 18, "Cos": 7, "Cosh": 9,
    "Erf": 9, "IsNaN": 9, "Sign": 9, "Sin": 7, "Sinh": 9, "Tan": 7,
}  # fmt: skip


def _register(type: str, function: str) -> None:
    @translates(type, _FIRST.get(type, 1))
    def translate(node: OnnxNode) -> Node:
        built: Node = getattr(ops, function)(node.input(0))
        return built


for _type, _function in _SAME.items():
    _register(_type, _function)


@translates("Reciprocal", 1)
def reciprocal(node: OnnxNode) -> Node:
    """Return 1 / x."""
    return ops.divide(scalar(1, node.input(0)), node.input(0))


@translates("Round", 11)
def round(node: OnnxNode) -> Node:
    """Return the nearest whole numbers, halves to even."""
    return ops.round(node.input(0), "half_to_even")


@translates("IsInf", 10)
def is_inf(node: OnnxNode) -> Node:
    """Return where the infinities of the chosen signs are."""
    signs = {
        "detect_negative": node.attributes.flag("detect_negative"),
        "detect_positive": node.attributes.flag("detect_positive"),
    }
    return ops.is_inf(node.input(0), signs)


@translates("Identity", 1)
def same(node: OnnxNode) -> Output:
    """Return the input itself."""
    return node.input(0)
