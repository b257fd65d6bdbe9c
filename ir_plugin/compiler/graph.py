"""The graph that passes change: values and calls, made from a model and its inferred tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ir_plugin.compiler.memory.weight_cache import Kept
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, ElementType, Tensor
from ir_plugin.validation.inference import Inference


@dataclass(eq=False)
class Value:
    """One tensor of a program: a parameter, a constant, or the output of a call."""

    element_type: ElementType
    shape: tuple[int, ...] | None
    """None where it is only known in the run."""
    constant: Array | None = None
    producer: Call | None = None
    users: list[Call] = field(default_factory=list)
    is_result: bool = False
    channels_last: bool = False
    """Whether the memory has the second dimension last; the array that stands for it is a transposed view."""
    strides: tuple[int, ...] | None = None
    """Those of the array that will stand for it, where they are known."""
    tensor: Tensor | None = None
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
class Call:
    """One operation on values; `nodes` are the layers it stands for, the first of which names it in errors."""

    operation: Operation
    inputs: list[Value | None]
    outputs: list[Value]
    nodes: list[Node]
    post: list[Post] = field(default_factory=list)
    """Elementwise operations that are applied to the first output in place."""
    misses_values: bool = False
    """Whether inference asked for values of its inputs that are not known before the run."""
    placed: set[int] = field(default_factory=set)
    """Positions of inputs that are written where this call, a Concat, would copy them."""

    @property
    def type(self) -> str:
        """The operation's type; empty for an extension's, of which no pass and no kernel knows the meaning."""
        return self.operation.type if self.operation.is_built_in else ""

    @property
    def is_dynamic(self) -> bool:
        """Whether the shape of an output is only known in the run."""
        return any(value.shape is None for value in self.outputs)


@dataclass(eq=False)
class Post:
    """An elementwise operation fused behind another: its operand (None for unary ones), and on which side it stands."""

    operation: Operation
    operand: Value | None = None
    operand_first: bool = False


class Program:
    """Calls in an order that can be executed."""

    def __init__(self, model: Model, inference: Inference, kept: Kept | None = None) -> None:
        self.model = model
        self.kept = kept or Kept()
        self.calls: list[Call] = []
        self.parameters: list[Value] = []
        self.results: list[Value] = []
        self.folded: list[Node] = []
        values: dict[Output, Value] = {}
        for node in model.ordered():
            for port in node.outputs:
                values[port] = _value(inference.tensors[port], port)
            if node.operation.type in ("Parameter", "Result"):
                continue
            inputs = [None if port.source is None else values[port.source] for port in node.inputs]
            outputs, misses = [values[port] for port in node.outputs], node in inference.missing_values
            self.add(Call(inference.operations[node], inputs, outputs, [node], misses_values=misses))
        self.parameters = [values[node.outputs[0]] for node in model.parameters]
        for node in model.results:
            source = node.inputs[0].source
            if source is not None:
                values[source].is_result = True
                self.results.append(values[source])

    def add(self, call: Call) -> None:
        """Append a call, and note it at its values."""
        self.calls.append(call)
        for value in call.inputs:
            if value is not None:
                value.users.append(call)
        for value in call.outputs:
            value.producer = call

    def remove(self, calls: Iterable[Call]) -> None:
        """Remove calls; their values keep no trace of them."""
        gone = set(calls)
        self.calls = [call for call in self.calls if call not in gone]
        read = {value for call in gone for value in (*call.inputs, *(post.operand for post in call.post))}
        for value in read:
            if value is not None:
                value.users = [user for user in value.users if user not in gone]

    def replace(self, old: Value, new: Value) -> None:
        """Let all that reads `old` read `new`."""
        for call in old.users:
            call.inputs = [new if value is old else value for value in call.inputs]
            for post in call.post:
                post.operand = new if post.operand is old else post.operand
            new.users.append(call)
        old.users = []
        self.results = [new if value is old else value for value in self.results]
        new.is_result = new.is_result or old.is_result


def _value(tensor: Tensor, port: Output) -> Value:
    shape = tensor.shape
    return Value(tensor.element_type, shape.to_shape() if shape.is_static else None, tensor=tensor, port=port)
