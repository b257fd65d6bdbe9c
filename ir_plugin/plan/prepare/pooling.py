"""Poolings as maxima and sums along one axis after the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.kernels.pooling import Axis, Pooling, separable
from ir_plugin.kernels.team import Team
from ir_plugin.operations.pooling.avg_pool import AvgPool
from ir_plugin.operations.pooling.pools import Layout, Pool
from ir_plugin.operations.windows import padded
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared
from ir_plugin.plan.program import Call
from ir_plugin.tensors import Array


def prepare_pool(call: Call, _options: Options) -> Prepared | None:
    """Return a mean, or a max pool without indices, over the last axes, in f32 or f64."""
    data, output, operation = call.inputs[0] if call.inputs else None, call.outputs[0], call.operation
    if call.type not in ("MaxPool", "AvgPool") or not isinstance(operation, Pool) or data is None or call.post:
        return None
    if len(call.outputs) > 1 and (call.outputs[1].users or call.outputs[1].is_result):
        return None
    if (
        data.element_type.name not in ("f32", "f64")
        or data.shape is None
        or 0 in (*data.shape, *(output.shape or (0,)))
    ):
        return None
    shape, dtype = data.shape, data.dtype
    layout = operation.layout(shape)
    if isinstance(operation, AvgPool) and _is_global(operation, shape, layout):
        return Prepared([data], lambda _team: global_mean(shape, dtype), channels_last=True, form="gemv")

    def make(_team: Team) -> Execute:
        axes = _axes(operation, layout)
        stored = (shape[0], *shape[2:], shape[1])
        if not isinstance(operation, AvgPool):
            return _execute(separable(stored, axes, np.maximum, -np.inf, dtype), None)
        return _execute(separable(stored, axes, np.add, 0, dtype), _factors(operation, shape, layout, dtype))

    return Prepared([data], make, channels_last=True, form="separable")


def _is_global(operation: Pool, shape: tuple[int, ...], layout: Layout) -> bool:
    plain = not any(layout.begin) and not any(layout.end) and all(step == 1 for step in layout.windows.dilations)
    return plain and tuple(operation.kernel) == shape[2:]


def global_mean(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Execute:
    """Return the means over all spatial axes of [N, C, …], as products with a vector: .006 ms for 7x7x2048."""
    count = prod(shape[2:])
    weights = np.full(count, 1 / count, dtype)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows = np.moveaxis(inputs[0], 1, -1).reshape(shape[0], count, shape[1])
        outputs[0][...] = np.matmul(weights, rows).reshape(outputs[0].shape)

    return execute


def _axes(operation: Pool, layout: Layout) -> list[Axis]:
    windows = layout.windows
    columns = (operation.kernel, windows.strides, windows.dilations, layout.outputs, layout.begin, layout.end)
    return [Axis(*row) for row in zip(*columns, strict=True)]


def _factors(operation: AvgPool, shape: tuple[int, ...], layout: Layout, dtype: np.dtype[np.generic]) -> Array:
    """Return one over the number of elements that count in each window."""
    has_pads = any(layout.begin) or any(layout.windows.pads_end) or layout.windows.is_same
    if not operation.exclude_pad and has_pads:
        return np.array(1 / prod(operation.kernel), dtype)
    ones = padded(np.ones(shape[2:], np.int64), layout.begin, layout.end)
    counts = np.asarray(sum(ones[slices[2:]] for slices in operation.slices(layout)))
    if counts.min() == counts.max():
        return np.array(1 / max(int(counts.max()), 1), dtype)
    return np.asarray(1 / np.maximum(counts, 1), dtype)[..., None]


def _execute(pool: Pooling, factors: Array | None) -> Execute:
    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        output = np.moveaxis(outputs[0], 1, -1)
        pool(np.moveaxis(inputs[0], 1, -1), output)
        if factors is not None:
            np.multiply(output, factors, out=output)

    return execute
