"""Nodes that compute the same: one of them stays."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.operations.generation.random_uniform import RandomUniform
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.preprocess.rewriting import constant_of, substitute

_UNSHARED = (Assign, Const, Parameter, RandomUniform, ReadValue, Result)


def share_equal_nodes(model: Model) -> None:
    """Let all readers of equal nodes read the first of them, or the one that is a result of the model."""
    seen: dict[Hashable, list[Node]] = {}
    for node in order_of(model)[0]:
        operation = node.operation
        if operation is None or operation.stateful or operation.subgraphs or node.is_a(*_UNSHARED):
            continue
        if any(constant_of(port.source) is None for port in node.inputs):
            _share(node, seen.setdefault(_key(node), []))


def _share(node: Node, others: list[Node]) -> None:
    """Share a node with an equal one, or append it to the nodes of its key."""
    for position, other in enumerate(others):
        if _are_constants_equal(node, other) and not (_is_result(node) and _is_result(other)):
            stays, goes = (node, other) if _is_result(node) else (other, node)
            others[position] = stays
            for old, new in zip(goes.outputs, stays.outputs, strict=True):
                substitute(old, new)
            return
    others.append(node)


def _key(node: Node) -> Hashable:
    sources = [port.source for port in node.inputs]
    return node.get_type_info(), node.operation.attribute_key(), tuple(map(_source_key, sources))


def _source_key(port: Output | None) -> Hashable:
    if port is None or not port.node.is_a(Const):
        return port
    return port.element_type.name, str(port.partial_shape)


def _are_constants_equal(node: Node, other: Node) -> bool:
    for mine, theirs in zip(node.inputs, other.inputs, strict=True):
        left, right = constant_of(mine.source), constant_of(theirs.source)
        if mine.source is theirs.source or left is None or right is None:
            continue
        if not np.array_equal(left, right):
            return False
    return True


def _is_result(node: Node) -> bool:
    return any(reader.node.is_a(Result) for port in node.outputs for reader in port.readers)
