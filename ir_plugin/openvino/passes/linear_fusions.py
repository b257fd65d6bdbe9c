"""Passes that join arithmetic with constants, transposes and reshapes that follow each other."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.model_rewriter import build, constant, constant_values
from ir_plugin.model import Node, Output
from ir_plugin.openvino.passes.base import MatcherPass
from ir_plugin.openvino.passes.fusion import Fusion
from ir_plugin.openvino.passes.pattern import AnyInput, WrapType
from ir_plugin.openvino.passes.predicates import consumers_count
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.tensors import Array, ElementType

_FLOATS = ("f16", "bf16", "f32", "f64")


def linear_fusions() -> list[MatcherPass]:
    """Return the passes, in the order in which they are tried."""
    inverses = [_inverse(Divide, Multiply), _inverse(Subtract, Add)]
    return [*inverses, _sequence(Add), _sequence(Multiply), _negation(), _transposes(), _reshapes()]


def _finite(values: Array, source: Output) -> Output | None:
    """Return a constant of the type of an output, None if a value overflows."""
    return constant(values, source.element_type) if bool(np.isfinite(values).all()) else None


def _sequence(definition: OperationClass) -> MatcherPass:
    """Return the pass from `(x + a) + b` to `x + (a + b)` for constants, or likewise for products."""
    data = AnyInput()
    first, second = WrapType("opset13.Constant"), WrapType("opset13.Constant")
    inner = WrapType(f"opset13.{definition.type}", [data, first], consumers_count(1))
    outer = WrapType(f"opset13.{definition.type}", [inner, second])

    def fused(matched: dict[Node, Output]) -> Node | None:
        a, b = (constant_values(matched[node]) for node in (first, second))
        source = matched[data]
        if a is None or b is None or source.element_type.name not in _FLOATS:
            return None
        with np.errstate(all="ignore"):
            operand = _finite(a + b if definition is Add else a * b, source)
        return None if operand is None else build(definition, [source, operand])

    return Fusion(f"{definition.type}{definition.type}Fusion", outer, fused)


def _inverse(definition: OperationClass, replacement: OperationClass) -> MatcherPass:
    """Return the pass from `x / a` to `x * (1 / a)`, or from `x - a` to `x + -a`."""
    data, operand = AnyInput(), WrapType("opset13.Constant")
    root = WrapType(f"opset13.{definition.type}", [data, operand])

    def fused(matched: dict[Node, Output]) -> Node | None:
        values, source = constant_values(matched[operand]), matched[data]
        if values is None or source.element_type.name not in _FLOATS or constant_values(source) is not None:
            return None
        with np.errstate(all="ignore"):
            inverse = _finite(1 / values if definition is Divide else -values, source)
        return None if inverse is None else build(replacement, [source, inverse])

    return Fusion(f"Convert{definition.type}", root, fused)


def _negation() -> MatcherPass:
    data = AnyInput()
    root = WrapType("opset13.Negative", WrapType("opset13.Negative", data))
    return Fusion("NegationElimination", root, lambda matched: matched[data])


def _transposes() -> MatcherPass:
    """Return the pass that joins two transposes, or removes both."""
    data, first, second = AnyInput(), WrapType("opset13.Constant"), WrapType("opset13.Constant")
    inner = WrapType("opset13.Transpose", [data, first], consumers_count(1))
    root = WrapType("opset13.Transpose", [inner, second])

    def fused(matched: dict[Node, Output]) -> Node | Output | None:
        a, b = (constant_values(matched[node]) for node in (first, second))
        if a is None or b is None or a.size == 0 or a.size != b.size:
            return None
        order = a[b]
        if order.tolist() == list(range(order.size)):
            return matched[data]
        return build(Transpose, [matched[data], constant(order, ElementType.i64)])

    return Fusion("TransposeFuse", root, fused)


def _reshapes() -> MatcherPass:
    """Return the pass that joins two reshapes, the second of which has a static shape."""
    data = AnyInput()
    inner = WrapType("opset13.Reshape", [data, AnyInput()], consumers_count(1))
    root = WrapType("opset13.Reshape", [inner, WrapType("opset13.Constant")])

    def fused(matched: dict[Node, Output]) -> Node | None:
        shape = matched[root].tensor_info.shape
        if not shape.is_static:
            return None
        target = constant(list(shape.to_shape()), ElementType.i64)
        return build(Reshape, [matched[data], target], special_zero=False)

    return Fusion("ReshapeSequenceFusion", root, fused)
