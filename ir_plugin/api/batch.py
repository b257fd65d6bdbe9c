"""The batch of a model: the dimension that the layouts of its inputs call N."""

from __future__ import annotations

from typing import SupportsIndex

from ir_plugin.api.model import Model
from ir_plugin.errors import InputError, require
from ir_plugin.model import Node
from ir_plugin.tensors import Dimension, PartialShape


def get_batch(model: Model) -> Dimension:
    """Return the batch that all inputs with a dimension N have."""
    found: Dimension | None = None
    for node, axis in _batched(model):
        dim = node.get_partial_shape()[axis]
        merged = dim if found is None else found.merge(dim)
        if merged is None:
            raise InputError(f'the batch of input "{node.name}" is {dim}; that of the inputs before is {found}')
        found = merged
    return Dimension() if found is None else found


def set_batch(model: Model, batch_size: Dimension | int = -1) -> None:
    """Give all inputs with a dimension N another batch, any length unless it is said, and infer all shapes anew."""
    require(batch_size, (Dimension, SupportsIndex), "a number, or a Dimension,", "batch_size")
    shapes: dict[int, PartialShape] = {
        model.get_parameter_index(node): node.get_partial_shape().replace(axis, Dimension(batch_size))
        for node, axis in _batched(model)
    }
    model.reshape(shapes)


def _batched(model: Model) -> list[tuple[Node, int]]:
    require(model, Model, "a model that was read", "model")
    found = [
        (node, node.layout.get_index_by_name("N"))
        for node in model.parameters
        if node.layout.has_name("N") and node.get_partial_shape().ndim is not None
    ]
    if not found:
        shown = ", ".join(f'"{node.name}" {node.get_partial_shape()} {node.layout}' for node in model.parameters)
        raise InputError(f"no layout names the batch: {shown or 'no inputs'}; write input.node.layout = Layout('NCHW')")
    return found
