"""Kernels that run one after another in a step: an op's own, and one for each op of its unfused epilogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, apply_unfused
from ir_plugin.compiler.selection.kernel import Execute, OnArrays, OnViews, Options, as_channels_last
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job, all_jobs
from ir_plugin.kernels.numpy.elementwise import binary
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
from ir_plugin.kernels.numpy.rows import BlockKernel, in_blocks
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array


class InTurn:
    """Kernels that all get the inputs and outputs of the step."""

    def __init__(self, kernels: Sequence[Execute]) -> None:
        self._kernels = kernels

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the output from the inputs."""
        for kernel in self._kernels:
            kernel(inputs, outputs)

    def jobs(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs of all kernels, or None where one is not made of jobs."""
        return all_jobs([(kernel, (inputs, outputs)) for kernel in self._kernels])


def as_rows(array: Array, last: bool) -> Array:
    """Return an array as rows of its last dimension in memory."""
    moved = as_channels_last(array) if last else array
    return moved.reshape(-1, moved.shape[-1])


def combined(operation: Operation, options: Options, pool: ThreadPool) -> Execute:
    """Return a binary operation of the two inputs, which broadcast."""
    ufunc = binary(operation)

    def otherwise(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        ufunc(inputs[0], inputs[1], out=outputs[0])

    def compiled(inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None] | None:
        return options.kernels.build(keys.BROADCAST, operation, False, inputs[0], inputs[1], outputs[0], pool)

    return OnArrays(compiled, otherwise)


def following(
    split: SplitEpilogue, output: Value, last: bool, options: Options, pool: ThreadPool, position: int
) -> list[Execute]:
    """Return the kernels that apply an epilogue to the whole output, with operands that are inputs from a position."""
    kernels: list[Execute] = []
    count = len(split.row_values)
    if split.stages:
        kernels.append(_rows(split, output, last, options, pool, position))
    for item in split.unfused:
        operand = position + count if item.operand is not None else None
        kernels.append(_unfused(item, output, last, options, pool, operand))
        count += item.operand is not None
    return kernels


def with_unfused(kernel: Execute, split: SplitEpilogue, op: Op, options: Options, pool: ThreadPool) -> Execute:
    """Return a kernel of an op and the part of its epilogue that the kernel leaves: ops on the whole output.

    Their operands are the last inputs of the step.
    """
    if not split.unfused:
        return kernel
    output, rest = op.outputs[0], SplitEpilogue(None, unfused=split.unfused)
    count = len(split.unfused_values)
    return InTurn([kernel, *following(rest, output, output.channels_last, options, pool, -count)])


def _rows(
    split: SplitEpilogue, output: Value, last: bool, options: Options, pool: ThreadPool, position: int
) -> Execute:
    """Return the kernel that applies the stages of rows."""
    end = position + len(split.row_values)

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        block = as_rows(outputs[0], last)
        return block, block, [as_rows(array, last) for array in inputs[position:end]]

    return OnViews(_chain(split.stages, output, last, options, pool) or _blocks(split.rows, pool), views)


def _chain(
    stages: Sequence[EpilogueStage], output: Value, last: bool, options: Options, pool: ThreadPool
) -> Callable[[Array, Array, Sequence[Array]], None] | None:
    """Return the compiled stages; None for types other than f32, which they would read as f32."""
    shape = output.shape or ()
    if output.dtype != np.float32:
        return None
    width = shape[1 if last else -1]
    return options.kernels.build(keys.CHAIN, prod(shape) // width, width, stages, pool)


def _blocks(stages: Rows | None, pool: ThreadPool) -> Callable[[Array, Array, Sequence[Array]], None]:
    return in_blocks(stages_of(stages), pool, policy.ELEMENTWISE_SHARED_MIN_ELEMENTS)


def stages_of(stages: Rows | None) -> BlockKernel:
    """Return the kernel that applies stages of rows to a block of the output."""

    def kernel(_data: Array, output: Array, number: int, operands: Sequence[Array]) -> None:
        if stages is not None:
            stages(output, number, operands)

    return kernel


def _unfused(
    item: EpilogueOp, output: Value, last: bool, options: Options, pool: ThreadPool, position: int | None
) -> Execute:
    """Return the kernel of one op on the whole output, with the input at a position as operand."""
    if position is None:
        return _unary(item, output, last, options, pool)

    def otherwise(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        apply_unfused([item], outputs[0], [inputs[position]])

    def compiled(inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None] | None:
        target, operand = outputs[0], inputs[position]
        return options.kernels.build(keys.BROADCAST, item.operation, item.operand_first, target, operand, target, pool)

    return OnArrays(compiled, otherwise)


def _unary(item: EpilogueOp, output: Value, last: bool, options: Options, pool: ThreadPool) -> Execute:
    chain = _chain([EpilogueStage(item.operation)], output, last, options, pool)
    if chain is None:
        return lambda _inputs, outputs: apply_unfused([item], outputs[0], ())

    def views(_inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        block = as_rows(outputs[0], last)
        return block, block, []

    return OnViews(chain, views)
