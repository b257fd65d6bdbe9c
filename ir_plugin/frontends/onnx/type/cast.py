"""Cast, CastLike and BitCast."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, extension, output, scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_NEWEST = (ElementType.f8e8m0, ElementType.string)
_SATURATED = {
    ElementType.f8e4m3: 448.0,
    ElementType.f8e5m2: 57344.0,
    ElementType.f8e4m3fnuz: 240.0,
    ElementType.f8e5m2fnuz: 57344.0,
}
"""The largest numbers of the types to which numbers out of range are cut."""


@translates("Cast", 6)
def cast_(node: OnnxNode) -> Value:
    """Return Convert-1, after a Clamp for saturating 8-bit floats; the extension's Cast for strings and f8e8m0."""
    return converted(node, node.attributes.element_type("to"))


@translates("Cast", 1)
def cast_1(node: OnnxNode) -> Value:
    """As the newest, but with the type as a text: `FLOAT`."""
    from onnx import TensorProto

    text = node.attributes.text("to")
    numbers = dict(TensorProto.DataType.items())
    if text not in numbers:
        raise OnnxReadError(f"the attribute 'to' is {text!r}; it must be a type such as FLOAT")
    return converted(node, element_type_of(numbers[text]))


@translates("CastLike", 15)
def cast_like(node: OnnxNode) -> Value:
    """Return the data in the type of the second input."""
    target = node.type_of(1)
    return ops.convert_like(node.input(0), node.input(1)) if target.is_dynamic else converted(node, target)


@translates("BitCast", 26)
def bit_cast(node: OnnxNode) -> Value:
    """Return BitCast of the extension."""
    return extension("BitCast", [node.input(0)], destination_type=node.attributes.element_type("to"))


def converted(node: OnnxNode, target: ElementType) -> Output:
    """Return the first input in another type."""
    mode = node.attributes.text("round_mode", "up")
    return converted_to(node.input(0), target, saturate=node.attributes.flag("saturate", 1), mode=mode)


def converted_to(data: Output, target: ElementType, saturate: bool, mode: str = "up") -> Output:
    """Return a value in another type; numbers out of range are cut to 8-bit floats that saturate."""
    source = data.tensor_info.element_type
    if source is target:
        return data
    if target in _NEWEST or source is ElementType.string:
        if mode not in ("up", "down", "nearest"):
            raise OnnxReadError(f"the attribute 'round_mode' is {mode!r}; it must be up, down or nearest")
        return output(extension("Cast", [data], destination_type=target, saturate=saturate, round_mode=mode))
    if target in _SATURATED and saturate:
        largest = _SATURATED[target]
        return output(ops.convert(ops.clamp(cast(data, ElementType.f32), -largest, largest), target.name))
    if target is ElementType.f4e2m1 and source.is_floating:
        wide = cast(data, ElementType.f32)
        data = output(ops.select(ops.is_nan(wide), scalar(np.float32(-0.0), wide), wide))
    if source.kind == "complex" or target.kind == "complex":
        raise OnnxUnsupportedError(f"a conversion from {source.name} to {target.name} is not supported")
    return cast(data, target)
