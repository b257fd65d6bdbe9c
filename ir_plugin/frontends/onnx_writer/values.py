"""Element types as ONNX holds them, and the types that an operator computes in where it lacks one."""

from __future__ import annotations

from collections.abc import Collection

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.tensors import ElementType

_TYPE_TEXTS = {
    "f32": "float", "f64": "double", "f16": "float16", "bf16": "bfloat16", "boolean": "bool", "i8": "int8",
    "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f8e4m3": "float8e4m3fn", "f8e4m3fnuz": "float8e4m3fnuz", "f8e5m2": "float8e5m2", "f8e5m2fnuz": "float8e5m2fnuz",
    "i4": "int4", "u4": "uint4", "i2": "int2", "u2": "uint2", "f4e2m1": "float4e2m1", "f8e8m0": "float8e8m0",
}  # fmt: skip
"""Names in the types of ONNX's schemas, where they differ from ours."""
_SINCE = {
    "bf16": 13, "f8e4m3": 19, "f8e4m3fnuz": 19, "f8e5m2": 19, "f8e5m2fnuz": 19, "i4": 21, "u4": 21, "f4e2m1": 23,
    "f8e8m0": 24, "i2": 25, "u2": 25,
}  # fmt: skip
"""The opsets that brought element types."""
_KIND_SINCE = {"sequence": 14, "optional": 16}
"""The opsets from which on Identity and If take values of a kind."""
_HOLDERS = {
    "u1": "u8", "u2": "u8", "u3": "u8", "u4": "u8", "u6": "u8", "i2": "i8", "i4": "i8", "nf4": "f32", "f4e2m1": "f32"
}  # fmt: skip
"""The types that hold the values of types that ONNX, or an older opset, lacks."""
_WIDER = {
    "boolean": ("i32", "f32"), "i4": ("i32", "f64"), "u4": ("i32", "f64"), "i2": ("i32", "f64"), "u2": ("i32", "f64"),
    "i8": ("i32", "i64", "f64"), "u8": ("i32", "i64", "f64"), "i16": ("i32", "i64", "f64"),
    "u16": ("i32", "i64", "f64"),
    "u32": ("i64", "f64"), "i32": ("i64", "f64"), "f16": ("f32",), "bf16": ("f32",), "f32": ("f64",),
    "f8e4m3": ("f32",), "f8e4m3fnuz": ("f32",), "f8e5m2": ("f32",), "f8e5m2fnuz": ("f32",), "f4e2m1": ("f32",),
    "f8e8m0": ("f32",),
}  # fmt: skip
"""The types that hold all values of a type, in the order of preference."""


def held(element_type: ElementType, opset: int) -> ElementType:
    """Return the type in which ONNX of an opset holds values of an element type."""
    name, item = element_type.name, element_type.item
    if item is not None and held(item, opset) is item and _KIND_SINCE.get(element_type.kind, 0) <= opset:
        return element_type
    if item is None and number_of(element_type) and _SINCE.get(name, 0) <= opset:
        return element_type
    holder = ElementType.from_name(_HOLDERS.get(name, ""))
    if holder is None:
        raise NotExpressibleError(f"ONNX of opset {opset} lacks the element type {name}")
    return holder


def type_text(element_type: ElementType) -> str:
    """Return an element type as ONNX's schemas write it."""
    item = element_type.item
    if item is None:
        return f"tensor({_TYPE_TEXTS.get(element_type.name, element_type.name)})"
    if element_type.kind == "map":
        return f"map({'string' if element_type.name.startswith('map_string') else 'int64'}, {type_text(item)})"
    return f"{'seq' if element_type.kind == 'sequence' else element_type.kind}({type_text(item)})"


def type_of_text(text: str) -> ElementType | None:
    """Return the element type of a tensor's type in a schema; None for any other type."""
    name = text.removeprefix("tensor(").removesuffix(")")
    ours = next((ours for ours, theirs in _TYPE_TEXTS.items() if theirs == name), name)
    return ElementType.from_name(ours)


def computing_type(element_type: ElementType, allowed: Collection[str]) -> ElementType | None:
    """Return the type that an operator computes values of an element type in, None where it has none for them."""
    if type_text(element_type) in allowed:
        return element_type
    for name in _WIDER.get(element_type.name, ()):
        wider = ElementType.from_name(name)
        if wider is not None and type_text(wider) in allowed:
            return wider
    return None
