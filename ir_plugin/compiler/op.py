"""Values and ops: what a graph of the compiler is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ir_plugin.model import Node, Output
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, ElementType, TensorInfo


@dataclass(eq=False)
class Value:
    """One tensor of a graph: a parameter, a constant, or the output of an op."""

    element_type: ElementType
    shape: tuple[int, ...] | None
    """None where it is only known in the run."""
    constant: Array | None = None
    producer: Op | None = None
    users: list[Op] = field(default_factory=list)
    is_result: bool = False
    channels_last: bool = False
    """Whether the memory has the second dimension last; the array that stands for it is a transposed view."""
    strides: tuple[int, ...] | None = None
    """Those of the array that will stand for it, where they are known."""
    tensor: TensorInfo | None = None
    """What inference knows of it."""
    port: Output | None = None
    """The output of a layer that it stands for; None for what no layer of the model gives."""
    is_fixed: bool = False
    """Whether it is a constant that is the same for all shapes of the parameters."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array."""
        return self.element_type.dtype

    @property
    def nbytes(self) -> int:
        """The bytes of a value of known shape."""
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
    """Elementwise operations that are applied to the first output in place."""
    misses_values: bool = False
    """Whether inference asked for values of its inputs that are not known before the run."""
    aliased_inputs: set[int] = field(default_factory=set)
    """Positions of inputs that are written where this op, a Concat, would copy them."""

    @property
    def type(self) -> str:
        """The operation's type; empty for an extension's, of which no pass and no kernel knows the meaning."""
        return self.operation.type if self.operation.is_built_in else ""

    def attach(self) -> None:
        """Register the op as a user of its operands and as the producer of its outputs."""
        for value in self.operands():
            value.users.append(self)
        for value in self.outputs:
            value.producer = self

    def operands(self) -> list[Value]:
        """Return the values that the op reads, those of its epilogue included."""
        values = [*self.inputs, *(fused.operand for fused in self.epilogue)]
        return [value for value in values if value is not None]

    @property
    def is_dynamic(self) -> bool:
        """Whether the shape of an output is only known in the run."""
        return any(value.shape is None for value in self.outputs)


@dataclass(eq=False)
class EpilogueOp:
    """An elementwise operation fused behind another: its operand (None for unary ones), and on which side it stands."""

    operation: Operation
    operand: Value | None = None
    operand_first: bool = False
