"""DepthToSpace: move blocks of channels into the spatial axes. Specification: movement/DepthToSpace-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.movement.division import divided
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class DepthToSpace(Operation, version=1):
    """Rearrange `data` [N, C, D1 … DK] as [N, C / block_size^K, D1 * block_size … DK * block_size].

    The position within a block is the outer part of the channel index in mode blocks_first, the inner part in mode
    depth_first.
    Specification: movement/DepthToSpace-1.
    """

    widen = False
    carriers = (0,)

    block_size: int
    mode: str

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape with the enlarged spatial axes."""
        check_block(self.block_size, data.shape)
        if data.shape.dims is None:
            return data.with_shape(None)
        size = self.block_size
        volume = size ** (len(data.shape) - 2)
        channels = divided(data.shape[1], volume)
        if channels is None:
            raise ShapeError(
                "data", f"data {data.shape} has {data.shape[1]} channels, which {volume} (block_size^K) does not divide"
            )
        return data.with_shape([data.shape[0], channels, *(dim * size for dim in data.shape[2:])])

    def evaluate(self, data: Array) -> Array:
        """Return the rearranged data."""
        batch, channels, *space = data.shape
        size, rank = self.block_size, len(space)
        depth = channels // size**rank
        inner = [depth, *[size] * rank] if self.mode == "depth_first" else [*[size] * rank, depth]
        blocks, start = (range(2, 2 + rank), 1) if self.mode == "depth_first" else (range(1, 1 + rank), 1 + rank)
        order = [0, start]
        for offset, block in enumerate(blocks):
            order += [2 + rank + offset, block]
        blocked = data.reshape([batch, *inner, *space]).transpose(order)
        result: Array = blocked.reshape([batch, depth, *(length * size for length in space)])
        return result


def check_block(size: int, shape: PartialShape) -> None:
    """Raise unless the block size is positive and the shape has a spatial axis."""
    if size < 1:
        raise ShapeError("block_size", f"block_size is {size}; it must be at least 1")
    if shape.ndim is not None and shape.ndim < 3:
        raise ShapeError("data", f"data has the shape {shape}; its rank must be at least 3")
