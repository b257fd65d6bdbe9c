"""Replacements of nodes in a model that preprocessing simplifies."""

from __future__ import annotations

import copy
from typing import Any

from ir_plugin.model import Node, Output
from ir_plugin.model.rewiring import rewire
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.opsets.nodes import constant_node
from ir_plugin.tensors import Array

_KEPT = (Parameter, Result, Assign, ReadValue)


def constant_of(port: Output | None) -> Array | None:
    """Return the values of a Constant, None for any other node."""
    if port is None or not port.node.is_a(Const):
        return None
    array: Array = port.node.operation.evaluate()
    return array


def new_constant(values: Any, like: Output, rt_info: dict[str, Any] | None = None) -> Node:
    """Return a new Constant of the element type of another output."""
    node = constant_node(values, like.element_type)
    node.rt_info.update(copy.deepcopy(rt_info or {}))
    return node


def source_of(node: Node, index: int) -> Output:
    """Return the output that an input reads."""
    return node.inputs[index].get_source_output()


def substitute(old: Output, new: Output) -> None:
    """Let all that reads an output read another one, which takes its names and information; drop what nothing reads."""
    rewire([(reader, new) for reader in list(old.readers)])
    if old.names:
        new.add_names(old.names)
    new.rt_info = RTMap(plain_info(old.rt_info) | plain_info(new.rt_info))
    drop(old.node)


def reread(node: Node, index: int, new: Output) -> None:
    """Let one input read another output, and drop what nothing reads then."""
    old = source_of(node, index).node
    rewire([(node.inputs[index], new)])
    drop(old)


def drop(node: Node) -> None:
    """Disconnect a node that nothing reads, and those that only it reads."""
    waiting = [node]
    while waiting:
        unread = waiting.pop()
        if unread.is_a(*_KEPT) or any(port.readers for port in unread.outputs):
            continue
        for port in unread.inputs:
            if port.source is not None:
                port.source.readers.remove(port)
                waiting.append(port.source.node)
                port.source = None
