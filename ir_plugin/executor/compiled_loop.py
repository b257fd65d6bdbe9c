"""Loops whose body is compiled jobs: one native call runs many iterations and copies slices and states between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ir_plugin.executor.segments import Cancellable, require_uncancelled
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job, LoopCopy
from ir_plugin.kernels.registry import Provider
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.model import SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.operations.context import Repeated, Repetition
from ir_plugin.operations.infrastructure.slices import first_of
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.tensors import Array


class _Slices(NamedTuple):
    """Slices of an array in C order: the positions of the first one on the axis, and from one to the next."""

    array: Array
    axis: int
    first: int
    stride: int

    def copy(self, part: Array, is_source: bool) -> LoopCopy:
        """Return the copy of one slice in each iteration, to or from an array of a slice's shape."""
        inner = prod(self.array.shape[self.axis + 1 :]) * self.array.itemsize
        rows = prod(part.shape[: self.axis])
        row_bytes = part.nbytes // max(rows, 1)
        address = self.array.ctypes.data + self.first * inner
        row, step = self.array.shape[self.axis] * inner, self.stride * inner
        if is_source:
            return LoopCopy(address, part.ctypes.data, rows, row_bytes, row, row_bytes, step, 0)
        return LoopCopy(part.ctypes.data, address, rows, row_bytes, row_bytes, row, 0, step)


def compiled_loop(
    subgraph: SubGraph,
    parameters: Sequence[Array | None],
    results: Sequence[Array | None],
    condition: int | None,
    jobs: Sequence[Job],
    kernels: Provider,
    pool: ThreadPool,
) -> CompiledLoop | None:
    """Return the loop of a body made of jobs, with the memory of its parameters and results; None without one of them.

    `condition` is the result that ends the loop.
    """
    own_parameters, own_results = ([array for array in arrays if array is not None] for arrays in (parameters, results))
    if len(own_parameters) < len(parameters) or len(own_results) < len(results):
        return None
    loop = CompiledLoop(subgraph, own_parameters, own_results, condition)
    return loop if loop.is_supported() and loop.bind(jobs, kernels, pool) else None


class CompiledLoop:
    """The iterations of a body, whose parameters and results keep their memory from iteration to iteration."""

    def __init__(
        self, subgraph: SubGraph, parameters: Sequence[Array], results: Sequence[Array], condition: int | None
    ) -> None:
        """Take the memory of the body's parameters and results, and the result that ends the loop."""
        self._parameters, self._results = parameters, results
        self._condition = None if condition is None else results[condition]
        edges = [(results[result], parameters[target]) for result, target in subgraph.back_edges]
        self._states = [(source, target) for source, target in edges if source is not target]
        targets = {target for _, target in subgraph.back_edges}
        self._sliced = [entry for entry in subgraph.inputs if _is_sliced(entry) and entry.parameter not in targets]
        self._joined = [entry for entry in subgraph.outputs if entry.axis is not None]

    def is_supported(self) -> bool:
        """Return whether iterations copy nothing but rows, between memory that they do not share."""
        if any((source.shape, source.dtype) != (target.shape, target.dtype) for source, target in self._states):
            return False
        if len({entry.result for entry in self._joined}) < len(self._joined):
            return False
        if any(np.may_share_memory(state, result) for _, state in self._states for result in self._results):
            return False
        if self._condition is not None and (self._condition.dtype != np.bool_ or self._condition.size != 1):
            return False
        return all(array.flags.c_contiguous for array in (*self._parameters, *self._results))

    def bind(self, jobs: Sequence[Job], kernels: Provider, pool: ThreadPool) -> bool:
        """Make the table of the jobs of the body and of what is copied; return whether there is one."""
        before = kernels.build(keys.LOOP_COPIES, len(self._sliced), None, pool)
        after = kernels.build(keys.LOOP_COPIES, len(self._joined) + len(self._states), self._condition, pool)
        if before is None or after is None:
            return False
        iteration = [before.job, *jobs, after.job]
        rounds = policy.COMPILED_LOOP_TABLE_ITERATIONS
        table = kernels.build(keys.JOB_TABLE, iteration * rounds, pool)
        if table is None:
            return False
        self._before, self._after, self._table = before, after, table
        self._length, self._rounds = len(iteration), rounds
        return True

    def run(self, repetition: Repetition, state: Cancellable) -> Repeated | None:
        """Run iterations; None for values of other types, and where joined results take too much memory."""
        size = sum(self._results[entry.result].nbytes for entry in self._joined)
        most = policy.COMPILED_LOOP_JOINED_MAX_BYTES // max(size, 1)
        most = min(repetition.most, policy.COMPILED_LOOP_RUN_MAX_ITERATIONS, most)
        pairs = zip(self._parameters, repetition.values, strict=True)
        if most < policy.COMPILED_LOOP_MIN_ITERATIONS or any(
            (array.shape, array.dtype) != (value.shape, value.dtype) for array, value in pairs
        ):
            return None
        for buffer, value in zip(self._parameters, repetition.values, strict=True):
            np.copyto(buffer, value)
        sources = [self._source(entry, repetition, most) for entry in self._sliced]
        parts = [self._results[entry.result] for entry in self._joined]
        joined = [_memory(part, entry, most) for part, entry in zip(parts, self._joined, strict=True)]
        targets = [self._parameters[entry.parameter] for entry in self._sliced]
        self._before.begin([slices.copy(part, True) for slices, part in zip(sources, targets, strict=True)])
        copies = [slices.copy(part, False) for slices, part in zip(joined, parts, strict=True)]
        self._after.begin([*copies, *[_whole(*pair) for pair in self._states]])
        self._iterate(most, state)
        count, results = self._after.done, [array.copy() for array in self._results]
        written = [_written(slices, count, most) for slices in joined]
        numbers = [entry.result for entry in self._joined]
        return Repeated(count, results, dict(zip(numbers, written, strict=True)))

    def _source(self, entry: SubGraphInput, repetition: Repetition, most: int) -> _Slices:
        """Return the slices of an input, or the numbers of iterations."""
        array = None if entry.external is None else repetition.inputs[entry.external]
        if array is None:
            dtype = self._parameters[entry.parameter].dtype
            return _Slices(np.arange(repetition.done, repetition.done + most, dtype=dtype), 0, 0, 1)
        array = np.ascontiguousarray(array)
        axis = normalize_axis("axis", entry.axis or 0, array.ndim)
        return _Slices(array, axis, first_of(array.shape[axis], entry, repetition.done), entry.stride)

    def _iterate(self, most: int, state: Cancellable) -> None:
        """Run the table until the iterations are done, or the condition is false."""
        position, left = -most % self._rounds * self._length, -(-most // self._rounds)
        while left:
            require_uncancelled(state)
            position, has_stopped = self._table.run(position)
            if has_stopped:
                return
            if position == self._rounds * self._length:
                position, left = 0, left - 1


def _is_sliced(entry: SubGraphInput) -> bool:
    """Return whether a parameter gets a slice, or the number of the iteration."""
    return entry.axis is not None or entry.external is None


def _memory(part: Array, entry: SubGraphOutput, most: int) -> _Slices:
    """Allocate memory for the values of a result in `most` iterations, in reverse for a negative stride."""
    axis = normalize_axis("axis", entry.axis or 0, part.ndim)
    length = part.shape[axis]
    array = np.empty((*part.shape[:axis], length * most, *part.shape[axis + 1 :]), part.dtype)
    is_reverse = entry.stride < 0
    return _Slices(array, axis, (most - 1) * length * is_reverse, -length if is_reverse else length)


def _written(slices: _Slices, count: int, most: int) -> Array:
    """Return the part of a result that the first `count` iterations have written."""
    length = abs(slices.stride)
    first = (most - count) * length if slices.first else 0
    return slices.array[(slice(None),) * slices.axis + (slice(first, first + count * length),)]


def _whole(source: Array, target: Array) -> LoopCopy:
    """Return the copy of an array to another in each iteration."""
    return LoopCopy(source.ctypes.data, target.ctypes.data, 1, source.nbytes, 0, 0, 0, 0)
