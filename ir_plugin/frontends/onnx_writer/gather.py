"""Elements at indices: Gather, Scatter and their kin."""

from __future__ import annotations

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND, GatherND5
from ir_plugin.operations.movement.scatter_elements_update import ScatterElementsUpdate
from ir_plugin.operations.movement.scatter_nd_update import ScatterNDUpdate
from ir_plugin.operations.movement.scatter_update import ScatterUpdate
from ir_plugin.tensors import ElementType


@writes(Gather)
def gather(layer: Layer) -> str:
    """Return Gather, with zeros for indices out of range unless they are known to be inside, or an error."""
    data, indices = layer.inputs[:2]
    (axis,) = layer.integers(2)
    axis = layer.axis(axis)
    batch = layer.operation.batch_dims
    batch += layer.rank(1) if batch < 0 else 0
    index = layer.cast(indices, i64)
    if _is_inside(layer, axis):
        return _take(layer, data, index, axis, batch)
    length = layer.dim(0, axis)
    if length == 0:
        raise NotExpressibleError("an axis of length 0 has no element for an index")
    inside = _inside(
        layer, indices, index, layer.constant(length) if isinstance(length, int) else layer.reshape(length)
    )
    taken = _take(layer, data, layer.emit("Where", inside, index, layer.constant(0)), axis, batch)
    mask = layer.unsqueeze(inside, *range(batch, axis))
    rank = layer.rank(1) + axis - batch
    mask = layer.unsqueeze(mask, *range(rank, rank + layer.rank() - axis - 1))
    zero = layer.like(0, data) if layer.type_of(data) is not ElementType.string else _empty(layer)
    return layer.where(mask, taken, zero)


def _inside(layer: Layer, indices: str, index: str, count: str) -> str:
    """Return whether indices are from -count to below it."""
    if layer.type_of(indices) is ElementType.u64:
        return layer.emit("Less", indices, layer.cast(count, ElementType.u64))
    return layer.emit(
        "And", layer.emit("GreaterOrEqual", index, layer.emit("Neg", count)), layer.emit("Less", index, count)
    )


def _empty(layer: Layer) -> str:
    return layer.constant("", ElementType.string)


def _is_inside(layer: Layer, axis: int) -> bool:
    """Return whether all indices are known to be in range, or an index out of range is an error."""
    if layer.operation.out_of_range == "error":
        return True
    length, bounds = layer.shape()[axis], layer.info(1).bounds
    if bounds is None or not bounds.lower.size:
        return bounds is not None
    return bool(length.lower and bounds.lower.min() >= -length.lower and bounds.upper.max() < length.lower)


def _take(layer: Layer, data: str, index: str, axis: int, batch: int) -> str:
    """Return slices of data along an axis; with batches by GatherND, after the axis is moved next to them."""
    if batch == 0:
        return layer.emit("Gather", data, index, axis=axis)
    rank = layer.rank()
    order = [*range(batch), axis, *range(batch, axis), *range(axis + 1, rank)]
    moved = layer.transpose(data, order)
    index_rank = layer.rank(1)
    taken = layer.emit("GatherND", moved, layer.unsqueeze(index, index_rank), batch_dims=batch)
    rest, between, after = index_rank - batch, axis - batch, rank - axis - 1
    parts = [
        *range(batch),
        *range(batch + rest, batch + rest + between),
        *range(batch, batch + rest),
        *range(batch + rest + between, batch + rest + between + after),
    ]
    return layer.transpose(taken, parts)


@writes(GatherElements)
def gather_elements(layer: Layer) -> str:
    """Return GatherElements."""
    return layer.emit("GatherElements", *layer.inputs, axis=layer.operation.axis)


@writes(GatherND)
def gather_nd(layer: Layer) -> str:
    """Return GatherND; opset 5 joins the batch axes."""
    data, indices = layer.inputs
    operation = layer.operation
    for axis in range(operation.batch_dims):
        ours, theirs = layer.shape(0)[axis], layer.shape(1)[axis]
        if ours != theirs and ours.is_static and theirs.is_static:
            raise NotExpressibleError(f"the batch lengths {ours} and {theirs} differ, which ONNX's GatherND refuses")
    taken = layer.emit("GatherND", data, layer.cast(indices, i64), batch_dims=operation.batch_dims or None)
    if isinstance(operation, GatherND5) and operation.batch_dims > 1:
        rest = layer.emit(
            "Slice", layer.emit("Shape", taken), layer.list_of(operation.batch_dims), layer.list_of(2**31)
        )
        return layer.emit("Reshape", taken, layer.emit("Concat", layer.list_of(-1), rest, axis=0))
    return taken


_REDUCTIONS = {"none": None, "sum": "add", "prod": "mul", "min": "min", "max": "max"}


@writes(ScatterElementsUpdate)
def scatter_elements_update(layer: Layer) -> str:
    """Return ScatterElements; without initial values the updated elements are neutral first."""
    data, indices, updates = layer.inputs[:3]
    (axis,) = layer.integers(3)
    operation = layer.operation
    reduction = getattr(operation, "reduction", "none")
    if reduction not in _REDUCTIONS:
        raise NotExpressibleError(f"ONNX's ScatterElements has no reduction {reduction}")
    index = layer.cast(indices, i64)
    if reduction != "none" and not operation.use_init_val:
        raise NotExpressibleError("ONNX's ScatterElements always reduces with the initial values")
    return layer.emit("ScatterElements", data, index, updates, axis=axis, reduction=_REDUCTIONS[reduction])


@writes(ScatterNDUpdate)
def scatter_nd_update(layer: Layer) -> str:
    """Return ScatterND; a difference adds the negative updates."""
    data, indices, updates = layer.inputs
    reduction = layer.operation.reduction
    index = layer.cast(indices, i64)
    shape = layer.shape(1)
    length = shape[-1].get_length() if shape[-1].is_static else None
    expected = None if length is None else len(shape) - 1 + layer.rank() - length
    if expected is None or expected != layer.rank(2):
        raise NotExpressibleError("the updates have another rank than ONNX's ScatterND takes")
    if reduction == "sub" and layer.type_of(updates) is ElementType.boolean:
        raise NotExpressibleError("truth values have no difference in ONNX")
    if reduction == "sub":
        updates, reduction = layer.emit("Sub", layer.like(0, updates), updates), "sum"
    return layer.emit("ScatterND", data, index, updates, reduction=_REDUCTIONS[reduction])


@writes(ScatterUpdate)
def scatter_update(layer: Layer) -> str:
    """Return ScatterND along the first axis, which the axis is moved to."""
    data, indices, updates = layer.inputs[:3]
    (axis,) = layer.integers(3)
    axis, rank, count = layer.axis(axis), layer.rank(), layer.rank(1)
    order = [axis, *(other for other in range(rank) if other != axis)]
    index = layer.unsqueeze(layer.cast(indices, i64), count)
    total = rank - 1 + count
    moved = [*range(axis, axis + count), *(at for at in range(total) if not axis <= at < axis + count)]
    result = layer.emit("ScatterND", layer.transpose(data, order), index, layer.transpose(updates, moved))
    return layer.transpose(result, [order.index(at) for at in range(rank)])
