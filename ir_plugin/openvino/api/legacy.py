"""Element types of the inputs and outputs of version 10 models at run time."""

from __future__ import annotations

from ir_plugin.tensors import ElementType

_LEGACY = 10
_WIDE = ("i64", "u64", "u32", "i32")


def legacy_input_type(element_type: ElementType, version: int) -> ElementType:
    """Return the type of a model's input for callers: f32 for f16 in a version 10 model."""
    return ElementType.f32 if version == _LEGACY and element_type is ElementType.f16 else element_type


def legacy_output_type(element_type: ElementType, version: int) -> ElementType:
    """Return the type of a model's output for callers: in a version 10 model i32 for wide integers, else f32."""
    if version != _LEGACY or element_type.is_dynamic:
        return element_type
    return ElementType.i32 if element_type.name in _WIDE else ElementType.f32
