"""Calls whose evaluation needs no inference before it, where shapes are only known in the run."""

from __future__ import annotations

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.operations.elementwise import Binary, Unary

_MOVES = frozenset(
    ["Assign", "Concat", "Convert", "ReadValue", "Reshape", "ShapeOf", "Slice", "Squeeze", "Transpose", "Unsqueeze"]
)
"""Operations that NumPy checks when it does them, and whose results are no larger than what they read."""


def is_trusted(op: Op) -> bool:
    """Return whether an evaluation refuses what does not fit, and takes no more memory than its inputs have.

    Inference of a layer takes some 50 microseconds, of which a decoder has hundreds for each token.
    """
    if op.operation.is_internal:
        return True
    if not op.operation.is_built_in:
        return False
    if op.type == "If":
        return True  # its bodies are inferred when they are planned for the shapes that they get
    if op.type in _MOVES or isinstance(op.operation, Unary):
        return True
    if not isinstance(op.operation, Binary) or op.operation.auto_broadcast != "numpy":
        return False
    return any(_is_single(op, position) for position in range(len(op.inputs)))


def _is_single(op: Op, position: int) -> bool:
    """Return whether an input has one element, and no more dimensions than another one."""
    value = op.inputs[position]
    rank = rank_of(value)
    if value is None or rank is None:
        return False
    return all(static_length(value, axis) == 1 for axis in range(rank))
