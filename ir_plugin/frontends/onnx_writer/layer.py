"""A layer of ours as its writer sees it: operation, inputs by their names in ONNX, and nodes to add."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx_writer.compositions import composition
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.graph import GraphBuilder
from ir_plugin.model import Node
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo

i64 = ElementType.i64
f32 = ElementType.f32
MAX_I64 = 2**63 - 1


class Layer:
    """One layer with the names of its inputs; `emit` adds ONNX nodes."""

    def __init__(self, graph: GraphBuilder, node: Node, inputs: Sequence[str]) -> None:
        self.graph = graph
        self.node = node
        self.inputs = list(inputs)
        self.scope: Any = None
        """The writer of the graph that the layer belongs to, which writes bodies."""

    @property
    def operation(self) -> Any:
        """The operation, with its attributes."""
        return self.node.operation

    @property
    def opset(self) -> int:
        """The opset that is written."""
        return self.graph.document.opset

    def has(self, position: int) -> bool:
        """Return whether an input is connected."""
        return position < len(self.inputs) and bool(self.inputs[position])

    def info(self, position: int = 0) -> TensorInfo:
        """Return the inferred type and shape of an input."""
        return self.node.inputs[position].tensor_info

    def output_info(self, position: int = 0) -> TensorInfo:
        """Return the inferred type and shape of an output."""
        return self.node.outputs[position].tensor_info

    def shape(self, position: int = 0) -> PartialShape:
        """Return the inferred shape of an input; raises if its rank is not known."""
        shape = self.info(position).shape
        if shape.dims is None:
            raise NotExpressibleError(f"the rank of input {position} is not known")
        return shape

    def rank(self, position: int = 0) -> int:
        """Return the rank of an input; raises if it is not known."""
        return len(self.shape(position))

    def lengths(self, position: int = 0) -> list[int]:
        """Return the lengths of an input; raises if one is not known."""
        shape = self.shape(position)
        if any(dim.is_dynamic for dim in shape):
            raise NotExpressibleError(f"the shape of input {position}, {shape}, has open lengths")
        return [dim.get_length() for dim in shape]

    def constant_values(self, position: int) -> Array:
        """Return the values of an input; raises if they are not known."""
        value = self.value(position)
        if value is None:
            raise NotExpressibleError(f"the values of input {position} are not known when the model is written")
        return value

    def value(self, position: int) -> Array | None:
        """Return the values of an input, or None if they are not known."""
        return self.info(position).value if self.has(position) else None

    def integers(self, position: int) -> list[int]:
        """Return the values of an input as a list of integers."""
        return [int(value) for value in self.constant_values(position).reshape(-1)]

    def axis(self, axis: int, position: int = 0) -> int:
        """Return an axis of an input counted from the front."""
        return axis + self.rank(position) if axis < 0 else axis

    def type_of(self, value: str) -> ElementType:
        """Return the element type of a value."""
        return self.graph.document.types[value]

    def emit(self, op: str, *inputs: str, result: ElementType | None = None, **attributes: Any) -> str:
        """Add a node with one output, or what an opset without it has in its place, and return the output's name."""
        compose = composition(op, self.opset)
        if compose is not None:
            return compose(self, *inputs, **attributes)
        return self.node_output(op, *inputs, result=result, **attributes)

    def node_output(self, op: str, *inputs: str, result: ElementType | None = None, **attributes: Any) -> str:
        """Add a node with one output, and return the output's name."""
        return self.graph.emit(op, inputs, 1, result, attributes)[0]

    def emit_all(
        self, op: str, *inputs: str, count: int, result: ElementType | None = None, **attributes: Any
    ) -> list[str]:
        """Add a node with several outputs, and return their names."""
        return self.graph.emit(op, inputs, count, result, attributes)

    def fresh(self, name: str) -> str:
        """Return a name that no value has yet."""
        return self.graph.fresh(name)

    def add(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], types: Sequence[ElementType], **attributes: Any
    ) -> None:
        """Add a node whose inputs need no casts, with outputs of these names and types."""
        self.graph.add(op, inputs, outputs, attributes)
        self.graph.document.types.update(zip(outputs, types, strict=True))

    def cast(self, value: str, element_type: ElementType) -> str:
        """Return a value in an element type that ONNX has."""
        return self.graph.cast(value, element_type)

    def constant(self, values: Any, element_type: ElementType | None = None) -> str:
        """Return a constant of an element type, by default of integers in i64 and of others in f32."""
        array = np.asarray(values)
        default = i64 if array.dtype.kind in "iu" else f32
        chosen = element_type or default
        return self.graph.document.constant(np.asarray(values, chosen.dtype), chosen)

    def like(self, number: float, value: str) -> str:
        """Return a scalar constant of the element type of a value."""
        return self.constant(number, self.type_of(value))

    def list_of(self, *values: int) -> str:
        """Return a constant of whole numbers."""
        return self.constant(np.array(values, np.int64), i64)

    def where(self, condition: str, then: str, otherwise: str) -> str:
        """Return a choice between values; onnxruntime has no Where for truth values."""
        if self.type_of(then) is not ElementType.boolean:
            return self.emit("Where", condition, then, otherwise)
        return self.emit(
            "Or",
            self.emit("And", condition, then),
            self.emit("And", self.emit("Not", condition), otherwise),
        )

    def saturated(self, value: str, element_type: ElementType) -> str:
        """Return floats as integers: rounded, halves to even, and cut to the range; NaN is the lowest number."""
        if element_type is ElementType.boolean:
            rounded = self.emit("Round", value)
            return self.emit("Greater", rounded, self.like(0, rounded))
        info = np.iinfo(element_type.dtype)
        wide = self.cast(self.emit("Round", value), ElementType.f64)
        low, high = self.constant(float(info.min), ElementType.f64), self.constant(float(info.max), ElementType.f64)
        above = self.emit("GreaterOrEqual", wide, high)
        inside = self.emit("And", self.emit("Greater", wide, low), self.emit("Not", above))
        whole = self.cast(self.emit("Where", inside, wide, self.constant(0.0, ElementType.f64)), element_type)
        outside = self.emit(
            "Where", above, self.constant(info.max, element_type), self.constant(info.min, element_type)
        )
        return self.emit("Where", inside, whole, outside)

    # -- shapes ------------------------------------------------------------------------------------------------

    def unsqueeze(self, value: str, *axes: int) -> str:
        """Return a value with axes of length 1 inserted."""
        return self._with_axes("Unsqueeze", value, axes) if axes else value

    def squeeze(self, value: str, *axes: int) -> str:
        """Return a value without axes of length 1."""
        return self._with_axes("Squeeze", value, axes) if axes else value

    def _with_axes(self, op: str, value: str, axes: Sequence[int]) -> str:
        """Return an operator along axes, which older opsets have as an attribute."""
        if self.opset < 13:
            return self.emit(op, value, axes=list(axes))
        return self.emit(op, value, self.list_of(*axes))

    def transpose(self, value: str, order: Sequence[int]) -> str:
        """Return a value with its axes in another order."""
        return value if list(order) == list(range(len(order))) else self.emit("Transpose", value, perm=list(order))

    def dim(self, position: int, axis: int) -> int | str:
        """Return the length of an axis of an input: a number, or a value of one element where it is open."""
        dims = self.info(position).shape.dims
        if dims is not None and dims[axis].is_static:
            return dims[axis].get_length()
        return self.length(self.inputs[position], axis)

    def length(self, value: str, axis: int) -> str:
        """Return the length of an axis of a value, as a value of one element."""
        return self.element(self.emit("Shape", value), axis)

    def element(self, values: str, position: int) -> str:
        """Return one element of a list, as a value of one element."""
        return self.emit("Gather", values, self.list_of(position), axis=0)

    def vector(self, *parts: int | str) -> str:
        """Return a list of numbers and values of one element, a constant where all are numbers."""
        if all(isinstance(part, int) for part in parts):
            return self.list_of(*(int(part) for part in parts))
        values = [part if isinstance(part, str) else self.list_of(part) for part in parts]
        return self.emit("Concat", *values, axis=0) if len(values) > 1 else values[0]

    def arithmetic(self, op: str, a: int | str, b: int | str) -> int | str:
        """Return Add, Sub, Mul, Div or Max of two lengths, which are numbers or values of one element."""
        if isinstance(a, int) and isinstance(b, int):
            return {"Add": a + b, "Sub": a - b, "Mul": a * b, "Div": a // b if b else 0, "Max": max(a, b)}[op]
        left, right = (part if isinstance(part, str) else self.list_of(part) for part in (a, b))
        return self.emit(op, left, right)

    def reshape(self, value: str, *parts: int | str) -> str:
        """Return a value in a shape of numbers and values of one element; 0 is a length of 0."""
        return self.emit("Reshape", value, self.vector(*parts), allowzero=1 if 0 in parts else None)

    def split(self, value: str, axis: int, *lengths: int | str) -> list[str]:
        """Return parts of a value of these lengths along an axis; older opsets slice parts of computed lengths."""
        count = len(lengths)
        if self.opset >= 13:
            return self.emit_all("Split", value, self.vector(*lengths), axis=axis, count=count)
        if all(isinstance(length, int) for length in lengths):
            return self.emit_all("Split", value, axis=axis, split=list(lengths), count=count)
        ends = list(accumulate(lengths, partial(self.arithmetic, "Add")))
        return [self.slice(value, axis, start, stop) for start, stop in pairwise([0, *ends])]

    def slice(self, value: str, axis: int, start: int | str, stop: int | str, step: int = 1) -> str:
        """Return a part of a value along an axis."""
        return self.emit("Slice", value, self.vector(start), self.vector(stop), self.list_of(axis), self.list_of(step))

    def reduce(self, op: str, value: str, axes: Sequence[int], keep: bool = True) -> str:
        """Return the reduction of a value by an operator of ONNX along known axes, of which there is at least one."""
        if self.opset < (13 if op == "ReduceSum" else 18):
            return self.emit(op, value, axes=list(axes), keepdims=int(keep))
        return self.emit(op, value, self.list_of(*axes), keepdims=int(keep))
