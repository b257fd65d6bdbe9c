"""Plans: the steps that execute a model for given types and shapes of its parameters, and the memory they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.memory.aliasing import BufferAlias, alias_concat_inputs, extend_owners
from ir_plugin.compiler.memory.limits import require_arena, require_model
from ir_plugin.compiler.memory.live_ranges import LiveRange, allocate, assign_offsets, layout_strides, reuse_in_place
from ir_plugin.compiler.passes import run_passes
from ir_plugin.compiler.passes.constant_folding import load_constants
from ir_plugin.compiler.passes.epilogue_fusion import unfused
from ir_plugin.compiler.passes.weight_decompression import decompressing_layers
from ir_plugin.compiler.progress import report_progress
from ir_plugin.compiler.selection import Options, StaticKernel, ViewKernel, bind_operation, select_kernel
from ir_plugin.compiler.step import Step
from ir_plugin.kernels import policy
from ir_plugin.kernels.registry import NUMPY, Provider
from ir_plugin.model import Model, Node
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData
from ir_plugin.operations.memory import limited, memory_for, out_of_memory
from ir_plugin.operations.sequence.recurrent import Recurrent
from ir_plugin.tensors import Array, TensorInfo
from ir_plugin.validation.inference import RunInference


@dataclass(eq=False)
class Plan:
    """Steps over numbered slots, in which constants are stored already, and the offsets of values in the arena."""

    graph: Graph
    slots: list[Array | None]
    parameters: list[int]
    steps: list[Step]
    results: list[int]
    offsets: dict[Value, int]
    arena_bytes: int
    slot_of: dict[Value, int]
    shared: dict[Value, Value] = field(default_factory=dict)
    """Values that are computed in place, and the values whose memory they take."""
    kernels: Provider = NUMPY
    """The provider of the kernels."""
    is_plain: bool = False
    """Whether every layer is inferred and evaluated by its operation, without passes and kernels."""

    @cached_property
    def is_heavy(self) -> bool:
        """Whether BLAS may start its threads, so that it is limited to one while a pool works."""
        return self.is_open or _bytes_of(self._values()) > policy.BLAS_HELD_MIN_BYTES

    @cached_property
    def is_worth_waking(self) -> bool:
        """Whether workers save more of a run than it takes to wake them."""
        values = [value for value in self._values() if value.constant is None]
        return (
            self.is_open
            or _bytes_of(values) > policy.WORKERS_WOKEN_MIN_BYTES
            or sum(map(_multiplications, self.steps)) > policy.WORKERS_WOKEN_MIN_MULTIPLICATIONS
            or _bytes_of(self._values()) > policy.WORKERS_WOKEN_WEIGHTS_MIN_BYTES
        )

    @cached_property
    def is_open(self) -> bool:
        """Whether it serves lengths, or depends on values, that only a run knows."""
        return any(step.op.is_dynamic for step in self.steps)

    def _values(self) -> list[Value]:
        """Return the inputs and outputs of all steps but views."""
        ops = [step.op for step in self.steps if not isinstance(step.kernel, ViewKernel)]
        return [value for op in ops for value in (*op.inputs, *op.outputs) if value is not None]

    @cached_property
    def uses_spin_pool(self) -> bool:
        """Whether the kernel of a step runs its jobs in the spin pool."""
        executors = [executor for step in self.steps for executor in (step.kernel, step.bound) if executor is not None]
        return any(executor.uses_spin_pool for executor in executors)

    @cached_property
    def convolves(self) -> bool:
        """Whether a step has a convolution kernel."""
        return any(
            step.kernel is not None and isinstance(step.op.operation, Convolution | ConvolutionBackpropData)
            for step in self.steps
        )

    def node_of(self, slot: int) -> Node | None:
        """Return the layer that fills a slot; None for a parameter or a constant."""
        return next((step.node for step in self.steps if slot in step.outputs), None)

    def buffers(self) -> dict[int, Array]:
        """Return new arrays in one arena for all values that kernels write, by slot."""
        try:
            arrays = allocate(self.offsets, self.arena_bytes)
        except MemoryError as fault:
            largest = max(self.offsets, key=lambda value: value.nbytes)
            raise out_of_memory(fault, self.node_of(self.slot_of[largest])) from None
        arrays |= {value: arrays[owner] for value, owner in self.shared.items()}
        return {self.slot_of[value]: array for value, array in arrays.items()}


def _bytes_of(values: Sequence[Value]) -> int:
    return sum(0 if value.shape is None else value.nbytes for value in values)


def _multiplications(step: Step) -> int:
    """Return the multiplications that threads can share; recurrent layers have a small product after another."""
    op = step.op
    if isinstance(op.operation, Recurrent):
        return 0
    inputs, outputs = (
        [None if value is None else value.shape for value in values] for values in (op.inputs, op.outputs)
    )
    return op.operation.multiplications(inputs, outputs) or 0


def make_plan(
    model: Model,
    parameters: Mapping[Node, TensorInfo],
    memory_limit: int,
    optimize: bool = True,
    disabled: Sequence[str] = (),
    options: Options | None = None,
    inference: RunInference | None = None,
) -> Plan:
    """Return the plan of a model for its parameters' types and shapes; an error names the layer that does not fit them.

    Without `optimize` every layer is a separate step that evaluates its operation. `inference` has inferred the
    model for these parameters already.
    """
    if inference is None:
        inference = RunInference()
        inference.run(model, parameters)
    options = options or Options()
    graph = Graph(model, inference, options.weight_cache)
    with np.errstate(all="ignore"), limited(memory_limit):
        load_constants(graph, keep_packed=optimize)
        fuses = optimize and "weight_decompression" not in disabled
        exempt = partial(decompressing_layers, graph) if fuses else tuple
        require_model(model, inference.tensors, memory_limit, exempt)
        if optimize:
            run_passes(graph, disabled)
        return _Layout(graph, options if optimize else None, memory_limit).plan()


class _Layout:
    """Assigns slots and memory to the values of a graph."""

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
        aliases = self._aliases(steps)
        live_ranges, shared = reuse_in_place(self._live_ranges(steps, set(results), aliases), self._in_place(steps))
        offsets, size = assign_offsets(live_ranges)
        require_arena([step.node for step in steps], live_ranges, size, self.memory_limit)
        for value, alias in aliases.items():
            offsets[value] = offsets[shared.get(alias.owner, alias.owner)] + alias.offset
        self._release(steps, set(results))
        kernels = NUMPY if self.options is None else self.options.kernels
        return Plan(
            self.graph, self.slots, parameters, steps, results, offsets, size, self.slot_of, shared, kernels,
            self.options is None,
        )  # fmt: skip

    def _slot(self, value: Value) -> int:
        if value not in self.slot_of:
            self.slot_of[value] = len(self.slots)
            self.slots.append(None)
        return self.slot_of[value]

    def _steps(self, op: Op) -> list[Step]:
        kernel = None if self.options is None else select_kernel(op, self.options)
        if kernel is None:
            return (
                [self._plain(op)]
                if not op.epilogue
                else [step for unfused_op in unfused(op) for step in self._steps(unfused_op)]
            )
        inputs = [self._slot(value) for value in kernel.inputs]
        if not isinstance(kernel, StaticKernel):
            return [Step(op, inputs, [self._slot(value) for value in op.outputs], kernel)]
        op.outputs[0].channels_last = kernel.channels_last
        written = op.outputs[: kernel.written]
        for value in written:
            value.strides = layout_strides(value)
        return [Step(op, inputs, [self._slot(value) for value in written], kernel)]

    def _plain(self, op: Op) -> Step:
        inputs = [-1 if value is None else self._slot(value) for value in op.inputs]
        bound = None if self.options is None else bind_operation(op, self.options)
        return Step(op, inputs, [self._slot(value) for value in op.outputs], None, bound=bound)

    def _aliases(self, steps: Sequence[Step]) -> dict[Value, BufferAlias]:
        has_pieces = any(step.static_kernel is not None and step.static_kernel.pieces for step in steps)
        return alias_concat_inputs(steps) if has_pieces else {}

    def _live_ranges(
        self, steps: Sequence[Step], results: set[int], aliases: Mapping[Value, BufferAlias]
    ) -> list[LiveRange]:
        """Return the live range of each value that a kernel writes and that owns its memory.

        Evaluations may return views of their inputs.
        """
        last = {slot: len(steps) for slot in results}
        for number in reversed(range(len(steps))):
            step = steps[number]
            until = number
            if not step.writes:
                until = max([number, *(last.get(slot, number) for slot in step.outputs)])
            for slot in step.inputs:
                last[slot] = max(last.get(slot, 0), until)
        live_ranges = [
            LiveRange(value, number, max(last.get(slot, number), number))
            for number, step in enumerate(steps)
            if step.writes
            for value, slot in zip(step.op.outputs, step.outputs, strict=False)
        ]
        return extend_owners(live_ranges, aliases) if aliases else live_ranges

    def _in_place(self, steps: Sequence[Step]) -> dict[Value, Value]:
        """Return the outputs that may take the memory of an input, with that input, which the step must read only once.

        Evaluations may return views, so that their outputs count as the memory of all their inputs.
        """
        sources = {}
        memory: dict[int, set[int]] = {}
        for step in steps:
            if not step.writes:
                owners = set[int]().union(*(memory.get(slot, {slot}) for slot in step.inputs))
                memory |= dict.fromkeys(step.outputs, owners)
            kernel = step.static_kernel
            if kernel is None or kernel.in_place is None:
                continue
            read = [memory.get(slot, {slot}) for slot in step.inputs]
            if sum(bool(read[kernel.in_place] & slots) for slots in read) > 1:
                continue
            output, source = step.op.outputs[0], kernel.inputs[kernel.in_place]
            same = source.strides == output.strides and source.shape == output.shape
            if same and not source.is_result and source.element_type is output.element_type and not output.is_result:
                sources[output] = source
        return sources

    def _release(self, steps: Sequence[Step], results: set[int]) -> None:
        """Record in each step the slots of evaluated arrays that no later step reads."""
        retained = {slot for slot, array in enumerate(self.slots) if array is not None} | results
        retained |= {slot for step in steps if step.writes for slot in step.outputs}
        for step in reversed(steps):
            for slot in dict.fromkeys([*step.inputs, *step.outputs]):
                if slot >= 0 and slot not in retained:
                    retained.add(slot)
                    step.released.append(slot)


__all__ = ["Plan", "Step", "make_plan"]
