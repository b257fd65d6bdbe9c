"""Anonymous models: layers, tensors and variables are numbered, and other information is left out."""

from __future__ import annotations

from itertools import count
from typing import Any

from ir_plugin.model import Model as Graph
from ir_plugin.model.graph import all_nodes, clone
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.openvino.api import Model
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result

_LAYOUT = "layout"
"""The only runtime information that remains."""


def anonymous(model: Model) -> Model:
    """Return a copy without names and runtime information of its own, in bodies too; layouts stay."""
    copy = clone(model)
    nodes = list(all_nodes(copy))
    _number_variables(copy)
    for node in copy.results:
        node.outputs[0].take_names(node.input_value(0))
    tensors = count()
    for index, node in enumerate(nodes):
        node.name = f"layer_{index}"
        node.rt_info = _layout_of(node.rt_info)
        for port in node.outputs:
            port.rt_info = _layout_of(port.rt_info)
            if not node.is_a(Result):
                port.set_names([f"tensor_{next(tensors)}"])
    copy.name, copy.rt_info, copy.added_variables = "model", RTMap(), []
    return Model(copy)


def _layout_of(info: dict[str, Any]) -> RTMap:
    return RTMap({key: entry for key, entry in plain_info(info).items() if key == _LAYOUT})


def _number_variables(graph: Graph) -> None:
    numbers: dict[str, str] = {}
    for node in all_nodes(graph):
        if node.is_a(ReadValue, Assign):
            id = numbers.setdefault(node.get_variable_id(), f"variable_{len(numbers)}")
            node.operation.variable_id = id
