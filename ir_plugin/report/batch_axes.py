"""The axis along which each value of a graph has the rows of a batch, where operations keep the rows apart."""

from __future__ import annotations

from functools import singledispatch
from math import prod

from ir_plugin.errors import Error
from ir_plugin.model import Node, Output
from ir_plugin.operations.base import Operation
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze, inserted_axes
from ir_plugin.operations.traits import Along, Batched, Elementwise


class UnprovedError(Error):
    """Raised where rows may depend on each other; the message says why."""


class BatchAxes:
    """The axis of the rows of each value that has any; the other values are the same for every batch.

    A row of a value depends only on the same row of the model's inputs. A value that depends on the number of rows,
    such as a shape, has no place here.
    """

    def __init__(self) -> None:
        self.of: dict[Output, int | None] = {}

    def of_input(self, node: Node, position: int) -> int | None:
        """Return the axis of the rows of an input; None where it has none, or is not connected."""
        source = node.inputs[position].source if position < len(node.inputs) else None
        if source is None:
            return None
        _require(source in self.of, f"input {position} is not known to have separate rows")
        return self.of[source]

    def of_inputs(self, node: Node) -> list[int | None]:
        """Return the axis of the rows of each input."""
        return [self.of_input(node, position) for position in range(len(node.inputs))]

    def follow(self, node: Node) -> None:
        """Set the axes of a node's outputs; raises `UnprovedError` where no rule says them."""
        if any(port in self.of for port in node.outputs):
            return
        try:
            axis = self._axis(node)
        except UnprovedError as fault:
            kind = node.get_type_name()
            raise UnprovedError(f'it is not proved that "{node.name}" ({kind}) keeps rows apart: {fault}') from None
        is_same = axis is None or any(isinstance(trait, Along) for trait in node.operation.traits)
        for port in node.outputs if is_same else node.outputs[:1]:
            self.of[port] = axis

    def _axis(self, node: Node) -> int | None:
        operation, axes = node.operation, self.of_inputs(node)
        is_followed = operation.is_built_in and not operation.stateful and not operation.subgraphs
        _require(is_followed, "its evaluations are not followed")
        return None if all(axis is None for axis in axes) else _followed(operation, node, axes)


Axes = list["int | None"]


def _followed(operation: Operation, node: Node, axes: Axes) -> int:
    """Return the axis of the rows of an output by the operation's traits, or by a rule for its class."""
    for trait in operation.traits:
        if isinstance(trait, Elementwise):
            return _elementwise(node, axes)
        if isinstance(trait, Batched):
            _require(_axis_of_data(axes) == 0, "its batch is another axis")
            return 0
        if isinstance(trait, Along):
            return _along(operation, trait, node, _axis_of_data(axes))
    return rows_after(operation, node, axes)


def _axis_of_data(axes: Axes) -> int:
    """Return the axis of the rows of the first input, the only one that may have any."""
    _require(axes[0] is not None and not any(axis is not None for axis in axes[1:]), "a parameter has rows")
    return axes[0] or 0


def _along(operation: Operation, trait: Along, node: Node, axis: int) -> int:
    """Return the axis of the rows after an operation along other axes, which it may remove."""
    named = getattr(operation, trait.axes) if isinstance(trait.axes, str) else _constant(node, trait.axes)
    reduced = _positive([named] if isinstance(named, int) else named, _rank(node, 0))
    _require(axis not in reduced, "it combines elements along the axis of the rows")
    is_kept = getattr(operation, "keep_dims", True)
    return axis if is_kept else axis - len({other for other in reduced if other < axis})


def _elementwise(node: Node, axes: Axes) -> int:
    """Return the only axis, counted from the last, that rows of all inputs have; other inputs have length 1 there."""
    mode = str(getattr(node.operation, "auto_broadcast", "numpy")).lower()
    _require(mode in {"numpy", "none"}, f"its inputs are broadcast by {mode}")
    ranks = [_rank(node, position) for position in range(len(axes))]
    rank = node.outputs[0].tensor_info.shape.ndim if node.outputs else max(ranks)
    if rank is None:
        raise UnprovedError("the rank of its output is unknown")
    return _aligned(node, axes, ranks) + rank


def _aligned(node: Node, axes: Axes, ranks: list[int]) -> int:
    """Return the axis of the rows counted from the last, a negative number."""
    aligned = {axis - rank for axis, rank in zip(axes, ranks, strict=True) if axis is not None}
    _require(len(aligned) == 1, "rows of its inputs lie along different axes")
    (axis,) = aligned
    for position, (rows, rank) in enumerate(zip(axes, ranks, strict=True)):
        is_single = -axis > rank or _length(node, position, axis + rank) == 1
        _require(rows is not None or is_single, f"input {position} has values for single rows")
    return axis


@singledispatch
def rows_after(operation: Operation, node: Node, axes: Axes) -> int:
    """Return the axis of the rows of an operation's first output."""
    del operation, node, axes
    raise UnprovedError("no rule covers the operation")


@rows_after.register
def _(operation: MatMul, node: Node, axes: Axes) -> int:
    ranks = [_rank(node, 0), _rank(node, 1)]
    _require(min(ranks) >= 2, "it multiplies a vector")
    if axes[1] is None and axes[0] == ranks[0] - 2 and not operation.transpose_a:
        return max(ranks) - 2
    axis = _aligned(node, axes, ranks)
    _require(axis < -2, "it combines elements along the axis of the rows")
    return axis + max(ranks)


@rows_after.register
def _(operation: Transpose, node: Node, axes: Axes) -> int:
    del operation
    order = _constant(node, 1) or list(range(_rank(node, 0)))[::-1]
    return order.index(axes[0] or 0)


@rows_after.register
def _(operation: Reshape, node: Node, axes: Axes) -> int:
    """Rows stay where their number does: copied by a 0, or what is left for -1 when a row keeps its size."""
    _require(axes[0] == 0, "its rows are not the first axis")
    pattern = _constant(node, 1)
    if pattern and pattern[0] == 0 and operation.special_zero:
        return 0
    lengths = [_length(node, 0, axis) for axis in range(1, _rank(node, 0))]
    _require(bool(pattern) and pattern[0] == -1 and 0 not in pattern, "its target shape has no rows")
    is_same = None not in lengths and prod(pattern[1:]) == prod(length or 0 for length in lengths)
    _require(is_same, "rows may have another size")
    return 0


@rows_after.register
def _(operation: Squeeze, node: Node, axes: Axes) -> int:
    del operation
    rank, axis = _rank(node, 0), axes[0] or 0
    removed = set(_positive(_constant(node, 1), rank))
    is_exact = bool(removed) and all(_length(node, 0, other) == 1 for other in removed)
    _require(is_exact and axis not in removed, "it may remove the axis of the rows")
    return axis - sum(other < axis for other in removed)


@rows_after.register
def _(operation: Unsqueeze, node: Node, axes: Axes) -> int:
    del operation
    rank, axis = _rank(node, 0), axes[0] or 0
    inserted = set(inserted_axes(_constant(node, 1), rank))
    return [other for other in range(rank + len(inserted)) if other not in inserted][axis]


@rows_after.register
def _(operation: Concat, node: Node, axes: Axes) -> int:
    _require(len(set(axes)) == 1, "rows of its inputs lie along different axes")
    axis = axes[0] or 0
    _require(operation.axis % _rank(node, 0) != axis, "it joins rows")
    return axis


@rows_after.register
def _(operation: Gather, node: Node, axes: Axes) -> int:
    _require(operation.batch_dims == 0, "it gathers within batches")
    rank, (along, *_) = _rank(node, 0), _constant(node, 2)
    along %= rank
    if axes[0] is None:
        return along + (axes[1] or 0)
    _require(axes[1] is None and axes[0] != along, "it gathers rows")
    return axes[0] if axes[0] < along else axes[0] + _rank(node, 1) - 1


def _require(is_proved: bool, reason: str) -> None:
    if not is_proved:
        raise UnprovedError(reason)


def _rank(node: Node, position: int) -> int:
    rank = node.inputs[position].tensor_info.shape.ndim
    if rank is None:
        raise UnprovedError(f"the rank of input {position} is unknown")
    return rank


def _length(node: Node, position: int, axis: int) -> int | None:
    dim = node.inputs[position].tensor_info.shape[axis]
    return dim.get_length() if dim.is_static else None


def _constant(node: Node, position: int) -> list[int]:
    """Return the elements of an input that every run gives the same; raises where they are unknown."""
    value = node.inputs[position].tensor_info.value if position < len(node.inputs) else None
    if value is None:
        raise UnprovedError(f"input {position} is not constant")
    return [int(element) for element in value.reshape(-1)]


def _positive(axes: list[int] | tuple[int, ...], rank: int) -> list[int]:
    return [axis % rank for axis in axes]
