"""Nodes as `NodeFactory` creates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.model import Node, Output
from ir_plugin.model.node import new_id
from ir_plugin.operations.registry import Definition
from ir_plugin.opsets.nodes import attributes_of, new_node
from ir_plugin.schema.catalogue import standard


def created(definition: Definition, inputs: Sequence[Output] | None, values: Mapping[str, Any]) -> Node:
    """Build a node of an operation; missing attributes default as in an IR.

    A node without inputs, which None stands for, gets them by `Node.set_arguments` and has no outputs before.
    """
    fields = attributes_of(definition, standard().interface(definition), values, inputs or [], complete=False)
    operation = definition.cls(**fields)
    if inputs is not None:
        return new_node(definition.type, operation, inputs, None)
    id = new_id()
    return Node(id, f"{definition.type}_{id}", operation.type, operation.version, operation)
