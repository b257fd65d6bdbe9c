"""Constant folding of models, for OpenVINO-style passes and preprocessing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_plugin.compiler.folding import computed, is_foldable
from ir_plugin.compiler.model_rewriter import constant, substitute
from ir_plugin.model import Node, Output
from ir_plugin.model.type_info import plain_info
from ir_plugin.operations.generation.multinomial import Multinomial
from ir_plugin.operations.generation.random_uniform import RandomUniform
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.opsets.nodes import new_node
from ir_plugin.tensors import Array
from ir_plugin.tensors.mapped import is_mapped

_DISABLED = ("disable_constant_folding", "DisableConstantFolding", "disabled_constant_folding")


def fold_nodes(order: Sequence[Node], is_allowed: Callable[[Node], bool], folds_dimensions: bool = False) -> bool:
    """Replace nodes that follow from constants by constants of their names, and return whether there were any.

    Random numbers stay. With `folds_dimensions`, nodes that inference knows the values of are replaced as well.
    """
    values: dict[Output, Array] = {}
    folded = []
    for node in order:
        if _may_fold(node) and is_allowed(node):
            arrays = _computed_node(node, values) or (_inferred(node) if folds_dimensions else ())
            values |= zip(node.outputs, arrays, strict=bool(arrays))
            folded += [node] if arrays else []
    for node in reversed(folded):
        for port in node.outputs:
            if port.readers:
                _replace(port, values[port])
    return bool(folded)


def _may_fold(node: Node) -> bool:
    """Return whether a node is no end of the model, draws no random numbers, and does not forbid it."""
    if not is_foldable(node.operation) or node.is_a(Const, Result, RandomUniform, Multinomial):
        return False
    return not any(str(key).startswith(_DISABLED) for key in node.rt_info)


def _computed_node(node: Node, values: Mapping[Output, Array]) -> Sequence[Array]:
    """Return the values of a node of constants; nothing for any other node. One that is reshaped has a known shape."""
    inputs: list[Any] = [None if port is None else values.get(port, port.constant) for port in node.sources]
    output = node.outputs[0]
    if node.is_a(Reshape, Squeeze, Unsqueeze) and inputs[0] is not None and output.partial_shape.is_static:
        return [inputs[0].reshape(list(output.shape))]
    if not inputs or any(array is None for array in inputs):
        return ()
    types = (tuple(port.element_type for port in ports) for ports in (node.inputs, node.outputs))
    return computed(node.operation.specialize(*types), inputs)


def _inferred(node: Node) -> Sequence[Array]:
    arrays = [port.tensor_info.value for port in node.outputs]
    return [] if any(array is None for array in arrays) else [array for array in arrays if array is not None]


def _replace(port: Output, array: Array) -> None:
    node = port.node
    name = node.name if len(node.outputs) == 1 else f"{node.name}.{port.index}"
    folded = _view(port, array, name) if is_mapped(array) else constant(array, port.element_type, name)
    info = plain_info(node.rt_info).items()
    folded.node.rt_info.update({key: entry for key, entry in info if not key.startswith("decompression")})
    substitute(port, folded)


def _view(port: Output, array: Array, name: str) -> Output:
    """Return a constant that shares the mapped weights from which an output follows."""
    const = Const.of(array, port.element_type)
    waiting = [port.node]
    while waiting and const.backing is None:
        node = waiting.pop()
        if node.is_a(Const):
            const.backing = node.operation.backing
        waiting += [source.node for source in node.sources if source is not None]
    return new_node("Constant", const, [], name).outputs[0]
