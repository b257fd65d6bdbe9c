"""Plans bound to the memory of one request, and what a request keeps from one inference to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

from ir_plugin.compiler.plan import Plan, Step
from ir_plugin.compiler.selection import crew_of
from ir_plugin.compiler.selection.kernel import View
from ir_plugin.kernels.numpy.movement import copied
from ir_plugin.kernels.thread_pool import BLAS, Team
from ir_plugin.operations.base import Operation
from ir_plugin.runtime.buffer_pool import maker
from ir_plugin.tensors import Array

MAX_BOUND = 8
"""Plans that one request keeps memory for."""

MAX_KEYS = 16
"""Combinations of shapes that are remembered to be served by one plan."""


Slots: TypeAlias = "list[Array | None]"
"""The arrays of one run, by the numbers that a plan gives them."""

Act: TypeAlias = "Callable[[Slots], object]"
"""Does one step on the slots of a run."""


class Bound:
    """A plan with memory of its own: one thread runs it at a time.

    `acts` has each step with what does it, or None where its layer is to be evaluated; steps that have nothing to do,
    for their outputs are views of memory that stays, are among `all_acts` only.
    """

    def __init__(self, plan: Plan, team: Team, blas_threads: int = 1) -> None:
        self.plan = plan
        self.blas_threads = blas_threads
        self.team = team
        self._slots = list(plan.slots)
        buffers = plan.buffers()
        for slot, array in buffers.items():
            self._slots[slot] = array
        self._fresh = [
            (slot, maker(value.shape or (), value.dtype))
            for value, slot in plan.slot_of.items()
            if slot in buffers and slot in plan.results and not value.channels_last
        ]
        self._fresh_slots = {slot for slot, _ in self._fresh}
        self._fixed = {slot for slot, array in enumerate(plan.slots) if array is not None}
        self._fixed |= set(buffers) - self._fresh_slots
        self.all_acts = [(step, self._act(step, team)) for step in plan.steps]
        self.acts = [(step, act) for step, act in self.all_acts if act is not _nothing]
        self.evaluates = any(act is None for _, act in self.acts)
        self._tuned = {id(step): step.tuned.bind(team) for step in plan.steps if step.tuned is not None}
        self._given = {id(array) for array in self._slots if array is not None}

    def _act(self, step: Step, team: Team) -> Act | None:
        """Return what does a step; arrays that are the same in every run are looked up now."""
        if step.prepared is None:
            return None
        if step.view is not None:
            return self._view(step, step.view)
        execute, reads, writes = step.prepared.make(team), step.inputs, step.outputs
        if self._fixed.issuperset([*reads, *writes]):
            inputs, outputs = (
                tuple(array for array in map(self._slots.__getitem__, slots) if array is not None)
                for slots in (reads, writes)
            )
            return lambda _: execute(inputs, outputs)
        return lambda slots: execute([slots[slot] for slot in reads], [slots[slot] for slot in writes])  # type: ignore[misc]

    def _view(self, step: Step, view: View) -> Act:
        source, read, writes = self._slots[step.inputs[0]], step.inputs[0], step.outputs
        if source is not None and read in self._fixed:
            for slot, array in zip(writes, view(source), strict=True):
                self._slots[slot] = array
            self._fixed.update(writes)
            return _nothing

        def act(slots: Slots) -> None:
            source = slots[read]
            if source is not None:
                for slot, array in zip(writes, view(source), strict=True):
                    slots[slot] = array

        return act

    def operation(self, step: Step) -> Operation:
        """Return what is evaluated for a step."""
        return self._tuned.get(id(step), step.call.operation)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Say how many threads BLAS has and keep workers awake, where the plan is heavy enough for them."""
        if not self.plan.is_heavy:
            yield
            return
        with BLAS.held(self.blas_threads):
            self.team.begin()
            try:
                yield
            finally:
                self.team.end()

    def slots_for(self, inputs: Sequence[Array]) -> Slots:
        """Return the slots for one run; results that a prepared step writes get new memory."""
        slots = list(self._slots)
        for slot, array in zip(self.plan.parameters, inputs, strict=True):
            slots[slot] = array
        for slot, make in self._fresh:
            slots[slot] = make()
        return slots

    def results(self, slots: Sequence[Array | None], inputs: Sequence[Array]) -> list[Array]:
        """Return the results of a run on `inputs` as arrays of their own, in C order."""
        found = []
        for slot in self.plan.results:
            array = slots[slot]
            if array is not None:
                own = slot in self._fresh_slots or self._is_own(array, inputs)
                found.append(array if own else copied(array))
        return found

    def _is_own(self, array: Array, inputs: Sequence[Array]) -> bool:
        """Return whether an array was made in this run: it is none of those given, and a part of none."""
        given = id(array) in self._given or any(array is one for one in inputs)
        return not given and array.base is None and array.flags.c_contiguous


def _nothing(_: Slots) -> None:
    """Do nothing: the step's outputs are there."""


class State:
    """What one request keeps: its variables, and the plans it has memory for."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._team = Team(threads)
        self._crew: Team | None = None
        self._awake: list[Team] = []
        self._until_rest = ExitStack()
        self.variables: dict[str, Array] = {}
        self.memory: dict[str, Array] = {}
        """Arrays that variables begin, with room behind them."""
        self.cancelled = False
        """Set by another thread to end the inference before its next step."""
        self._bound: OrderedDict[Hashable, Bound] = OrderedDict()

    def bound(self, key: Hashable, plan: Callable[[], Plan]) -> Bound:
        """Return the plan of this key, bound to memory of this request; `plan` gives it when it is first asked for."""
        found = self._bound.get(key)
        if found is not None:
            self._bound.move_to_end(key)
            return found
        needed = plan()
        bound = next((one for one in self._bound.values() if one.plan is needed), None)
        made = self._bound[key] = bound or Bound(needed, *self._threads_for(needed))
        self._drop_oldest(made)
        return made

    def _drop_oldest(self, made: Bound) -> None:
        """Forget the plan that was used longest ago where there are too many; one plan may have many keys."""
        keys = [key for key, bound in self._bound.items() if bound is made]
        if len(keys) > MAX_KEYS:
            del self._bound[keys[0]]
        if len({id(bound) for bound in self._bound.values()}) > MAX_BOUND:
            oldest = next(iter(self._bound.values()))
            for key in [key for key, bound in self._bound.items() if bound is oldest]:
                del self._bound[key]

    def wake(self, bound: Bound) -> None:
        """Keep the workers of a heavy plan awake until `rest`: those of a body through all its iterations."""
        if bound.plan.is_heavy and bound.team not in self._awake:
            self._until_rest.enter_context(bound.at_work())
            self._awake.append(bound.team)

    def rest(self) -> None:
        """Let all workers sleep."""
        if self._awake:
            self._awake.clear()
            self._until_rest.close()

    def _threads_for(self, plan: Plan) -> tuple[Team, int]:
        """Return the threads that run a plan's kernels, and how many BLAS has in each.

        A crew where the plan wants one. Convolutions in NumPy are left to one thread, and their products to BLAS with
        its own, which wait awake: threads that share their rows in Python hold each other up.
        """
        if plan.is_crewed and self._crew is None:
            self._crew = crew_of(self._threads)
        if plan.is_crewed and self._crew is not None:
            return self._crew, 1
        return (Team(1), self._threads) if plan.convolves else (self._team, 1)
