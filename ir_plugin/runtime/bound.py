"""Plans bound to the memory of one request, and what a request keeps from one inference to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.team import Team
from ir_plugin.plan.arena import form
from ir_plugin.plan.plan import Plan
from ir_plugin.plan.prepare.prepared import Execute
from ir_plugin.tensors import Array

MAX_BOUND = 8
"""Plans that one request keeps memory for."""


class Bound:
    """A plan with memory of its own: one thread runs it at a time."""

    def __init__(self, plan: Plan, team: Team) -> None:
        self.plan = plan
        self.executes: list[Execute | None] = [
            step.prepared.make(team) if step.prepared is not None and step.writes else None for step in plan.steps
        ]
        self._slots = list(plan.slots)
        buffers = plan.buffers()
        for slot, array in buffers.items():
            self._slots[slot] = array
        self._fresh = [
            (slot, value)
            for value, slot in plan.slot_of.items()
            if slot in buffers and slot in plan.results and not value.channels_last
        ]
        self._bind_views(set(buffers) - {slot for slot, _ in self._fresh})

    def _bind_views(self, fixed: set[int]) -> None:
        """Make the views of memory that is the same in every run."""
        for step in self.plan.steps:
            source = self._slots[step.inputs[0]] if step.inputs and step.inputs[0] in fixed else None
            if step.view is None or source is None:
                continue
            for slot, array in zip(step.outputs, step.view(source), strict=True):
                self._slots[slot] = array
                fixed.add(slot)

    def slots_for(self, inputs: Sequence[Array]) -> list[Array | None]:
        """Return the slots for one run; results that a prepared step writes get new memory."""
        slots = list(self._slots)
        for slot, array in zip(self.plan.parameters, inputs, strict=True):
            slots[slot] = array
        for slot, value in self._fresh:
            slots[slot] = form(value)
        return slots

    def results(self, slots: Sequence[Array | None], inputs: Sequence[Array]) -> list[Array]:
        """Return the results of a run on `inputs` as arrays of their own, in C order."""
        fresh = {slot for slot, _ in self._fresh}
        given = {id(array) for array in (*inputs, *self._slots) if array is not None}
        return [
            array if slot in fresh or _is_own(array, given) else np.array(array, order="C")
            for slot, array in ((slot, slots[slot]) for slot in self.plan.results)
            if array is not None
        ]


def _is_own(array: Array, given: set[int]) -> bool:
    """Return whether an array was made in this run: it is none of those given, and a part of none."""
    return id(array) not in given and array.base is None and array.flags.c_contiguous


class State:
    """What one request keeps: its variables, and the plans it has memory for."""

    def __init__(self, threads: int = 1) -> None:
        self.team = Team(threads)
        self.variables: dict[str, Array] = {}
        self.cancelled = False
        """Set by another thread to end the inference before its next step."""
        self._bound: OrderedDict[int, Bound] = OrderedDict()

    def bound(self, plan: Plan) -> Bound:
        """Return the plan bound to memory of this request."""
        found = self._bound.get(id(plan))
        if found is None or found.plan is not plan:
            found = self._bound[id(plan)] = Bound(plan, self.team)
            while len(self._bound) > MAX_BOUND:
                self._bound.popitem(last=False)
        else:
            self._bound.move_to_end(id(plan))
        return found
