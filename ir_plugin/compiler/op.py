"""Values and ops, the nodes and edges of the compiler's graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ir_plugin.model import Node, Output
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.tensors import Array, ElementType, TensorInfo


class LevelMeaning(NamedTuple):
    """What levels mean: `(level - zero) * scale`, with a scale that broadcasts to the levels."""

    scale: Array
    zero: int

    def numbers(self, levels: Array) -> Array:
        """Return levels as f32."""
        numbers: Array = (levels.astype(np.float32) - np.float32(self.zero)) * self.scale
        return numbers

    def levels(self, numbers: Array) -> Array:
        """Return the nearest levels of numbers."""
        levels: Array = np.clip(np.rint(numbers / self.scale + np.float32(self.zero)), 0, 255).astype(np.uint8)
        return levels


@dataclass(eq=False)
class Value:
    """One tensor of a graph: a parameter, a constant, or the output of an op."""

    element_type: ElementType
    shape: tuple[int, ...] | None
    """None where it is known only at run time."""
    constant: Array | None = None
    producer: Op | None = None
    users: list[Op] = field(default_factory=list)
    is_result: bool = False
    channels_last: bool = False
    """Whether the memory has the second dimension last; the array is then a transposed view of it."""
    strides: tuple[int, ...] | None = None
    """The strides of the array, where they are known at compile time."""
    tensor: TensorInfo | None = None
    """The type, shape and bounds that inference found."""
    port: Output | None = None
    """The layer's output that it is; None for values that only passes create."""
    meaning: LevelMeaning | None = None
    """What levels of u8 mean that stand for the floats of a layer's output."""
    is_fixed: bool = False
    """Whether it is a constant that does not depend on the shapes of the parameters."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array."""
        return self.element_type.dtype

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None where it is unknown."""
        if self.shape is not None:
            return len(self.shape)
        return None if self.tensor is None else self.tensor.shape.ndim

    def length(self, axis: int) -> int | None:
        """Return the length along an axis; None where it is known only at run time."""
        if self.shape is not None:
            return self.shape[axis]
        dims = None if self.tensor is None else self.tensor.shape.dims
        return int(dims[axis].lower) if dims is not None and dims[axis].is_static else None

    @property
    def is_read_once(self) -> bool:
        """Whether one op reads it, once, and it is no result."""
        return len(self.users) == 1 and not self.is_result

    @property
    def nbytes(self) -> int:
        """The size in bytes of a value of known shape."""
        count = 1
        for length in self.shape or ():
            count *= length
        return count * self.dtype.itemsize


@dataclass(eq=False)
class Op:
    """One operation on values; `nodes` are the layers it executes, the first of which names it in errors."""

    operation: Operation
    inputs: list[Value | None]
    outputs: list[Value]
    nodes: list[Node]
    epilogue: list[EpilogueOp] = field(default_factory=list)
    """Elementwise operations fused into the op, applied to its first output in place."""
    misses_values: bool = False
    """Whether inference needs values of the inputs that are known only at run time."""
    aliased_inputs: set[int] = field(default_factory=set)
    """Positions of a Concat's inputs that their producers write straight into its output."""

    @property
    def sources(self) -> list[Value | None]:
        """The values that the operation reads, without the operands of the epilogue."""
        return self.inputs

    @property
    def type(self) -> str:
        """The operation's type; empty for an extension's, which no pass and no kernel may match."""
        return self.operation.type if self.operation.is_built_in else ""

    def is_a(self, *definitions: OperationClass) -> bool:
        """Return whether the op is one of these operations, of any version; an extension's is none of them."""
        return self.operation.is_a(*definitions)

    def attach(self) -> None:
        """Register the op as a user of its operands and as the producer of its outputs."""
        for value in self.operands():
            value.users.append(self)
        for value in self.outputs:
            value.producer = self

    def operands(self) -> list[Value]:
        """Return the values that the op and its epilogue read."""
        values = [*self.inputs, *(fused.operand for fused in self.epilogue)]
        return [value for value in values if value is not None]

    @property
    def is_dynamic(self) -> bool:
        """Whether the shape of an output is known only at run time."""
        return any(value.shape is None for value in self.outputs)


@dataclass(eq=False)
class EpilogueOp:
    """An elementwise operation fused into its producer, with its second operand, if any, and that operand's side."""

    operation: Operation
    operand: Value | None = None
    operand_first: bool = False
