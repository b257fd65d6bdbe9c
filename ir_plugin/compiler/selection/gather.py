"""Selects the kernels of Gather, GatherElements and GatherND, which read by flat positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import (
    Execute,
    FallbackRequired,
    Kernel,
    Options,
    StaticKernel,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job, jobs_of
from ir_plugin.kernels.keys import GatherArguments
from ir_plugin.kernels.numpy import gather as kernels
from ir_plugin.kernels.numpy.gather import Taking
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND
from ir_plugin.operations.table import OperationTable
from ir_plugin.tensors import Array

MakeKernel: TypeAlias = "Callable[[ThreadPool], Taking]"


@selects(Gather, GatherElements, GatherND)
def select_gather(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of Gather, GatherElements or GatherND, which reads flat positions.

    It falls back where an index is out of the range of the operation's version.
    """
    if op.epilogue or None in op.inputs:
        return None
    values = [value for value in op.inputs if value is not None]
    output = op.outputs[0]
    sizes = [prod(value.shape or ()) for value in (*values, output)]
    min_elements = 1 if options.has_spin_pool else policy.INDEXING_FLAT_MIN_ELEMENTS
    if min(sizes) == 0 or sizes[-1] < min_elements or not output.shape or output.dtype.hasobject:
        return None
    arguments = _arguments(op, values)
    if arguments is None:
        return None
    if op.is_a(Gather) and sizes[1] == 1 and arguments.batch == 0:
        return StaticKernel(values, lambda _pool: _slice_at(arguments), variant="slice")
    compiled = _compiled(op, arguments, options)
    if compiled is None and sizes[-1] < policy.INDEXING_FLAT_MIN_ELEMENTS:
        return None

    def make(pool: ThreadPool) -> Execute:
        if compiled is not None and pool.is_spin_pool:
            return _Gathering(compiled(pool))
        return _Gathering(_KERNELS[op.operation](arguments, pool))

    return StaticKernel(
        values, make, variant="flat, numba" if compiled else "flat", uses_spin_pool=compiled is not None
    )


class _Gathering:
    """A kernel of data and indices that falls back where an index is out of range."""

    def __init__(self, kernel: Taking) -> None:
        self._kernel = kernel

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the output from the inputs."""
        if not self._kernel(inputs[0], inputs[1], outputs[0]):
            raise FallbackRequired

    def jobs(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs for arrays that are the same in every run, or None where other work is part of a run."""
        return jobs_of(self._kernel, inputs[0], inputs[1], outputs[0])


def _slice_at(arguments: GatherArguments) -> Execute:
    """Return the copy of the slice at a single index."""
    data, indices, wrap, axis, _ = arguments
    length, before, inserted = data[axis], (slice(None),) * axis, (None,) * len(indices)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        index = inputs[1].item()
        if not (-length if wrap else 0) <= index < length:
            raise FallbackRequired
        position = (*before, index, *inserted)
        np.copyto(outputs[0], inputs[0][position])

    return execute


def _arguments(op: Op, values: list[Value]) -> GatherArguments | None:
    """Return the arguments of the kernel for this type, or None where it does not apply."""
    data, indices = (value.shape or () for value in values[:2])
    if op.is_a(GatherElements):
        return GatherArguments(data, indices, True, attributes(op, GatherElements).axis % len(data))
    if op.is_a(GatherND):
        batch = attributes(op, GatherND).batch_dims
        same = data[:batch] == indices[:batch]
        return GatherArguments(data, indices, True, batch=batch) if same else None
    constant = values[2].constant
    if constant is None:
        return None
    axis, batch = int(constant.reshape(-1)[0]) % len(data), attributes(op, Gather).batch_dims
    wrap = op.operation.version not in ("opset1", "opset7")
    return GatherArguments(data, indices, wrap, axis, batch % max(len(indices), 1) if batch < 0 else batch)


_KERNELS: OperationTable[Callable[[GatherArguments, ThreadPool], Taking]] = OperationTable(
    {
        GatherElements: lambda g, pool: kernels.gather_elements(g.data, g.indices, g.axis, g.wrap, pool),
        Gather: lambda g, pool: kernels.gather(g.data, g.indices, g.axis, g.batch, g.wrap, pool),
        GatherND: lambda g, pool: kernels.gather_tuples(g.data, g.indices, g.batch, g.wrap, pool),
    }
)


def _compiled(op: Op, arguments: GatherArguments, options: Options) -> MakeKernel | None:
    """Return the function that makes the compiled kernel, or None where there is none."""
    data, indices = op.inputs[0], op.inputs[1]
    if data is None or indices is None or indices.dtype.str not in ("<i4", "<i8"):
        return None
    if data.dtype.itemsize not in keys.MACHINE_WORDS:
        return None
    return options.kernels.build(keys.GATHER, op.operation, data.dtype.itemsize, indices.dtype.str[1:], arguments)
