"""Passes that replace several nodes by one with the same numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.model import Node, Output
from ir_plugin.passes.base import MatcherPass
from ir_plugin.passes.building import build, bypass, constant, constant_values
from ir_plugin.passes.matcher import Matcher
from ir_plugin.passes.pattern import AnyInput, WrapType
from ir_plugin.passes.predicates import consumers_count

Match = Callable[[dict[Node, Output]], "Node | None"]


class _Fusion(MatcherPass):
    """Replaces the root of a match by the node that a function builds from it, if any."""

    def __init__(self, name: str, root: Node, build_fused: Match) -> None:
        super().__init__()

        def fuse(matcher: Matcher) -> bool:
            old = matcher.get_match_value()
            fused = build_fused(matcher.get_pattern_value_map())
            if fused is None:
                return False
            fused.name = old.node.name
            return bypass(old, fused.outputs[0])

        self.register_matcher(Matcher(root, name), fuse)
        self.set_name(name)


def common_fusions() -> list[MatcherPass]:
    """Return the passes."""
    return [_sequence("Add"), _sequence("Multiply"), _swish(), _softplus(), _mish(), _clamp()]


def _sequence(type: str) -> MatcherPass:
    """Return the pass from `(x + a) + b` to `x + (a + b)` for constants, or likewise for products."""
    data = AnyInput()
    first, second = WrapType("opset13.Constant"), WrapType("opset13.Constant")
    inner = WrapType(f"opset13.{type}", [data, first], consumers_count(1))
    outer = WrapType(f"opset13.{type}", [inner, second])

    def fused(matched: dict[Node, Output]) -> Node | None:
        values = [constant_values(matched[node]) for node in (first, second)]
        source = matched[data]
        if values[0] is None or values[1] is None or source.element_type.name not in ("f32", "f64"):
            return None
        with np.errstate(all="ignore"):
            folded = values[0] + values[1] if type == "Add" else values[0] * values[1]
        if not np.isfinite(folded).all():
            return None
        return build(type, "opset1", [source, constant(folded, source.element_type)])

    return _Fusion(f"{type}{type}Fusion", outer, fused)


def _swish() -> MatcherPass:
    data = AnyInput()
    root = WrapType("opset13.Multiply", [data, WrapType("opset13.Sigmoid", data, consumers_count(1))])
    return _Fusion("SwishFusion", root, lambda matched: build("Swish", "opset4", [matched[data]]))


def _softplus() -> MatcherPass:
    """Return the pass from `log(exp(x) + 1)` to SoftPlus."""
    data, one = AnyInput(), WrapType("opset13.Constant")
    total = WrapType("opset13.Add", [WrapType("opset13.Exp", data, consumers_count(1)), one], consumers_count(1))

    def fused(matched: dict[Node, Output]) -> Node | None:
        return build("SoftPlus", "opset4", [matched[data]]) if _scalar(matched[one]) == 1 else None

    return _Fusion("SoftPlusFusion", WrapType("opset13.Log", total), fused)


def _mish() -> MatcherPass:
    """Return the pass from `x * tanh(softplus(x))` to Mish."""
    data = AnyInput()
    softplus = WrapType("opset13.SoftPlus", data, consumers_count(1))
    root = WrapType("opset13.Multiply", [data, WrapType("opset13.Tanh", softplus, consumers_count(1))])
    return _Fusion("MishFusion", root, lambda matched: build("Mish", "opset4", [matched[data]]))


def _clamp() -> MatcherPass:
    """Return the pass from `minimum(maximum(x, low), high)` to Clamp."""
    data, low, high = AnyInput(), WrapType("opset13.Constant"), WrapType("opset13.Constant")
    root = WrapType("opset13.Minimum", [WrapType("opset13.Maximum", [data, low], consumers_count(1)), high])

    def fused(matched: dict[Node, Output]) -> Node | None:
        bounds = _scalar(matched[low]), _scalar(matched[high])
        source = matched[data]
        if bounds[0] is None or bounds[1] is None or bounds[0] > bounds[1] or source.known.shape.dims is None:
            return None
        return build("Clamp", "opset1", [source], min=bounds[0], max=bounds[1])

    return _Fusion("ClampFusion", root, fused)


def _scalar(value: Output) -> float | None:
    """Return the number that a constant without dimensions holds, None for another one."""
    values = constant_values(value)
    return float(values) if values is not None and values.ndim == 0 else None
