"""The types of items, positions and copies, for operations on sequences, optionals and maps."""

from __future__ import annotations

from typing import Any

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.tensors import Array, ElementType, TensorInfo


def item_type(part: str, tensor: TensorInfo, kind: str) -> ElementType:
    """Return the type of the items of a container; raises for a tensor of another kind."""
    container = tensor.element_type
    if container.is_dynamic:
        return container
    if container.kind != kind or container.item is None:
        example = "map_i64_f32" if kind == "map" else f"{kind}_f32"
        raise ShapeError(part, f"{part} has the element type {container.name}; it must be {example} or another {kind}")
    return container.item


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
