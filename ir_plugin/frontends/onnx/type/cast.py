"""Cast and CastLike."""

from __future__ import annotations

from ir_plugin import opset16 as ops
from ir_plugin.frontends.onnx.common import Value, cast
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.model import Output
from ir_plugin.tensors import ElementType


@translates("Cast", 6)
def cast_(node: OnnxNode) -> Value:
    """Return Convert-1."""
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
    wanted = node.type_of(1)
    return ops.convert_like(node.input(0), node.input(1)) if wanted.is_dynamic else converted(node, wanted)


def converted(node: OnnxNode, wanted: ElementType) -> Output:
    """Return the first input in another type."""
    return cast(node.input(0), wanted)
