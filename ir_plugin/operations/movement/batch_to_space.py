"""BatchToSpace: move blocks of the batch into the spatial axes. Specification: movement/BatchToSpace-2."""

from __future__ import annotations

from math import prod

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.movement.division import divided
from ir_plugin.operations.movement.slicing import check_indices, intervals_of
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import values_of
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class BatchToSpace(Operation, version=2):
    """Rearrange `data` [batch, D1 …] as [batch / prod(block_shape), D1 * block_shape[1] - crops …].

    The position within a block is the outer part of the batch index. `crops_begin` and `crops_end` crop the edges.
    Specification: movement/BatchToSpace-2.
    """

    traits = (ValueInputs((1, 2, 3)),)
    needs_values = (1, 2, 3)
    widen = False
    carriers = (0,)

    def infer(
        self, data: TensorInfo, block_shape: TensorInfo, crops_begin: TensorInfo, crops_end: TensorInfo
    ) -> TensorInfo:
        """Return the type of `data` and the shape with the enlarged spatial axes."""
        inputs = {"block_shape": block_shape, "crops_begin": crops_begin, "crops_end": crops_end}
        blocks, begins, ends = block_values(data.shape, inputs)
        if data.shape.dims is None:
            return data.with_shape(None)
        batch = _batch(data.shape, blocks)
        if begins is None or ends is None:
            return data.with_shape([batch, *(Dimension() for _ in data.shape[1:])])
        block_dims = [Dimension.between(max(low, 1), high) for low, high in intervals_of(block_shape, len(data.shape))]
        dims = [dim * block for dim, block in zip(data.shape, block_dims, strict=True)]
        for axis, dim in enumerate(dims):
            if begins[axis] + ends[axis] > dim.upper:
                raise ShapeError(
                    "crops_begin",
                    f"crops_begin and crops_end take {begins[axis]} and {ends[axis]} of dimension {axis}, "
                    f"which is {dim}",
                )
        return data.with_shape([batch, *(dim - begins[i] - ends[i] for i, dim in enumerate(dims) if i)])

    def input_ranges(self, _: KnownInputs) -> Ranges:
        """Return ranges of the block's lengths, 1, and of the crops, 0, with which the data does not change."""
        return {1: Range(1, 1), 2: Range(0, 0), 3: Range(0, 0)}

    def evaluate(self, data: Array, block_shape: Array, crops_begin: Array, crops_end: Array) -> Array:
        """Return the rearranged data."""
        blocks, rank = block_shape.tolist(), data.ndim
        batch, *space = data.shape
        blocked = data.reshape([*blocks, batch // prod(blocks), *space])
        order = [0, rank] + [axis for i in range(1, rank) for axis in (rank + i, i)]
        merged = blocked.transpose(order).reshape(
            [batch // prod(blocks), *(n * b for n, b in zip(space, blocks[1:], strict=True))]
        )
        crops = zip(crops_begin.tolist(), crops_end.tolist(), merged.shape, strict=True)
        result: Array = merged[tuple(slice(begin, length - end) for begin, end, length in crops)]
        return result


Values = tuple[int, ...] | None


def _batch(shape: PartialShape, blocks: Values) -> Dimension:
    batch = Dimension() if blocks is None else divided(shape[0], prod(blocks))
    if batch is None:
        raise ShapeError(
            "block_shape", f"block_shape {list(blocks or ())} does not divide the batch {shape[0]} of data {shape}"
        )
    return batch


def block_values(shape: PartialShape, inputs: dict[str, TensorInfo]) -> list[Values]:
    """Check the inputs that hold one value per axis and return their values."""
    for part, tensor in inputs.items():
        require_type(part, tensor, "integer")
    count = check_indices(**inputs)
    if shape.ndim is not None and shape.ndim < 2:
        raise ShapeError("data", f"data has the shape {shape}; its rank must be at least 2")
    block_inputs = []
    for position, (part, tensor) in enumerate(inputs.items()):
        if shape.ndim is not None and count not in (None, shape.ndim):
            raise ShapeError(part, f"{part} holds {count} values; data {shape} has the rank {shape.ndim}")
        block_inputs.append(values_of(tensor))
        _check_values(part, block_inputs[-1], 0 if position else 1)
    return block_inputs


def _check_values(part: str, values: Values, least: int) -> None:
    if values and (min(values) < least or values[0] != least):
        raise ShapeError(
            part, f"{part} is {list(values)}; its first value must be {least}, the others at least {least}"
        )
