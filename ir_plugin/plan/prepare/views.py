"""Operations that only show memory another way, and copies where that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ir_plugin.kernels.movement import move
from ir_plugin.kernels.team import Team
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared
from ir_plugin.plan.program import Call, Value
from ir_plugin.tensors import Array

_View: TypeAlias = "Callable[[Array], tuple[Array, ...]]"

_PARTS = frozenset(["Transpose", "Split", "VariadicSplit", "Slice", "StridedSlice"])
_SHAPES = frozenset(["Reshape", "Squeeze", "Unsqueeze"])


def prepare_view(call: Call, _options: Options) -> Prepared | None:
    """Return the views of an operation that moves nothing, of which all inputs but the data are constants."""
    data = call.inputs[0] if call.inputs else None
    if call.type not in _PARTS | _SHAPES | {"Gather"} or data is None:
        return None
    if data.shape is None or data.constant is not None:
        return None
    others = [None if value is None else value.constant for value in call.inputs[1:]]
    unknown = any(array is None and value is not None for array, value in zip(others, call.inputs[1:], strict=True))
    if unknown or call.post or any(0 in (value.shape or (0,)) for value in (data, *call.outputs) if value.shape != ()):
        return None
    if call.type in _SHAPES:
        return _reshaped(call, data)
    if call.type == "Gather":
        return _selected(call, data)
    operation = call.operation

    def view(array: Array) -> tuple[Array, ...]:
        found = operation.evaluate(array, *others)
        return found if isinstance(found, tuple) else (found,)

    return _as_views(call, data, view)


def sketch(value: Value) -> Array | None:
    """Return an array like the one that will stand for a value, of which only shape and strides may be looked at."""
    if value.strides is None or value.shape is None:
        return None
    return as_strided(np.empty(1, value.dtype), value.shape, value.strides, writeable=False)


def _as_views(call: Call, data: Value, view: _View) -> Prepared | None:
    """Return the views, and note their strides where those of the data are known."""
    if data.dtype == object or (call.type == "StridedSlice" and not _is_plain_slice(call)):
        return None
    like = sketch(data)
    if like is not None:
        for value, array in zip(call.outputs, view(like), strict=True):
            value.strides = array.strides
    return Prepared([data], _nothing, view=view, form="view")


def _selected(call: Call, data: Value) -> Prepared | None:
    """Return the view of a Gather with a single index that is in range: 1 µs, where flat positions take 20."""
    _, indices, axis = (None if value is None else value.constant for value in call.inputs)
    shape = data.shape or ()
    if indices is None or axis is None or call.operation.__dict__.get("batch_dims"):
        return None
    if indices.size != 1 or indices.ndim > 1:
        return None
    position, index = int(axis.reshape(-1)[0]) % len(shape), int(indices.reshape(-1)[0])
    if not 0 <= index < shape[position]:
        return None
    place = (*(slice(None),) * position, index if indices.ndim == 0 else slice(index, index + 1), ...)
    return _as_views(call, data, lambda array: (array[place],))


def _is_plain_slice(call: Call) -> bool:
    fields = call.operation.__dict__
    return not any(any(fields.get(name, ())) for name in ("new_axis_mask", "shrink_axis_mask", "ellipsis_mask"))


def _nothing(_team: Team) -> Execute:
    return lambda _inputs, _outputs: None


def _reshaped(call: Call, data: Value) -> Prepared | None:
    """Return a view where the strides allow one, else a copy that keeps channels last where these dimensions stay."""
    shape = call.outputs[0].shape or ()
    like = sketch(data)
    if like is not None:
        try:
            strides = np.reshape(like, shape, copy=False).strides
        except ValueError:
            return _copied(data, shape)
        call.outputs[0].strides = strides
    return Prepared([data], _nothing, view=lambda array: (array.reshape(shape),), form="view")


def _copied(data: Value, shape: tuple[int, ...]) -> Prepared:
    """Return the copy. ShuffleNet's Reshapes, which join groups with channels, stay channels last."""
    before = data.shape or ()
    spatial = len(shape) - 2
    joins = spatial > 0 and len(before) > len(shape) and before[-spatial:] == shape[2:] and before[0] == shape[0]
    last = joins and _is_inside(data, spatial)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        move(inputs[0], outputs[0].reshape(before))

    def execute_last(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        middle = len(before) - len(shape) + 2
        stored = np.moveaxis(outputs[0], 1, -1)
        split = stored.reshape(before[0], *shape[2:], *before[1:middle])
        order = (0, *range(len(shape) - 1, split.ndim), *range(1, len(shape) - 1))
        move(inputs[0], split.transpose(order))

    run = execute_last if last else execute
    return Prepared([data], lambda _team: run, channels_last=last, form="copy")


def _is_inside(data: Value, spatial: int) -> bool:
    """Return whether the channels of a value lie inside its spatial axes."""
    strides = data.strides or ()
    return max(strides[1:-spatial], default=0) < min(strides[-spatial:], default=0)
