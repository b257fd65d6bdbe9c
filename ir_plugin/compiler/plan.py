"""A plan: what is done once for a model and the types and shapes of its parameters, and its bound steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ir_plugin.compiler.graph import Call, Program, Value
from ir_plugin.compiler.memory.aliasing import find_homes, merge
from ir_plugin.compiler.memory.live_ranges import Life, allocate, form, place, share, strides_of
from ir_plugin.compiler.passes.activation_fusion import name_activations
from ir_plugin.compiler.passes.attention_fusion import name_attention
from ir_plugin.compiler.passes.constant_folding import fold, load_constants, replace_known
from ir_plugin.compiler.passes.einsum_decomposition import name_products
from ir_plugin.compiler.passes.epilogue_fusion import fuse_elementwise, unfused
from ir_plugin.compiler.passes.grouped_query_attention import share_heads
from ir_plugin.compiler.passes.identity_elimination import remove_identities, remove_unread
from ir_plugin.compiler.passes.kv_cache import grow_variables
from ir_plugin.compiler.passes.normalization_fusion import name_normalization
from ir_plugin.compiler.passes.pad_fusion import merge_pads
from ir_plugin.compiler.passes.power_to_multiply import square_powers
from ir_plugin.compiler.passes.prelu_layout import shape_slopes
from ir_plugin.compiler.passes.qkv_fusion import join_projections
from ir_plugin.compiler.passes.rms_norm_fusion import name_root_mean
from ir_plugin.compiler.passes.scale_folding import batch_norm_as_scale, merge_scales
from ir_plugin.compiler.progress import told
from ir_plugin.compiler.selection import Options, Prepared, Tuned, prepare, tune_suppression
from ir_plugin.compiler.shapes.runtime_checks import is_trusted
from ir_plugin.diagnostics import Finding
from ir_plugin.errors import EvaluationError
from ir_plugin.model import Model, Node
from ir_plugin.operations.memory import limited
from ir_plugin.tensors import UNBOUNDED, Array, Tensor
from ir_plugin.validation.inference import Inference

PASSES: dict[str, Callable[[Program], None]] = {
    "values": replace_known,
    "einsum": name_products,
    "fold": fold,
    "identities": remove_identities,
    "pads": merge_pads,
    "batch_norm": batch_norm_as_scale,
    "scales": merge_scales,
    "activations": name_activations,
    "normalization": name_normalization,
    "root_mean": name_root_mean,
    "squares": square_powers,
    "slopes": shape_slopes,
    "attention": name_attention,
    "projections": join_projections,
    "heads": share_heads,
    "variables": grow_variables,
    "fuse": fuse_elementwise,
    "unread": remove_unread,
}
"""Passes over a program, in their order, by the names that the configuration key DISABLED_PASSES takes."""


@dataclass
class Step:
    """One call, with the slots of its inputs and outputs; `execute` where it is prepared."""

    call: Call
    inputs: list[int]
    outputs: list[int]
    prepared: Prepared | None
    released: list[int] = field(default_factory=list)
    """Slots of which the array is not needed any more."""
    tuned: Tuned | None = None
    """What is evaluated where the step is not prepared, if it is not the call's operation as it is."""

    @property
    def form(self) -> str:
        """The name that a profile shows; empty for a plain evaluation."""
        if self.prepared is not None:
            return self.prepared.form or "prepared"
        return "" if self.tuned is None else self.tuned.form

    @property
    def node(self) -> Node:
        """The layer that names the step."""
        return self.call.nodes[0]

    @property
    def view(self) -> Callable[[Array], tuple[Array, ...]] | None:
        """The function that returns the outputs as views of the only input, where nothing is to be computed."""
        return None if self.prepared is None else self.prepared.view

    @cached_property
    def needs_inference(self) -> bool:
        """Whether what an evaluation would do has to be inferred from the values before."""
        operation, inputs = self.call.operation, self.call.inputs
        unknown = any(value is not None and value.shape is None for value in inputs) or bool(operation.subgraphs)
        misses = self.call.misses_values or (self.call.is_dynamic and unknown)
        return misses and not is_trusted(self.call)

    @property
    def writes(self) -> bool:
        """Whether the step fills memory that was planned for it."""
        return self.prepared is not None and self.prepared.view is None


HEAVY_BYTES = 2**17
"""Bytes of all inputs and outputs from which on a plan counts as heavy."""


@dataclass
class Plan:
    """Steps over numbered slots; those of constants are filled beforehand."""

    program: Program
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
        """Whether BLAS may wake threads of its own, so that it has to be held to one for the team's sake."""
        calls = [step.call for step in self.steps]
        if any(call.is_dynamic for call in calls):
            return True
        values = [value for call in calls for value in (*call.inputs, *call.outputs) if value is not None]
        return sum(0 if value.shape is None else value.nbytes for value in values) > HEAVY_BYTES

    @cached_property
    def is_crewed(self) -> bool:
        """Whether a step wants workers that wait awake."""
        return any(step.prepared is not None and step.prepared.crewed for step in self.steps)

    @cached_property
    def convolves(self) -> bool:
        """Whether a step is a prepared convolution."""
        return any(step.prepared is not None and "Convolution" in step.call.type for step in self.steps)

    def buffers(self) -> dict[int, Array]:
        """Return new arrays for everything that prepared steps write, by slot; results are not among them."""
        arrays = allocate(self.offsets, self.arena_bytes)
        arrays |= {value: arrays[owner] for value, owner in self.shared.items()}
        return {self.slot_of[value]: array for value, array in arrays.items()}


def make_plan(
    model: Model,
    parameters: Mapping[Node, Tensor],
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
    for node in model.ordered():
        for port in node.outputs:
            require_memory(node, inference.tensors[port], memory_limit)
    options = options or Options()
    program = Program(model, inference, options.kept)
    with np.errstate(all="ignore"), limited(memory_limit):
        load_constants(program)
        if optimize:
            for name, change in PASSES.items():
                if name not in disabled:
                    change(program)
        return _Layout(program, options if optimize else None).plan()


class _Layout:
    """Slots and memory for the values of a program."""

    def __init__(self, program: Program, options: Options | None) -> None:
        self.program = program
        self.options = options
        self.slots: list[Array | None] = []
        self.slot_of: dict[Value, int] = {}

    def plan(self) -> Plan:
        parameters = [self._slot(value) for value in self.program.parameters]
        steps = [step for call in told(self.program.calls) for step in self._steps(call)]
        results = [self._slot(value) for value in self.program.results]
        for value, slot in self.slot_of.items():
            self.slots[slot] = value.constant
        homes = find_homes(steps)
        lives, shared = share(merge(self._lives(steps, set(results)), homes), self._in_place(steps))
        offsets, size = place(lives)
        for value, home in homes.items():
            offsets[value] = offsets[shared.get(home.owner, home.owner)] + home.offset
        self._release(steps, set(results))
        return Plan(self.program, self.slots, parameters, steps, results, offsets, size, self.slot_of, shared)

    def _slot(self, value: Value) -> int:
        if value not in self.slot_of:
            self.slot_of[value] = len(self.slots)
            self.slots.append(None)
        return self.slot_of[value]

    def _steps(self, call: Call) -> list[Step]:
        prepared = None if self.options is None else prepare(call, self.options)
        if prepared is None:
            return (
                [self._plain(call)] if not call.post else [step for one in unfused(call) for step in self._steps(one)]
            )
        inputs = [self._slot(value) for value in prepared.inputs]
        if prepared.view is not None:
            return [Step(call, inputs, [self._slot(value) for value in call.outputs], prepared)]
        call.outputs[0].channels_last = prepared.channels_last
        written = call.outputs[: prepared.written]
        for value in written:
            value.strides = strides_of(value)
        return [Step(call, inputs, [self._slot(value) for value in written], prepared)]

    def _plain(self, call: Call) -> Step:
        inputs = [-1 if value is None else self._slot(value) for value in call.inputs]
        tuned = None if self.options is None else tune_suppression(call, self.options)
        return Step(call, inputs, [self._slot(value) for value in call.outputs], None, tuned=tuned)

    def _lives(self, steps: Sequence[Step], results: set[int]) -> list[Life]:
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
            Life(value, number, max(last.get(slot, number), number))
            for number, step in enumerate(steps)
            if step.writes
            for value, slot in zip(step.call.outputs, step.outputs, strict=False)
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
            if step.prepared is None or step.prepared.in_place is None:
                continue
            read = [memory.get(slot, {slot}) for slot in step.inputs]
            if sum(bool(read[step.prepared.in_place] & one) for one in read) > 1:
                continue
            output, source = step.call.outputs[0], step.prepared.inputs[step.prepared.in_place]
            same = source.strides == output.strides and source.shape == output.shape
            if same and not source.is_result and source.element_type is output.element_type and not output.is_result:
                found[output] = source
        return found

    def _release(self, steps: Sequence[Step], results: set[int]) -> None:
        """Note behind which step arrays that evaluation made are not needed any more."""
        kept = {slot for slot, array in enumerate(self.slots) if array is not None} | results
        kept |= {slot for step in steps if step.writes for slot in step.outputs}
        for step in reversed(steps):
            for slot in dict.fromkeys([*step.inputs, *step.outputs]):
                if slot >= 0 and slot not in kept:
                    kept.add(slot)
                    step.released.append(slot)


def bytes_of(tensor: Tensor) -> int:
    """Return the least number of bytes that the values of a tensor take."""
    size = tensor.shape.size
    return UNBOUNDED if size.lower == UNBOUNDED else size.lower * tensor.element_type.dtype.itemsize


def require_memory(node: Node, tensor: Tensor, limit: int) -> None:
    """Raise where the output of a layer cannot be kept within the limit."""
    least = bytes_of(tensor)
    if least > limit:
        message = f"the output {tensor} takes {least} bytes; the memory limit is {limit}"
        finding = Finding.of(
            "IR702", message, span=node.span(), layer=node.ref(), help='raise it with config={"MEMORY_LIMIT": …}'
        )
        raise EvaluationError(f"layer {node.ref()}: {message}", [finding])


__all__ = ["PASSES", "Plan", "Step", "form", "make_plan", "require_memory"]
