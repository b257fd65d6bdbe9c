"""Passes that remove nodes without effect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.compiler.model_rewriter import bypass, constant_values
from ir_plugin.model import Node
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.split import Split
from ir_plugin.operations.movement.strided_slice import StridedSlice
from ir_plugin.operations.table import OperationTable
from ir_plugin.passes.base import MatcherPass
from ir_plugin.passes.matcher import Matcher
from ir_plugin.passes.pattern import WrapType, type_info

_NEUTRAL = OperationTable({Add: 0, Subtract: 0, Multiply: 1, Divide: 1})

Condition = Callable[[Node], "int | None"]


_RESHAPES = ["opset13.Reshape", "opset13.Squeeze", "opset13.Unsqueeze", "opset1.Squeeze"]
"""Operations that change the shape only, and keep the order of the elements."""


class _ReshapeElimination(MatcherPass):
    """Removes a reshape that leads back to the shape before the reshapes in front of it."""

    def __init__(self) -> None:
        super().__init__()
        types = {type_info(name) for name in _RESHAPES}

        def remove(matcher: Matcher) -> bool:
            port = matcher.get_match_value()
            source = port
            while source.node.get_type_info() in types:
                source = source.node.inputs[0].get_source_output()
                if port.tensor_info.shape.is_static and source.tensor_info.shape == port.tensor_info.shape:
                    return bypass(port, source)
            return False

        self.register_matcher(Matcher(WrapType(_RESHAPES), "EliminateReshapes"), remove)
        self.set_name("EliminateReshapes")


class _Elimination(MatcherPass):
    """Removes nodes of some types for which a condition returns the input that they equal."""

    def __init__(self, types: list[str], equal_input: Condition) -> None:
        super().__init__()

        def remove(matcher: Matcher) -> bool:
            node = matcher.get_match_value().node
            index = equal_input(node)
            return index is not None and bypass(node.outputs[0], node.inputs[index].get_source_output())

        self.register_matcher(Matcher(WrapType(types), "EliminateNop"), remove)
        self.set_name("EliminateNop")


def nop_eliminations() -> list[MatcherPass]:
    """Return the passes."""
    shapes = ["opset13.Tile", "opset3.Broadcast", "opset8.Slice", "opset1.StridedSlice", "opset1.Broadcast"]
    return [
        _ReshapeElimination(),
        _Elimination([f"opset13.{definition.type}" for definition in _NEUTRAL.definitions], _neutral_operand),
        _Elimination(["opset13.Convert"], _same_type),
        _Elimination(shapes, _same_shape),
        _Elimination(["opset13.Transpose"], _same_order),
        _Elimination(["opset13.Concat", "opset13.Split", "opset16.Identity"], _single_part),
        _Elimination(["opset12.Pad", "opset1.Pad"], _no_padding),
    ]


def _neutral_operand(node: Node) -> int | None:
    """Return the other input of an arithmetic node with a neutral constant that does not change the shape."""
    neutral = _NEUTRAL[node.operation]
    positions = (1,) if node.is_a(Subtract, Divide) else (0, 1)
    for position in positions:
        values = constant_values(node.inputs[position].source)
        other = node.inputs[1 - position]
        if values is None or not values.size or not bool(np.all(values == neutral)):
            continue
        is_signed_zero = neutral == 0 and values.dtype.kind == "f" and bool(np.signbit(values).any())
        if _keeps(node, 1 - position) and values.ndim <= len(other.tensor_info.shape.dims or ()) and not is_signed_zero:
            return 1 - position
    return None


def _keeps(node: Node, index: int) -> bool:
    """Return whether type and shape of the output are those of an input, and known to be."""
    before, after = node.inputs[index].tensor_info, node.outputs[0].tensor_info
    if before.element_type is not after.element_type or before.shape.dims is None or after.shape.dims is None:
        return False
    if before.shape.is_static and after.shape.is_static:
        return bool(before.shape == after.shape)
    return node.is_a(*_NEUTRAL.definitions) and _is_scalar_other(node, index) and bool(before.shape == after.shape)


def _is_scalar_other(node: Node, index: int) -> bool:
    values = constant_values(node.inputs[1 - index].source)
    return values is not None and values.size == 1


def _same_type(node: Node) -> int | None:
    return 0 if node.inputs[0].element_type is node.outputs[0].element_type else None


def _same_shape(node: Node) -> int | None:
    """Return 0 if a node that only moves elements in order changes neither shape nor order."""
    if not _keeps(node, 0):
        return None
    if not node.is_a(Slice, StridedSlice):
        return 0
    steps = constant_values(node.inputs[3].source) if len(node.inputs) > 3 else np.ones(1)
    return 0 if steps is not None and bool((steps > 0).all()) else None


def _single_part(node: Node) -> int | None:
    """Return 0 for a Concat of a single input, or a Split into a single output."""
    is_split = node.is_a(Split)
    return 0 if (len(node.outputs) if is_split else len(node.inputs)) == 1 else None


def _same_order(node: Node) -> int | None:
    order = constant_values(node.inputs[1].source)
    is_same = order is not None and order.size > 0 and order.tolist() == list(range(order.size))
    return 0 if is_same else None


def _no_padding(node: Node) -> int | None:
    pads = [constant_values(node.inputs[index].source) for index in (1, 2)]
    return 0 if all(values is not None and not values.any() for values in pads) else None
