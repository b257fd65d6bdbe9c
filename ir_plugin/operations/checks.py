"""Checks of element types that several operations share."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.tensors import ElementType, Tensor

_NAMES = {
    "integer": "an integer",
    "float": "a floating-point",
    "number": "a numeric",
    "boolean": "a boolean",
    "string": "a string",
}


def is_kind(element_type: ElementType, kind: str) -> bool:
    """Return whether a type is of a kind (integer, float, number, boolean, string) or of that name, or not known."""
    if element_type.is_dynamic:
        return True
    kinds = {
        "integer": element_type.is_integral_number,
        "float": element_type.is_real,
        "number": element_type.is_real or element_type.is_integral_number,
    }
    return bool(kinds.get(kind, element_type.name == kind))


def require_type(part: str, tensor: Tensor, *kinds: str) -> None:
    """Raise unless the element type is of one of the kinds (see `is_kind`)."""
    if not any(is_kind(tensor.element_type, kind) for kind in kinds):
        wanted = " or ".join(_NAMES.get(kind, kind) for kind in kinds)
        raise ShapeError(part, f"{part} has the element type {tensor.element_type}; it must have {wanted} type")


def merge_types(*tensors: Tensor, part: str = "") -> ElementType:
    """Return the one element type that all tensors have."""
    merged = ElementType.dynamic
    for position, tensor in enumerate(tensors):
        found = merged.merge(tensor.element_type)
        if found is None:
            raise ShapeError(
                part or f"input {position}",
                f"{part or f'input {position}'} has the element type {tensor.element_type}, others have {merged}; "
                "they must be equal",
            )
        merged = found
    return merged
