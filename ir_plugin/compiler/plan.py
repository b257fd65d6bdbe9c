"""A plan: what is done once for a model and the types and shapes of its parameters, and its bound steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.memory.aliasing import alias_concat_inputs, merge
from ir_plugin.compiler.memory.limits import require_arena, require_model
from ir_plugin.compiler.memory.live_ranges import LiveRange, allocate, form, place, share, strides_of
from ir_plugin.compiler.passes import run_passes
from ir_plugin.compiler.passes.constant_folding import load_constants
from ir_plugin.compiler.passes.epilogue_fusion import unfused
from ir_plugin.compiler.progress import report_progress
from ir_plugin.compiler.selection import BoundOperation, Kernel, Options, bind_suppression, select_kernel
from ir_plugin.compiler.shapes.runtime_checks import is_trusted
from ir_plugin.model import Model, Node
from ir_plugin.operations.memory import limited, memory_for, out_of_memory
from ir_plugin.tensors import Array, TensorInfo
from ir_plugin.validation.inference import Inference


@dataclass
class Step:
    """One call, with the slots of its inputs and outputs; `execute` where it is prepared."""

    op: Op
    inputs: list[int]
    outputs: list[int]
    kernel: Kernel | None
    released: list[int] = field(default_factory=list)
    """Slots of which the array is not needed any more."""
    bound: BoundOperation | None = None
    """What is evaluated where the step is not prepared, if it is not the call's operation as it is."""

    @property
    def form(self) -> str:
        """The name that a profile shows; empty for a plain evaluation."""
        if self.kernel is not None:
            return self.kernel.form or "prepared"
        return "" if self.bound is None else self.bound.form

    @property
    def node(self) -> Node:
        """The layer that names the step."""
        return self.op.nodes[0]

    @property
    def view(self) -> Callable[[Array], tuple[Array, ...]] | None:
        """The function that returns the outputs as views of the only input, where nothing is to be computed."""
        return None if self.kernel is None else self.kernel.view

    @cached_property
    def needs_inference(self) -> bool:
        """Whether what an evaluation would do has to be inferred from the values before."""
        operation, inputs = self.op.operation, self.op.inputs
        unknown = any(value is not None and value.shape is None for value in inputs) or bool(operation.subgraphs)
        misses = self.op.misses_values or (self.op.is_dynamic and unknown)
        return misses and not is_trusted(self.op)

    @property
    def writes(self) -> bool:
        """Whether the step fills memory that was planned for it."""
        return self.kernel is not None and self.kernel.view is None


HEAVY_BYTES = 2**17
"""Bytes of all inputs and outputs from which on a plan counts as heavy."""


@dataclass
class Plan:
    """Steps over numbered slots; those of constants are filled beforehand."""

    graph: Graph
    slots: list[Array | None]
    parameters: list[int]
    steps: list[Step]
    results: list[int]
    offsets: dict[Value, int]
    arena_bytes: int
    slot_of: dict[Value, int]
    shared: dict[Value, Value] = field(default_factory=dict)
    """Values that are computed in place, with those whose memory they take."""

    @cached_property
    def is_heavy(self) -> bool:
        """Whether BLAS may wake threads of its own, so that it is held to one while a pool works."""
        ops = [step.op for step in self.steps]
        if any(op.is_dynamic for op in ops):
            return True
        values = [value for op in ops for value in (*op.inputs, *op.outputs) if value is not None]
        return sum(0 if value.shape is None else value.nbytes for value in values) > HEAVY_BYTES

    @cached_property
    def uses_spin_pool(self) -> bool:
        """Whether a step wants workers that wait awake."""
        return any(step.kernel is not None and step.kernel.uses_spin_pool for step in self.steps)

    @cached_property
    def convolves(self) -> bool:
        """Whether a step is a prepared convolution."""
        return any(step.kernel is not None and "Convolution" in step.op.type for step in self.steps)

    def node_of(self, slot: int) -> Node | None:
        """Return the layer that fills a slot; None for a parameter or a constant."""
        return next((step.node for step in self.steps if slot in step.outputs), None)

    def buffers(self) -> dict[int, Array]:
        """Return new arrays for everything that prepared steps write, by slot; results are not among them."""
        try:
            arrays = allocate(self.offsets, self.arena_bytes)
        except MemoryError as fault:
            largest = max(self.offsets, key=lambda value: value.nbytes)
            raise out_of_memory(fault, self.node_of(self.slot_of[largest])) from None
        arrays |= {value: arrays[owner] for value, owner in self.shared.items()}
        return {self.slot_of[value]: array for value, array in arrays.items()}


def make_plan(
    model: Model,
    parameters: Mapping[Node, TensorInfo],
    memory_limit: int,
    optimize: bool = True,
    disabled: Sequence[str] = (),
    options: Options | None = None,
) -> Plan:
    """Return the plan of a model; raises what does not fit the parameters, naming the layer.

    Without `optimize` every layer is a step of its own that is evaluated plainly.
    """
    inference = Inference()
    inference.run(model, parameters)
    require_model(model, inference.tensors, memory_limit)
    options = options or Options()
    graph = Graph(model, inference, options.weight_cache)
    with np.errstate(all="ignore"), limited(memory_limit):
        load_constants(graph)
        if optimize:
            run_passes(graph, disabled)
        return _Layout(graph, options if optimize else None, memory_limit).plan()


class _Layout:
    """Slots and memory for the values of a program."""

    def __init__(self, graph: Graph, options: Options | None, memory_limit: int) -> None:
        self.graph = graph
        self.options = options
        self.memory_limit = memory_limit
        self.slots: list[Array | None] = []
        self.slot_of: dict[Value, int] = {}

    def plan(self) -> Plan:
        parameters = [self._slot(value) for value in self.graph.parameters]
        steps = []
        for op in report_progress(self.graph.ops):
            with memory_for(op.nodes[0]):
                steps += self._steps(op)
        results = [self._slot(value) for value in self.graph.results]
        for value, slot in self.slot_of.items():
            self.slots[slot] = value.constant
        aliases = alias_concat_inputs(steps)
        live_ranges, shared = share(merge(self._live_ranges(steps, set(results)), aliases), self._in_place(steps))
        offsets, size = place(live_ranges)
        require_arena([step.node for step in steps], live_ranges, size, self.memory_limit)
        for value, alias in aliases.items():
            offsets[value] = offsets[shared.get(alias.owner, alias.owner)] + alias.offset
        self._release(steps, set(results))
        return Plan(self.graph, self.slots, parameters, steps, results, offsets, size, self.slot_of, shared)

    def _slot(self, value: Value) -> int:
        if value not in self.slot_of:
            self.slot_of[value] = len(self.slots)
            self.slots.append(None)
        return self.slot_of[value]

    def _steps(self, op: Op) -> list[Step]:
        kernel = None if self.options is None else select_kernel(op, self.options)
        if kernel is None:
            return [self._plain(op)] if not op.epilogue else [step for one in unfused(op) for step in self._steps(one)]
        inputs = [self._slot(value) for value in kernel.inputs]
        if kernel.view is not None:
            return [Step(op, inputs, [self._slot(value) for value in op.outputs], kernel)]
        op.outputs[0].channels_last = kernel.channels_last
        written = op.outputs[: kernel.written]
        for value in written:
            value.strides = strides_of(value)
        return [Step(op, inputs, [self._slot(value) for value in written], kernel)]

    def _plain(self, op: Op) -> Step:
        inputs = [-1 if value is None else self._slot(value) for value in op.inputs]
        bound = None if self.options is None else bind_suppression(op, self.options)
        return Step(op, inputs, [self._slot(value) for value in op.outputs], None, bound=bound)

    def _live_ranges(self, steps: Sequence[Step], results: set[int]) -> list[LiveRange]:
        """Return when the memory of each prepared value is in use; an evaluation may hand on its inputs' memory."""
        last = {slot: len(steps) for slot in results}
        for number in reversed(range(len(steps))):
            step = steps[number]
            until = number
            if not step.writes:
                until = max([number, *(last.get(slot, number) for slot in step.outputs)])
            for slot in step.inputs:
                last[slot] = max(last.get(slot, 0), until)
        return [
            LiveRange(value, number, max(last.get(slot, number), number))
            for number, step in enumerate(steps)
            if step.writes
            for value, slot in zip(step.op.outputs, step.outputs, strict=False)
        ]

    def _in_place(self, steps: Sequence[Step]) -> dict[Value, Value]:
        """Return, for outputs that may take the memory of an input, that input; it must be read there only once.

        What is no prepared kernel may return views: its outputs are taken to be the memory of all its inputs.
        """
        found = {}
        memory: dict[int, set[int]] = {}
        for step in steps:
            if not step.writes:
                seen = set[int]().union(*(memory.get(slot, {slot}) for slot in step.inputs))
                memory |= dict.fromkeys(step.outputs, seen)
            if step.kernel is None or step.kernel.in_place is None:
                continue
            read = [memory.get(slot, {slot}) for slot in step.inputs]
            if sum(bool(read[step.kernel.in_place] & one) for one in read) > 1:
                continue
            output, source = step.op.outputs[0], step.kernel.inputs[step.kernel.in_place]
            same = source.strides == output.strides and source.shape == output.shape
            if same and not source.is_result and source.element_type is output.element_type and not output.is_result:
                found[output] = source
        return found

    def _release(self, steps: Sequence[Step], results: set[int]) -> None:
        """Note behind which step arrays that evaluation made are not needed any more."""
        retained = {slot for slot, array in enumerate(self.slots) if array is not None} | results
        retained |= {slot for step in steps if step.writes for slot in step.outputs}
        for step in reversed(steps):
            for slot in dict.fromkeys([*step.inputs, *step.outputs]):
                if slot >= 0 and slot not in retained:
                    retained.add(slot)
                    step.released.append(slot)


__all__ = ["Plan", "Step", "form", "make_plan"]
