"""Evaluation of single nodes on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import InputError, require
from ir_plugin.model import Node
from ir_plugin.model.kinds import Constant, Parameter
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.opsets.nodes import new_node


def evaluate_node(node: Node, output_values: Sequence[Tensor], input_values: Sequence[Tensor]) -> bool:
    """Run a node on tensors, write its outputs into tensors, and return whether it can be run alone."""
    for argument, tensors in (("output_values", output_values), ("input_values", input_values)):
        require(tensors, (list, tuple), "a list of tensors", argument)
    if isinstance(node, Parameter) or node.operation is None:
        return False
    for what, tensors, ports in (("inputs", input_values, node.inputs), ("outputs", output_values, node.outputs)):
        if len(tensors) != len(ports):
            raise InputError(f'{len(tensors)} tensors are given for {what}; "{node.name}" has {len(ports)}')
    sources = [Constant(tensor).outputs[0] for tensor in input_values]
    twin = new_node(node.get_type_name(), node.operation, sources, node.name)
    return Model(list(twin.outputs), []).evaluate(output_values, [])
