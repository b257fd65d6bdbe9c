"""A plan: the steps that compute the results of a model for parameters of given types and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ir_plugin.diagnostics import Finding
from ir_plugin.errors import EvaluationError
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.base import Operation, compute
from ir_plugin.tensors import UNBOUNDED, Array, Tensor
from ir_plugin.validation.inference import COMPUTATION_ERRORS, Inference

FOLDED_BYTES = 2**31
"""The largest constant that is computed ahead."""


@dataclass
class Step:
    """One layer to compute: where its inputs and outputs are kept, and what is not needed after it."""

    node: Node
    operation: Operation
    inputs: list[int]
    outputs: list[int]
    is_dynamic: bool
    """Whether the shapes of the outputs depend on values, and are only known in the run."""
    released: list[int] = field(default_factory=list)


@dataclass
class Plan:
    """Steps over numbered slots; slots of constants are filled beforehand."""

    model: Model
    tensors: Mapping[Output, Tensor]
    slots: list[Array | None]
    parameters: list[int]
    steps: list[Step]
    results: list[int]
    folded: list[Node]


def make_plan(model: Model, parameters: Mapping[Node, Tensor], memory_limit: int, fold: bool = True) -> Plan:
    """Return the plan of a model; raises what does not fit the parameters, naming the layer."""
    tensors = Inference().run(model, parameters)
    return _Planner(model, tensors, memory_limit, fold).plan()


class _Planner:
    def __init__(self, model: Model, tensors: Mapping[Output, Tensor], memory_limit: int, fold: bool) -> None:
        self.model = model
        self.tensors = tensors
        self.memory_limit = memory_limit
        self.fold = fold
        self.slots: list[Array | None] = []
        self.slot_of: dict[Output, int] = {}
        self.folded: list[Node] = []

    def plan(self) -> Plan:
        order = self.model.ordered()
        steps: list[Step] = []
        for node in order:
            outputs = [self._slot(port) for port in node.outputs]
            inputs = [-1 if port.source is None else self.slot_of[port.source] for port in node.inputs]
            if node.operation.type == "Parameter":
                continue
            self._require_memory(node)
            if not self._fold(node, inputs, outputs):
                dynamic = any(self.tensors[port].shape.is_dynamic for port in node.outputs)
                steps.append(Step(node, node.operation, inputs, outputs, dynamic))
        results = [self.slot_of[node.outputs[0]] for node in self.model.results]
        _release(steps, {*results, *(slot for slot, array in enumerate(self.slots) if array is not None)})
        parameters = [self.slot_of[node.outputs[0]] for node in self.model.parameters]
        return Plan(self.model, self.tensors, self.slots, parameters, steps, results, self.folded)

    def _slot(self, port: Output) -> int:
        self.slot_of[port] = len(self.slots)
        self.slots.append(None)
        return self.slot_of[port]

    def _require_memory(self, node: Node) -> None:
        for port in node.outputs:
            require_memory(node, self.tensors[port], self.memory_limit)

    def _fold(self, node: Node, inputs: Sequence[int], outputs: Sequence[int]) -> bool:
        operation: Operation = node.operation
        if operation.stateful or operation.subgraphs or operation.type == "Result":
            return False
        arrays = [None if slot < 0 else self.slots[slot] for slot in inputs]
        if any(array is None for array, slot in zip(arrays, inputs, strict=True) if slot >= 0):
            return False
        large = any(bytes_of(self.tensors[port])[1] > FOLDED_BYTES for port in node.outputs)
        if operation.type != "Const" and (not self.fold or large):
            return False
        try:
            with np.errstate(all="ignore"):
                computed = compute(operation, arrays)
        except COMPUTATION_ERRORS:
            return False
        for slot, array in zip(outputs, computed, strict=False):
            self.slots[slot] = array
        if operation.type != "Const":
            self.folded.append(node)
        return True


def _release(steps: Sequence[Step], kept: set[int]) -> None:
    """Note behind which step each value is not needed any more."""
    for step in reversed(steps):
        for slot in dict.fromkeys([*step.inputs, *step.outputs]):
            if slot >= 0 and slot not in kept:
                kept.add(slot)
                step.released.append(slot)


def bytes_of(tensor: Tensor) -> tuple[int, int]:
    """Return the least and the most bytes that the values of a tensor take; 2**63 - 1 elements have no limit."""
    size, item = tensor.shape.size, tensor.element_type.dtype.itemsize
    return size.lower * item, UNBOUNDED if size.upper == UNBOUNDED else size.upper * item


def require_memory(node: Node, tensor: Tensor, limit: int) -> None:
    """Raise where the output of a layer cannot be kept within the limit."""
    least = bytes_of(tensor)[0]
    if least > limit:
        message = f"the output {tensor} takes {least} bytes; the memory limit is {limit}"
        finding = Finding.of(
            "IR702", message, span=node.span(), layer=node.ref(), help='raise it with config={"MEMORY_LIMIT": …}'
        )
        raise EvaluationError(f"layer {node.ref()}: {message}", [finding])
