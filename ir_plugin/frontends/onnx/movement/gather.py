"""Gather, GatherElements and GatherND, all of which refuse an index out of range."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import i64, normalized, shape_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import built, definition_of


@translates("Gather", 1)
def gather(node: OnnxNode) -> Node:
    """Return Gather-8 that refuses an index out of range; one in [-d, -1] counts from the end in every version."""
    inputs = [node.input(0), node.input(1), i64(node.attributes.int("axis"))]
    return built(definition_of("Gather", "opset8"), inputs, {"batch_dims": 0, "out_of_range": "error"}, None)


@translates("GatherElements", 11)
def gather_elements(node: OnnxNode) -> Node:
    """Return GatherElements-6 of the part of the data that the indices cover on the other axes."""
    data, indices, axis = node.input(0), node.input(1), node.attributes.int("axis")
    if data.tensor_info.shape.ndim is None or indices.tensor_info.shape.ndim is None:
        return ops.gather_elements(_part_of_unknown_rank(data, indices, axis), indices, axis)
    if _cover(data, indices, axis):
        return ops.gather_elements(data, indices, axis)
    rank = len(data.tensor_info.shape)
    others = i64([index for index in range(rank) if index != normalized(axis, rank)])
    lengths = ops.gather(shape_of(indices), others, i64(0))
    zeros, ones = (i64([number] * (rank - 1)) for number in (0, 1))
    return ops.gather_elements(ops.slice(data, zeros, lengths, ones, others), indices, axis)


def _part_of_unknown_rank(data: Output, indices: Output, axis: int) -> Node:
    """Return the data up to the lengths of the indices on all axes but one, whose rank only the run knows."""
    rank = shape_of(shape_of(data))
    stops = ops.scatter_elements_update(shape_of(indices), i64([axis]), i64([np.iinfo(np.int64).max]), i64(0))
    return ops.slice(data, ops.broadcast(i64(0), rank), stops, ops.broadcast(i64(1), rank))


def _cover(data: Output, indices: Output, axis: int) -> bool:
    """Return whether indices have the data's lengths on all axes but one, or may not be shorter."""
    lengths, covered = data.tensor_info.shape, indices.tensor_info.shape
    if len(lengths) == 1 or len(lengths) != covered.ndim:
        return True
    pairs = [
        (dim, part)
        for index, (dim, part) in enumerate(zip(lengths, covered, strict=True))
        if index != normalized(axis, len(lengths))
    ]
    if any(dim.is_static and part.is_static and part.get_length() > dim.get_length() for dim, part in pairs):
        return True
    return all(dim.is_static and part.is_static and dim == part for dim, part in pairs)


@translates("GatherND", 11)
def gather_nd(node: OnnxNode) -> Node:
    """Return GatherND-8; before version 12 there are no batch dimensions."""
    return ops.gather_nd(node.input(0), node.input(1), node.attributes.int("batch_dims", 0))
