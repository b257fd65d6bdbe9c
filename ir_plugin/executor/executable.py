"""Plans bound to the memory of one request, and the state that a request keeps between inferences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from math import prod

import numpy as np

from ir_plugin.compiler.memory.limits import require_memory
from ir_plugin.compiler.plan import Plan, Step
from ir_plugin.compiler.selection.kernel import (
    FallbackRequired,
    FixedArrays,
    OpenExecute,
    OpenKernel,
    StaticKernel,
    View,
    ViewKernel,
    are_views,
)
from ir_plugin.executor.buffer_pool import result_allocator
from ir_plugin.executor.compiled_loop import CompiledLoop, compiled_loop
from ir_plugin.executor.evaluations import Running, bind_evaluation
from ir_plugin.executor.fixed_memory import copied_to, evaluated_slots, input_buffers, is_small
from ir_plugin.executor.segments import BoundStep, Segment, Slots, StepFunction, segments
from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, jobs_of
from ir_plugin.kernels.numpy.movement import copied
from ir_plugin.kernels.thread_pool import BLAS, ThreadPool
from ir_plugin.model import Model, SubGraph
from ir_plugin.operations.base import Operation
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT
from ir_plugin.operations.memory import memory_for, out_of_memory
from ir_plugin.tensors import Array, TensorInfo
from ir_plugin.validation.inference import COMPUTATION_ERRORS

MAX_INSTANCES = 8
"""The most plans that one request keeps memory for."""

MAX_KEYS = 16
"""The most combinations of shapes that a request remembers for one plan."""


class ExecutableInstance:
    """A plan bound to memory; one thread runs it at a time.

    `segments` has the steps that have something to do; `all_step_functions` also has those whose outputs are views of
    fixed memory, and None for the function of a step whose operation is evaluated.
    """

    def __init__(self, plan: Plan, running: Running, pool: ThreadPool, blas_threads: int = 1) -> None:
        self.plan = plan
        self._running = running
        self.blas_threads = blas_threads
        self.pool = pool
        self._copied = (plan.kernels.find(keys.COPIED) if pool.is_spin_pool else None) or copied
        self._slots = list(plan.slots)
        buffers = plan.buffers()
        for slot, array in buffers.items():
            self._slots[slot] = array
        self._fresh = _result_allocators(plan, buffers, pool)
        self._fresh_slots = {slot for slot, _ in self._fresh}
        self._fixed = {slot for slot, array in enumerate(plan.slots) if array is not None}
        self._fixed |= set(buffers) - self._fresh_slots
        self._input_buffers = input_buffers(plan) if pool.is_spin_pool else {}
        self._evaluated = evaluated_slots(plan) if pool.is_spin_pool else set()
        for slot, array in self._input_buffers.items():
            self._slots[slot] = array
            self._fixed.add(slot)
        self._bound = {step: step.bound.bind(pool) for step in plan.steps if step.bound is not None}
        self._jobs: dict[Step, list[Job] | None] = {}
        self.all_step_functions = [(step, self._step_function(step, pool)) for step in plan.steps]
        self.segments = self._joined_steps()
        self.is_compiled = all(segment.table is not None for segment in self.segments)
        self.evaluates = any(step.kernel is None for step in plan.steps)
        self._held = [array for array in self._slots if array is not None and _owns_memory(array)]
        self._loops: dict[Model, CompiledLoop | None] = {}

    def _joined_steps(self) -> list[Segment]:
        """Return the steps that have something to do, those joined that compiled code runs at once."""
        steps = [
            BoundStep(step, step_function, step.released)
            for step, step_function in self.all_step_functions
            if step_function is not nothing
        ]
        return list(segments(steps, [self._jobs.get(bound.step) for bound in steps], self.plan.kernels, self.pool))

    def loop(self, subgraph: SubGraph, condition: int | None) -> CompiledLoop | None:
        """Return the compiled loop over a body; None if Python executes one of its steps, or may have to."""
        if subgraph.body not in self._loops:
            self._loops[subgraph.body] = self._compiled_loop(subgraph, condition)
        return self._loops[subgraph.body]

    def _compiled_loop(self, subgraph: SubGraph, condition: int | None) -> CompiledLoop | None:
        own = [self._jobs.get(bound.step) for segment in self.segments for bound in segment.steps]
        jobs = [job for step_jobs in own for job in step_jobs or ()]
        if not self.is_compiled or any(job.stop for job in jobs):
            return None
        fixed = {slot: self._slots[slot] for slot in self._fixed}
        for slot, value in zip(self.plan.parameters, self.plan.graph.parameters, strict=True):
            if slot not in fixed and value.shape is not None:
                fixed[slot] = np.empty(value.shape, value.dtype)
        parameters, results = (
            [fixed.get(slot) for slot in slots] for slots in (self.plan.parameters, self.plan.results)
        )
        return compiled_loop(subgraph, parameters, results, condition, jobs, self.plan.kernels, self.pool)

    def is_fixed(self, slot: int) -> bool:
        """Return whether a slot has the same memory in every run, to which steps and views may be bound."""
        return slot in self._fixed

    def _step_function(self, step: Step, pool: ThreadPool) -> StepFunction | None:
        """Return the function of a step, with the arrays that are the same in every run bound to it."""
        match step.kernel:
            case ViewKernel(view=view):
                return self._view(step, view)
            case OpenKernel(make=make):
                return self._open(step, make(pool))
            case StaticKernel():
                return self._static(step, step.kernel, pool)
            case _:
                return self._evaluation(step)

    def _static(self, step: Step, kernel: StaticKernel, pool: ThreadPool) -> StepFunction:
        """Return the function of a step whose kernel fills memory of the plan."""
        with memory_for(step.node):
            execute, reads, writes = kernel.make(pool), step.inputs, step.outputs
        if self._fixed.issuperset([*reads, *writes]):
            inputs, outputs = (
                FixedArrays(array for array in map(self._slots.__getitem__, slots) if array is not None)
                for slots in (reads, writes)
            )
            self._jobs[step] = jobs_of(execute, inputs, outputs)
            return lambda _: execute(inputs, outputs)
        return lambda slots: execute([slots[slot] for slot in reads], [slots[slot] for slot in writes])  # type: ignore[misc]

    def _open(self, step: Step, execute: OpenExecute) -> StepFunction:
        """Return the function of a step whose kernel allocates its output; what it refuses is evaluated."""
        reads, writes, output = step.inputs, step.outputs, step.op.outputs[0]
        can_fall_back = not step.op.epilogue and len(reads) == len(step.op.inputs)
        dtype, element_type, limit = output.dtype, output.element_type, self._running.memory_limit

        def allocate(shape: tuple[int, ...]) -> Array:
            if prod(shape) * dtype.itemsize > limit:
                require_memory(step.node, TensorInfo(element_type, shape), limit)
            return np.empty(shape, dtype)

        def step_function(slots: Slots) -> None:
            try:
                arrays = execute([slots[slot] for slot in reads], allocate)  # type: ignore[misc]
            except COMPUTATION_ERRORS:
                if can_fall_back:
                    raise FallbackRequired from None
                raise
            if isinstance(arrays, tuple):
                for slot, array in zip(writes, arrays, strict=True):
                    slots[slot] = array
            else:
                slots[writes[0]] = arrays

        return step_function

    def _evaluation(self, step: Step) -> StepFunction | None:
        """Return the bound evaluation of a step; None where it is inferred first, or has memory to write to."""
        if self.plan.is_plain or any(self._slots[slot] is not None for slot in step.outputs):
            return None
        evaluation = bind_evaluation(step, self.operation(step), self._running)
        values = {slot: value for value, slot in zip(step.op.outputs, step.outputs, strict=False)}
        chosen = [slot for slot in step.outputs if slot in self._evaluated]
        if evaluation is None or not chosen:
            return evaluation
        buffers = {slot: np.zeros(values[slot].shape or (), values[slot].dtype) for slot in chosen}
        for slot, array in buffers.items():
            self._slots[slot] = array
            self._fixed.add(slot)
        return copied_to(step, buffers, evaluation)

    def _view(self, step: Step, view: View) -> StepFunction:
        """Return the function of a step of views, which does nothing for views of fixed memory.

        A Reshape of transposed memory is a copy, which is made in every run.
        """
        source, read, writes = self._slots[step.inputs[0]], step.inputs[0], step.outputs
        if source is not None and read in self._fixed:
            arrays = view(source)
            if are_views(arrays, (source,)):
                for slot, array in zip(writes, arrays, strict=True):
                    self._slots[slot] = array
                self._fixed.update(writes)
                return nothing

        def step_function(slots: Slots) -> None:
            source = slots[read]
            if source is not None:
                for slot, array in zip(writes, view(source), strict=True):
                    slots[slot] = array

        return step_function

    def operation(self, step: Step) -> Operation:
        """Return the operation that is evaluated for a step."""
        return self._bound.get(step, step.op.operation)

    @contextmanager
    def at_work(self, wakes: bool = True) -> Iterator[None]:
        """Limit BLAS's threads and, if `wakes`, keep the workers awake within the `with`, if the plan is heavy."""
        if not self.plan.is_heavy:
            yield
            return
        with nullcontext() if self.is_compiled else BLAS.held(self.blas_threads):
            if wakes:
                self.pool.begin()
            try:
                yield
            finally:
                if wakes:
                    self.pool.end()

    def slots_for(self, inputs: Sequence[Array]) -> Slots:
        """Return the slots for one run, with new memory for results that kernels write."""
        slots = list(self._slots)
        for slot, array in zip(self.plan.parameters, inputs, strict=True):
            buffer = self._input_buffers.get(slot)
            if buffer is None:
                slots[slot] = array
            else:
                np.copyto(buffer, array)
        slot = -1
        try:
            for slot, make in self._fresh:
                slots[slot] = make()
        except MemoryError as fault:
            raise out_of_memory(fault, self.plan.node_of(slot)) from None
        return slots

    def results(self, slots: Sequence[Array | None], inputs: Sequence[Array]) -> list[Array]:
        """Return the results of a run on `inputs` as arrays in C order that share no memory."""
        results: list[Array] = []
        for slot in self.plan.results:
            array = slots[slot]
            if array is not None:
                is_new = not any(array is result for result in results)
                own = is_new and (slot in self._fresh_slots or self._is_own(array, inputs))
                try:
                    copied = array.copy if array.flags.c_contiguous else partial(self._copied, array)
                    results.append(array if own else copied())
                except MemoryError as fault:
                    raise out_of_memory(fault, self.plan.node_of(slot)) from None
        return results

    def _is_own(self, array: Array, inputs: Sequence[Array]) -> bool:
        """Return whether this run allocated an array: it is no input, no fixed array and no view."""
        return _owns_memory(array) and not any(array is other for other in (*self._held, *inputs))


def _result_allocators(plan: Plan, buffers: Container[int], pool: ThreadPool) -> list[tuple[int, Callable[[], Array]]]:
    """Return the slot and the allocator of each result that kernels write into new memory."""
    return [
        (slot, result_allocator(value.shape or (), value.dtype))
        for value, slot in plan.slot_of.items()
        if slot in buffers and slot in plan.results and not value.channels_last
        if not (pool.is_spin_pool and is_small(value))
    ]


def _owns_memory(array: Array) -> bool:
    """Return whether an array in C order is no view of another."""
    return array.base is None and array.flags.c_contiguous


def nothing(_: Slots) -> None:
    """Do nothing: the step's outputs are there."""


class State:
    """The state of one request: its variables, and the plans that it has memory for."""

    def __init__(self, threads: int = 1, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> None:
        self._threads = threads
        self._pool = ThreadPool(threads)
        self._spin_pool: ThreadPool | None = None
        self._awake: list[ThreadPool] = []
        self._asleep: list[ThreadPool] = []
        """Pools of plans that run without their workers: only BLAS is held."""
        self._until_rest = ExitStack()
        self.variables: dict[str, Array] = {}
        self.memory: dict[str, Array] = {}
        """The arrays that start with the values of the variables and end with spare capacity."""
        self.running = Running(memory_limit)
        self.cancelled = False
        """Set by another thread to end the inference before its next step."""
        self._bound: OrderedDict[Hashable, ExecutableInstance] = OrderedDict()

    @property
    def plans(self) -> list[Plan]:
        """The plans that the request has memory for, including plans of bodies."""
        return list(dict.fromkeys(bound.plan for bound in self._bound.values()))

    def bound(self, key: Hashable, plan: Callable[[], Plan]) -> ExecutableInstance:
        """Return this request's instance of the plan of this key; `plan` returns the plan when the key is new."""
        cached = self._bound.get(key)
        if cached is not None:
            self._bound.move_to_end(key)
            return cached
        required = plan()
        bound = next((candidate for candidate in self._bound.values() if candidate.plan is required), None)
        newest = self._bound[key] = bound or ExecutableInstance(required, self.running, *self._threads_for(required))
        self._drop_oldest(newest)
        return newest

    def _drop_oldest(self, newest: ExecutableInstance) -> None:
        """Drop the least recently used plan if there are too many, and the oldest key of a plan with too many keys."""
        keys = [key for key, bound in self._bound.items() if bound is newest]
        if len(keys) > MAX_KEYS:
            del self._bound[keys[0]]
        if len(set(self._bound.values())) > MAX_INSTANCES:
            oldest = next(iter(self._bound.values()))
            for key in [key for key, bound in self._bound.items() if bound is oldest]:
                del self._bound[key]

    def wake(self, bound: ExecutableInstance, is_repeated: bool = False) -> None:
        """Keep the workers of a plan awake until `rest` if that is worth it; for a body, through all iterations.

        `is_repeated` says that the plan runs again and again, so that waking counts less.
        """
        if not bound.plan.is_heavy or bound.pool in self._awake:
            return
        wakes = is_repeated or bound.plan.is_worth_waking
        pools = self._awake if wakes else self._asleep
        if bound.pool not in pools:
            self._until_rest.enter_context(bound.at_work(wakes))
            pools.append(bound.pool)

    def rest(self) -> None:
        """Let all workers sleep."""
        if self._awake or self._asleep:
            self._awake.clear()
            self._asleep.clear()
            self._until_rest.close()

    def _threads_for(self, plan: Plan) -> tuple[ThreadPool, int]:
        """Return the thread pool for a plan's kernels, and the number of BLAS threads.

        It is a spin pool where the plan uses one. NumPy's convolutions run in one thread and leave their products to
        BLAS's own threads, which wait awake; Python threads that share the rows would wait for each other.
        """
        if plan.uses_spin_pool and self._spin_pool is None:
            self._spin_pool = plan.kernels.build(keys.SPIN_POOL, self._threads)
        if plan.uses_spin_pool and self._spin_pool is not None:
            return self._spin_pool, 1
        return (ThreadPool(1), self._threads) if plan.convolves else (self._pool, 1)
