"""Splits an epilogue into stages for rows, stages for jobs, and ops on the whole output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ir_plugin.compiler.graph import EpilogueOp, Value
from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.kernels import keys
from ir_plugin.kernels.numpy.elementwise import binary, unary
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows, by_rows
from ir_plugin.tensors import Array


@dataclass
class SplitEpilogue:
    """Fused stages: those for blocks of rows, with the values they read, and those for the whole output."""

    rows: Rows | None
    row_values: list[Value] = field(default_factory=list)
    unfused: list[EpilogueOp] = field(default_factory=list)
    unfused_values: list[Value] = field(default_factory=list)
    stages: list[EpilogueStage] = field(default_factory=list)
    """Those that `rows` applies."""


def rows_of(stages: Sequence[EpilogueStage], width: int, options: Options) -> Rows | None:
    """Return the function that applies stages to rows, by the provider that the options say."""
    make = options.kernels.find(keys.EPILOGUE_ROWS) if stages else None
    return (make or by_rows)(stages, width)


def job_stages(stages: Sequence[EpilogueStage], options: Options) -> int:
    """Return how many of the first epilogue stages jobs can apply; all where there are no jobs."""
    count = options.kernels.find(keys.ENCODABLE_STAGES) if options.has_spin_pool else None
    return len(stages) if count is None else count(stages)


def split_epilogue(
    epilogue: Sequence[EpilogueOp], shape: tuple[int, ...], channel_axis: int, options: Options
) -> SplitEpilogue:
    """Split an epilogue into stages for rows along `channel_axis` of an output of this shape, and unfused ops."""
    stages: list[EpilogueStage] = []
    values: list[Value] = []
    for number, item in enumerate(epilogue):
        operand = item.operand
        if operand is None:
            stages.append(EpilogueStage(item.operation))
        elif operand.constant is not None and runs_along(operand.constant.shape, shape, channel_axis):
            stages.append(EpilogueStage(item.operation, operand.constant, item.operand_first))
        elif operand.constant is None and operand.shape == shape:
            stages.append(EpilogueStage(item.operation, len(values), item.operand_first))
            values.append(operand)
        else:
            unfused = list(epilogue[number:])
            rest = [stage.operand for stage in unfused if stage.operand is not None]
            return SplitEpilogue(rows_of(stages, shape[channel_axis], options), values, unfused, rest, stages)
    return SplitEpilogue(rows_of(stages, shape[channel_axis], options), values, stages=stages)


def split_for_jobs(
    epilogue: Sequence[EpilogueOp], shape: tuple[int, ...], channel_axis: int, options: Options
) -> SplitEpilogue:
    """Return stages as `split_epilogue` does, but unfused from the first on that compiled jobs cannot apply."""
    split = split_epilogue(epilogue, shape, channel_axis, options)
    count = job_stages(split.stages, options)
    if count == len(split.stages):
        return split
    stages, unfused = split.stages[:count], list(epilogue[count:])
    values = [item.operand for item in epilogue[:count] if item.operand is not None and item.operand.constant is None]
    rest = [item.operand for item in unfused if item.operand is not None]
    return SplitEpilogue(rows_of(stages, shape[channel_axis], options), values, unfused, rest, stages)


def runs_along(operand: tuple[int, ...], shape: tuple[int, ...], axis: int) -> bool:
    """Return whether an operand varies along one axis of the shape only."""
    if len(operand) > len(shape):
        return False
    full = (1,) * (len(shape) - len(operand)) + operand
    position = axis % len(shape)
    return all(length == 1 or index == position for index, length in enumerate(full))


def apply_unfused(unfused: Sequence[EpilogueOp], output: Array, operands: Sequence[Array]) -> None:
    """Apply stages to a whole output, with operands that broadcast."""
    remaining = iter(operands)
    for item in unfused:
        if item.operand is None:
            alone = unary(item.operation)
            if alone is not None:
                alone(output)
            continue
        binary(item.operation, item.operand_first)(output, next(remaining), out=output)
