"""Selects the kernel of ShuffleChannels, DepthToSpace and SpaceToDepth: one copy between views with split axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import Execute, Kernel, OnArrays, Options, StaticKernel, mover
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.depth_to_space import DepthToSpace
from ir_plugin.operations.movement.shuffle_channels import ShuffleChannels
from ir_plugin.operations.movement.space_to_depth import SpaceToDepth
from ir_plugin.operations.table import OperationTable
from ir_plugin.tensors import Array


class _Order(NamedTuple):
    """The data's shape with split axes, their order in the output, and the output's shape with split axes."""

    data: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def output(self) -> tuple[int, ...]:
        return tuple(self.data[axis] for axis in self.order)


@selects(ShuffleChannels, DepthToSpace, SpaceToDepth)
def select_movement(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of ShuffleChannels, DepthToSpace or SpaceToDepth: one copy that keeps the data's layout."""
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    if data is None or not data.shape or op.epilogue or data.dtype == object:
        return None
    if 0 in data.shape or output.shape is None:
        return None
    order = _ORDERS[op.operation](op, data.shape)

    def make(pool: ThreadPool) -> Execute:
        def copy(inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None]:
            source = inputs[0].reshape(order.data).transpose(order.order)
            return mover(options, source, outputs[0].reshape(order.output), pool)

        return OnArrays(copy)

    return StaticKernel([data], make, channels_last=data.channels_last, variant="copy")


def _shuffle(op: Op, shape: tuple[int, ...]) -> _Order:
    shuffle = attributes(op, ShuffleChannels)
    axis, group = shuffle.axis % len(shape), shuffle.group
    apart = (*shape[:axis], group, shape[axis] // group, *shape[axis + 1 :])
    order = [*range(len(apart))]
    order[axis : axis + 2] = axis + 1, axis
    return _Order(apart, tuple(order))


def _depth_to_space(op: Op, shape: tuple[int, ...]) -> _Order:
    operation, rank = attributes(op, DepthToSpace), len(shape) - 2
    size = operation.block_size
    depth, blocks = shape[1] // size**rank, (size,) * rank
    first = operation.mode == "blocks_first"
    apart = (shape[0], *((*blocks, depth) if first else (depth, *blocks)), *shape[2:])
    block_axes = [1 + axis if first else 2 + axis for axis in range(rank)]
    spatial = [axis for pair in zip(range(2 + rank, 2 + 2 * rank), block_axes, strict=True) for axis in pair]
    return _Order(apart, (0, 1 + rank if first else 1, *spatial))


def _space_to_depth(op: Op, shape: tuple[int, ...]) -> _Order:
    operation, rank = attributes(op, SpaceToDepth), len(shape) - 2
    size = operation.block_size
    apart = (*shape[:2], *(length for axis in shape[2:] for length in (axis // size, size)))
    blocks, spatial = range(3, 3 + 2 * rank, 2), range(2, 2 + 2 * rank, 2)
    channels = (*blocks, 1) if operation.mode == "blocks_first" else (1, *blocks)
    return _Order(apart, (0, *channels, *spatial))


_ORDERS: OperationTable[Callable[[Op, tuple[int, ...]], _Order]] = OperationTable(
    {
        ShuffleChannels: _shuffle,
        DepthToSpace: _depth_to_space,
        SpaceToDepth: _space_to_depth,
    }
)
