"""Poolings as maxima and sums of shifted views."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.team import Team
from ir_plugin.operations.pooling.pools import Pool
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared
from ir_plugin.plan.program import Call
from ir_plugin.tensors import Array


def prepare_pool(call: Call, _options: Options) -> Prepared | None:
    """Return a max pool without indices over the last axes, in f32 or f64, along one axis after the other."""
    data, output = call.inputs[0] if call.inputs else None, call.outputs[0]
    if call.type != "MaxPool" or data is None or data.shape is None or output.shape is None:
        return None
    operation = call.operation
    if len(call.outputs) > 1 and (call.outputs[1].users or call.outputs[1].is_result):
        return None
    if not isinstance(operation, Pool) or data.element_type.name not in ("f32", "f64") or 0 in output.shape:
        return None
    shapes = data.shape, output.shape

    def make(_team: Team) -> Execute:
        return _max_pool(operation, *shapes, data.dtype)

    return Prepared([data], make, channels_last=True, form="separable")


def _max_pool(operation: Pool, shape: tuple[int, ...], output: tuple[int, ...], dtype: np.dtype[np.generic]) -> Execute:
    layout = operation.layout(shape)
    axes = len(shape) - 2
    lengths = [b + n + e for b, n, e in zip(layout.begin, shape[2:], layout.end, strict=True)]
    windows = layout.windows
    steps = list(zip(operation.kernel, windows.strides, windows.dilations, output[2:], strict=True))
    needed = [(count - 1) * stride + (size - 1) * far + 1 for size, stride, far, count in steps]
    lengths = [max(pair) for pair in zip(lengths, needed, strict=True)]
    wide = np.full((shape[0], *lengths, shape[1]), -np.inf, dtype)
    inner = (slice(None), *(slice(b, b + n) for b, n in zip(layout.begin, shape[2:], strict=True)))
    buffers = [np.empty((shape[0], *lengths[:axis], *output[2 + axis :], shape[1]), dtype) for axis in range(axes)]

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        wide[inner] = np.moveaxis(inputs[0], 1, -1)
        source = wide
        for axis in reversed(range(axes)):
            target = np.moveaxis(outputs[0], 1, -1) if axis == 0 else buffers[axis]
            _maximum_along(source, target, axis + 1, steps[axis])
            source = target

    return execute


def _maximum_along(source: Array, target: Array, axis: int, step: tuple[int, int, int, int]) -> None:
    size, stride, far, count = step
    lead = (slice(None),) * axis
    reach = (count - 1) * stride + 1
    places = [(*lead, slice(first * far, first * far + reach, stride)) for first in range(size)]
    views = [source[place] for place in places]
    if size == 1:
        np.copyto(target, views[0])
        return
    np.maximum(views[0], views[1], out=target)
    for view in views[2:]:
        np.maximum(target, view, out=target)
