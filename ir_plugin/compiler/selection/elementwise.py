"""Selects the kernel of a chain of elementwise ops; it works in place where its input is not needed any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.passes.prelu_layout import is_broadcast
from ir_plugin.compiler.selection.epilogue import apply_unfused, job_stages, runs_along, split_epilogue, split_for_jobs
from ir_plugin.compiler.selection.in_turn import InTurn, as_rows, combined, following, with_unfused
from ir_plugin.compiler.selection.kernel import Execute, Kernel, MakeMover, OnViews, Options, StaticKernel, movers
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numpy.elementwise import ELEMENTWISE, binary, can_follow, unary
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, FirstStage, Rows, copied, first_stage
from ir_plugin.kernels.numpy.rows import BlockKernel, RowKernel, in_blocks
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.arithmetic.binary import Multiply
from ir_plugin.operations.arithmetic.unary import Square
from ir_plugin.tensors import Array


@selects(*ELEMENTWISE)
def select_elementwise(op: Op, options: Options) -> Kernel | None:
    """Return an elementwise operation of floats with its epilogue, in the layout of its largest input.

    A chain goes through memory once: blocks of rows that fit the cache pass through all of its operations.
    """
    output = op.outputs[0]
    inputs = [value for value in op.inputs if value is not None]
    if len(op.outputs) != 1 or not inputs or len(inputs) != len(op.inputs) or output.shape is None:
        return None
    if not can_follow(op.operation, len(inputs), output.dtype) or output.element_type.name not in ("f32", "f64"):
        return None
    if any(value.element_type is not output.element_type for value in inputs) or not is_broadcast(op):
        return None
    large = [position for position, value in enumerate(inputs) if value.shape == output.shape]
    last = any(inputs[position].channels_last for position in large)
    main = next((position for position in large if inputs[position].constant is None), None)
    if main is None or not output.shape or 0 in output.shape:
        return _whole(op, options, inputs, output.shape, last)
    has_jobs = _has_jobs(output, options)
    if not has_jobs and not op.epilogue and prod(output.shape) <= policy.ELEMENTWISE_PLAIN_MAX_ELEMENTS:
        return _whole(op, options, inputs, output.shape, last, main)
    if not has_jobs and _is_small(op):
        return _one_after_the_other(op, inputs, last, main)
    return _chain(op, options, inputs, main, last) or _whole(op, options, inputs, output.shape, last, main)


def _has_jobs(output: Value, options: Options) -> bool:
    """Return whether elementwise operations of the output's type are compiled jobs."""
    return output.dtype == np.float32 and options.has_spin_pool


def _are_jobs(stages: Sequence[EpilogueStage], op: Op, options: Options) -> bool:
    """Return whether compiled jobs can apply stages, if not all of them at once."""
    return _has_jobs(op.outputs[0], options) and all(job_stages([stage], options) for stage in stages)


def _is_small(op: Op) -> bool:
    """Return whether a chain has so few ops and elements that a ufunc for each takes less than rows to set up."""
    count = prod(op.outputs[0].shape or ()) * len(op.epilogue)
    return (
        count <= policy.ELEMENTWISE_CHAIN_PLAIN_MAX_ELEMENTS
        and len(op.epilogue) <= policy.ELEMENTWISE_CHAIN_PLAIN_MAX_OPS
    )


def _one_after_the_other(op: Op, inputs: list[Value], last: bool, in_place: int | None) -> Kernel:
    """Return the form that applies one operation of a chain after the other to the whole output."""
    first = _unary(op) if len(inputs) == 1 else _binary(op)
    operands = [item.operand for item in op.epilogue if item.operand is not None]
    steps: list[tuple[Callable[..., object], int]] = []
    for item in op.epilogue:
        single = unary(item.operation) if item.operand is None else None
        if single is not None:
            steps.append((single, -1))
        elif item.operand is not None:
            position = len(inputs) + sum(position >= 0 for _, position in steps)
            steps.append((binary(item.operation, item.operand_first), position))

    def run(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        first(inputs, outputs)
        output = outputs[0]
        for function, position in steps:
            if position < 0:
                function(output)
            else:
                function(output, inputs[position], out=output)

    return StaticKernel(
        [*inputs, *operands], lambda _pool: run, channels_last=last, in_place=in_place, variant="in place"
    )


def _whole(
    op: Op, options: Options, inputs: list[Value], shape: tuple[int, ...], last: bool, in_place: int | None = None
) -> Kernel:
    """Return the form for operands that broadcast in other ways: one operation after the other."""
    if not shape or 0 in shape:
        return _plain(op, inputs, last, in_place)
    axis = 1 if last else -1
    split = split_epilogue(op.epilogue, shape, axis, options)
    if _are_jobs(split.stages, op, options):
        split = split_for_jobs(op.epilogue, shape, axis, options)

    def make(pool: ThreadPool) -> Execute:
        start = _unary(op) if len(inputs) == 1 else combined(op.operation, options, pool)
        return InTurn([start, *following(split, op.outputs[0], last, options, pool, len(inputs))])

    return StaticKernel(
        [*inputs, *split.row_values, *split.unfused_values],
        make,
        channels_last=last,
        in_place=in_place,
        variant="chain" if op.epilogue else "in place",
        uses_spin_pool=_has_jobs(op.outputs[0], options),
    )


def _plain(op: Op, inputs: list[Value], last: bool, in_place: int | None) -> Kernel:
    """Return the form for scalars and empty outputs."""
    first, plain = _unary(op) if len(inputs) == 1 else _binary(op), list(op.epilogue)
    operands = [epilogue.operand for epilogue in op.epilogue if epilogue.operand is not None]

    def run(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        first(inputs, outputs)
        apply_unfused(plain, outputs[0], inputs[-len(operands) :] if operands else ())

    return StaticKernel(
        [*inputs, *operands], lambda _pool: run, channels_last=last, in_place=in_place, variant="in place"
    )


class _Start(NamedTuple):
    """The first operation of a chain, and the values it reads row by row."""

    stage: EpilogueStage
    values: list[Value]


def _start(op: Op, inputs: list[Value], main: int, last: bool, has_jobs: bool) -> _Start | None:
    """Return the start of a chain: a second operand has the same shape and layout, or is one a row or a channel."""
    shape, data = inputs[main].shape or (), inputs[main]
    if last is not data.channels_last and data.strides is not None:
        return None
    if len(inputs) == 1:
        return _Start(EpilogueStage(op.operation), [data])
    other = inputs[1 - main]
    if op.is_a(Multiply) and other is data and has_jobs:
        return _Start(EpilogueStage(Square()), [data])
    if other.constant is not None and runs_along(other.constant.shape, shape, 1 if last else -1):
        return _Start(EpilogueStage(op.operation, other.constant, main == 1), [data])
    if other.constant is None and other.shape == shape and other.channels_last is last:
        return _Start(EpilogueStage(op.operation, 0, main == 1), [data, other])
    return None


def _chain(op: Op, options: Options, inputs: list[Value], main: int, last: bool) -> Kernel | None:
    """Return the form that goes through memory once, or None for operands that broadcast in other ways."""
    shape = inputs[main].shape or ()
    start = _start(op, inputs, main, last, _has_jobs(op.outputs[0], options))
    if start is None:
        return None
    stage, values = start
    axis, is_unary = 1 if last else -1, stage.operand is None
    epilogue = [EpilogueOp(stage.operation), *op.epilogue] if is_unary else list(op.epilogue)
    split = split_epilogue(epilogue, shape, axis, options)
    before, width = len(values) - 1, shape[axis]
    first = copied if is_unary else first_stage(stage, width)
    stages = [*([] if is_unary else [stage]), *_shifted(split.stages, before)]
    is_single = isinstance(stages[0].operand, int) and len(stages) == 1
    if _are_jobs(stages, op, options) and (is_single or job_stages(stages, options) < len(stages)):
        return None

    def make(pool: ThreadPool) -> Execute:
        single = values[0].dtype == np.float32
        kernel = options.kernels.build(keys.CHAIN, prod(shape) // width, width, stages, pool) if single else None
        plain = _first_and_rest(first, before, split.rows)
        rows = _by_rows(
            kernel or _blocks(plain, prod(shape), pool), before + len(split.row_values), last, movers(options, pool)
        )
        return with_unfused(rows, split, op, options, pool)

    read = [*values, *split.row_values, *split.unfused_values]
    spins = _has_jobs(op.outputs[0], options)
    return StaticKernel(read, make, channels_last=last, in_place=0, variant="chain", uses_spin_pool=spins)


def _shifted(stages: Sequence[EpilogueStage], count: int) -> list[EpilogueStage]:
    """Return stages whose operand positions are shifted by `count`."""
    return [
        replace(stage, operand=stage.operand + count) if isinstance(stage.operand, int) else stage for stage in stages
    ]


def _blocks(kernel: BlockKernel, size: int, pool: ThreadPool) -> RowKernel:
    """Return the kernel applied to blocks of rows, or where these are few at once."""
    if size > policy.ELEMENTWISE_WHOLE_MAX_ELEMENTS:
        return in_blocks(kernel, pool, policy.ELEMENTWISE_SHARED_MIN_ELEMENTS)
    return lambda data, output, operands: kernel(data, output, 0, operands)


def _by_rows(kernel: RowKernel, count: int, last: bool, make_mover: MakeMover) -> Execute:
    """Return a kernel on rows of the first input and of the next `count` inputs, its operands."""

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        operands = [as_rows(array, last) for array in inputs[1 : 1 + count]]
        return as_rows(inputs[0], last), as_rows(outputs[0], last), operands

    return OnViews(kernel, views, make_mover)


def _first_and_rest(first: FirstStage, before: int, rest: Rows | None) -> BlockKernel:
    def kernel(data: Array, output: Array, number: int, operands: Sequence[Array]) -> None:
        first(data, output, number, operands)
        if rest is not None:
            rest(output, number, operands[before:])

    return kernel


def _unary(op: Op) -> Execute:
    function = unary(op.operation)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        if outputs[0] is not inputs[0]:
            np.copyto(outputs[0], inputs[0])
        if function is not None:
            function(outputs[0] if outputs[0].ndim else outputs[0][None])

    return execute


def _binary(op: Op) -> Execute:
    ufunc = binary(op.operation)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        ufunc(inputs[0], inputs[1], out=outputs[0])

    return execute
