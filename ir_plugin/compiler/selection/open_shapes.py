"""The shapes of poolings, interpolations and softmaxes of lengths that a run decides, without inference.

Inference takes some fifty microseconds, in which such a layer is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.image.interpolate import Interpolate
from ir_plugin.operations.image.resampling import Resampler
from ir_plugin.operations.pooling.avg_pool import AvgPool
from ir_plugin.operations.pooling.max_pool import MaxPool
from ir_plugin.operations.pooling.pools import Pool
from ir_plugin.operations.table import OperationTable

Shape = tuple[int, ...]


def known_outputs(op: Op, inputs: Sequence[Value | None]) -> list[Value] | None:
    """Return the outputs of an op on values of known shapes; None where they have to be inferred.

    The plan's inference has checked types and attributes.
    """
    shape_of, data = _SHAPES.get(op.operation), inputs[0] if inputs else None
    if shape_of is None or data is None or not data.shape or 0 in data.shape:
        return None
    shape = shape_of(op, data.shape, inputs[1:])
    return None if shape is None else [Value(output.element_type, shape) for output in op.outputs]


def _as_data(_op: Op, shape: Shape, _others: Sequence[Value | None]) -> Shape:
    return shape


def _pooled(op: Op, shape: Shape, _others: Sequence[Value | None]) -> Shape | None:
    operation = op.operation
    return (*shape[:2], *operation.layout(shape).outputs) if isinstance(operation, Pool) else None


def _resized(op: Op, shape: Shape, others: Sequence[Value | None]) -> Shape | None:
    """Return the shape after resizing to lengths without pads."""
    operation, constants = op.operation, [None if value is None else value.constant for value in others]
    if not isinstance(operation, Resampler) or not constants or constants[0] is None:
        return None
    axes = constants[-1]
    if len(constants) != 2 or axes is None or constants[0].shape != axes.shape or axes.ndim != 1:
        return None
    if constants[0].dtype.kind not in "iu":
        return None  # scales may be no numbers
    if not all(0 <= axis < len(shape) for axis in axes.tolist()):
        return None
    resampling, lengths = operation.resampling(shape, *constants), list(shape)
    for axis in resampling.axes:
        lengths[axis.index] = axis.target
    return tuple(lengths) if min(lengths) > 0 and not any(map(any, resampling.pads)) else None


_SHAPES: OperationTable[Callable[[Op, Shape, Sequence[Value | None]], Shape | None]] = OperationTable(
    {
        AvgPool: _pooled,
        Interpolate: _resized,
        MaxPool: _pooled,
        Softmax: _as_data,
    }
)
