"""The types of items, positions and copies, for operations on sequences, optionals and maps."""

from __future__ import annotations

from typing import Any

from ir_plugin.errors import EvaluationError
from ir_plugin.tensors import Array, ElementType, TensorInfo


def of_item(element_type: ElementType) -> TensorInfo:
    """Return the tensor info of an item: a container is a vector, a tensor may have any shape."""
    return TensorInfo(element_type, [-1] if element_type.is_container else None)


def owned(value: Any) -> Any:
    """Return a copy of an item, whose memory the engine may use again."""
    return value if value.dtype.hasobject else value.copy()


def position_of(position: Array, length: int, extra: int = 0) -> int:
    """Return a position counted from the front; raises outside the sequence."""
    index = int(position.reshape(()))
    if not -length <= index < length + extra:
        raise EvaluationError(f"position is {index}; it must be in [{-length}, {length - 1 + extra}]")
    return index + length if index < 0 else index
