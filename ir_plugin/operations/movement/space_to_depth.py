"""SpaceToDepth: move blocks of the spatial axes into channels. Specification: movement/SpaceToDepth-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.movement.depth_to_space import check_block
from ir_plugin.operations.movement.division import divided
from ir_plugin.tensors import Array, Dimension, TensorInfo


class SpaceToDepth(Operation, version=1):
    """Rearrange `data` [N, C, D1 … DK] as [N, C * block_size^K, D1 / block_size … DK / block_size].

    The position within a block is the outer part of the channel index in mode blocks_first, the inner part in mode
    depth_first.
    Specification: movement/SpaceToDepth-1.
    """

    widen = False
    carriers = (0,)

    block_size: int
    mode: str

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape with more channels."""
        check_block(self.block_size, data.shape)
        if data.shape.dims is None:
            return data.with_shape(None)
        size = self.block_size
        channels = data.shape[1] * size ** (len(data.shape) - 2)
        return data.with_shape([data.shape[0], channels, *map(self._part, data.shape[2:])])

    def _part(self, dim: Dimension) -> Dimension:
        length = divided(dim, self.block_size)
        if length is None:
            raise ShapeError("data", f"data has a dimension {dim}, which block_size {self.block_size} does not divide")
        return length

    def evaluate(self, data: Array) -> Array:
        """Return the rearranged data."""
        batch, channels, *space = data.shape
        size, rank = self.block_size, len(space)
        parts = [length // size for length in space]
        blocked = data.reshape([batch, channels, *(length for part in parts for length in (part, size))])
        blocks, offsets = list(range(3, 3 + 2 * rank, 2)), list(range(2, 2 + 2 * rank, 2))
        order = [0, 1, *blocks, *offsets] if self.mode == "depth_first" else [0, *blocks, 1, *offsets]
        result: Array = blocked.transpose(order).reshape([batch, channels * size**rank, *parts])
        return result
