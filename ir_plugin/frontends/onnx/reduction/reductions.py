"""Reductions: axes are an input in newer versions, an attribute in older ones."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from ir_plugin.frontends.onnx.common import (
    Value,
    all_axes,
    axes_of,
    cast,
    i64,
    output,
    rank_as_value,
    scalar,
    shape_of,
    type_of,
)
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset13
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import built, definition_of
from ir_plugin.tensors import ElementType

Reduce = Callable[[Output, Output, bool], Value]


def _axes(node: OnnxNode) -> Output:
    """Return the axes to reduce: without any, all, or none where the node says so.

    A scalar has no axes; axes that only the run knows are ignored for it, as in onnxruntime.
    """
    if node.rank(0) == 0 and node.optional(1) is not None and node.constant(1) is None:
        return i64([])
    axes, is_kept = axes_of(node, 1), node.attributes.flag("noop_with_empty_axes", 0)
    length = 0 if axes is None else _length(axes)
    if axes is not None and (length or (length is None and is_kept)):
        return axes
    if length == 0 or axes is None:
        return i64([]) if is_kept else all_axes(node.input(0))
    return _axes_or_all(axes, node.input(0))


def _length(axes: Output) -> int | None:
    """Return the number of axes, None where it is known only in the run."""
    dims = axes.tensor_info.shape.dims
    if dims is None or any(not dim.is_static for dim in dims):
        return None
    return prod(dim.get_length() for dim in dims)


def _axes_or_all(axes: Output, data: Output) -> Output:
    """Return `axes`, or if they are empty all axes of the data."""
    is_empty = ops.equal(ops.reduce_prod(shape_of(axes), i64([0])), i64(0))
    last = ops.select(is_empty, rank_as_value(data), i64(0))
    return output(ops.concat([ops.reshape(axes, i64([-1]), False), ops.range(i64(0), last, i64(1), "i64")], 0))


def _log_sum(data: Output, axes: Output, keep: bool) -> Value:
    if not type_of(data).is_floating:
        return cast(_log_sum(cast(data, ElementType.f64), axes, keep), type_of(data))
    return ops.log(ops.reduce_sum(data, axes, keep))


def _sum_square(data: Output, axes: Output, keep: bool) -> Node:
    return ops.reduce_sum(ops.multiply(data, data), axes, keep)


def _log_sum_exp(data: Output, axes: Output, keep: bool) -> Value:
    """Return the logarithm of the sum of exponentials, each divided by the largest one."""
    if not data.tensor_info.element_type.is_floating:
        return cast(_log_sum_exp(cast(data, ElementType.f64), axes, keep), data.tensor_info.element_type)
    largest = output(ops.reduce_max(data, axes, True))
    zero = scalar(0, data)
    finite = ops.logical_not(ops.logical_or(ops.is_inf(largest), ops.is_nan(largest)))
    shift = output(ops.select(finite, largest, zero))
    total = output(ops.log(ops.reduce_sum(ops.exp(ops.subtract(data, shift)), axes, True)))
    result = output(ops.add(total, shift))
    return result if keep else opset13.squeeze(result, axes)


def _maximum(data: Output, axes: Output, keep: bool) -> Node:
    """Return ReduceMax-1, whose attribute `lowest` says that -inf is a maximum."""
    definition = definition_of("ReduceMax", "opset1")
    attributes = {"keep_dims": keep} | ({"lowest": "infinite"} if type_of(data).is_floating else {})
    return built(definition, [data, axes], attributes, None)


def _extreme(numbers: Callable[..., Node], truths: Callable[..., Node], nothing: float) -> Reduce:
    """Return a reduction to the largest or smallest element; of no elements it is `nothing` for floats."""

    def reduce(data: Output, axes: Output, keep: bool) -> Value:
        if type_of(data) is ElementType.boolean:
            return truths(data, axes, keep)
        result = numbers(data, axes, keep)
        is_empty = any(dim.is_static and dim.get_length() == 0 for dim in data.tensor_info.shape.dims or ())
        return ops.add(result, scalar(nothing, data)) if is_empty and type_of(data).is_floating else result

    return reduce


_REDUCTIONS: dict[str, Reduce] = {
    "ReduceL1": ops.reduce_l1,
    "ReduceL2": ops.reduce_l2,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _extreme(_maximum, ops.reduce_logical_or, -np.inf),
    "ReduceMean": ops.reduce_mean,
    "ReduceMin": _extreme(ops.reduce_min, ops.reduce_logical_and, np.inf),
    "ReduceProd": ops.reduce_prod,
    "ReduceSum": ops.reduce_sum,
    "ReduceSumSquare": _sum_square,
}


def _register(type: str, reduce: Reduce) -> None:
    @translates(type, 1)
    def translate(node: OnnxNode) -> Value:
        return reduce(node.input(0), _axes(node), node.attributes.flag("keepdims"))


for _type, _reduce in _REDUCTIONS.items():
    _register(_type, _reduce)
