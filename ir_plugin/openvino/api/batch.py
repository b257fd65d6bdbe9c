"""The batch of a model: the dimension N in the layouts of its inputs."""

from __future__ import annotations

from typing import SupportsIndex

from ir_plugin.errors import InputError, require
from ir_plugin.model import Node
from ir_plugin.openvino.api.model import Model
from ir_plugin.tensors import Dimension, PartialShape


def get_batch(model: Model) -> Dimension:
    """Return the common batch of all inputs with a dimension N."""
    batch: Dimension | None = None
    for node, axis in _batched(model):
        dim = node.get_partial_shape()[axis]
        merged = dim if batch is None else batch.merge(dim)
        if merged is None:
            raise InputError(f'the batch of input "{node.name}" is {dim}; the inputs before have {batch}')
        batch = merged
    return Dimension() if batch is None else batch


def set_batch(model: Model, batch_size: Dimension | int = -1) -> None:
    """Set the batch of all inputs with a dimension N, by default to any length, and infer all shapes again."""
    require(batch_size, (Dimension, SupportsIndex), "a number, or a Dimension,", "batch_size")
    shapes: dict[int, PartialShape] = {
        model.get_parameter_index(node): node.get_partial_shape().replace(axis, Dimension(batch_size))
        for node, axis in _batched(model)
    }
    model.reshape(shapes)


def _batched(model: Model) -> list[tuple[Node, int]]:
    require(model, Model, "a model that was read", "model")
    axes = [
        (node, node.layout.get_index_by_name("N"))
        for node in model.parameters
        if node.layout.has_name("N") and node.get_partial_shape().ndim is not None
    ]
    if not axes:
        listed = ", ".join(f'"{node.name}" {node.get_partial_shape()} {node.layout}' for node in model.parameters)
        raise InputError(
            f"no layout names the batch: {listed or 'no inputs'}; write input.node.layout = Layout('NCHW')"
        )
    return axes
