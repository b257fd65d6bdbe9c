"""A pass that turns inputs and outputs into variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.compiler.model_rewriter import add_nodes, build, substitute
from ir_plugin.errors import ArgumentTypeError, InputError
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.api import editing
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result


class MakeStateful(BuiltInPass, name="MakeStateful"):
    """Replaces pairs of a Parameter and a Result by a variable: a ReadValue and an Assign.

    The pairs are `[(parameter, result)]`, or tensor names, `{"past": "present"}`; the variable's id is both names.
    """

    def __init__(self, pairs_to_replace: Mapping[str, str] | Sequence[tuple[Node, Node]] | None) -> None:
        self._names: dict[str, str] = {}
        self._nodes: list[tuple[Node, Node]] = []
        if isinstance(pairs_to_replace, Mapping):
            self._names = dict(pairs_to_replace)
        elif isinstance(pairs_to_replace, (list, tuple)) and all(map(_is_pair, pairs_to_replace)):
            self._nodes = [(parameter, result) for parameter, result in pairs_to_replace]
        else:
            raise ArgumentTypeError("pairs of a Parameter and a Result are needed, or a dictionary of tensor names")
        if not all(isinstance(name, str) for pair in self._names.items() for name in pair):
            raise ArgumentTypeError("the dictionary of MakeStateful has the names of tensors as keys and values")

    def transform(self, graph: Graph) -> bool:
        """Replace the pairs in a model; nothing is changed if one of them is not in it."""
        pairs = self._by_names(graph) + self._listed(graph)
        for parameter, result, variable in pairs:
            _replace(graph, parameter, result, variable)
        return bool(pairs)

    def _listed(self, graph: Graph) -> list[tuple[Node, Node, str]]:
        present = set(graph.nodes)
        strangers = [node.name for pair in self._nodes for node in pair if node not in present]
        if strangers:
            raise InputError(f"the model has no {', '.join(map(repr, strangers))}")
        return [(parameter, result, parameter.name + result.name) for parameter, result in self._nodes]

    def _by_names(self, graph: Graph) -> list[tuple[Node, Node, str]]:
        pairs: list[tuple[Node, Node, str]] = []
        results: set[Node] = set()
        for past, present in self._names.items():
            parameter = next((node for node in graph.parameters if past in node.outputs[0].names), None)
            if parameter is None:
                raise InputError(f"The tensor name {past} is not associated with any of Parameters in the network.")
            named = [node for node in graph.results if present in node.inputs[0].get_source_output().names]
            if not named:
                raise InputError(f"The tensor name {present} is not associated with any of Results in the network.")
            result = next((node for node in named if node not in results), None)
            if result is None:
                raise InputError(f"All Result operations associated with the tensor {present} are used already.")
            results.add(result)
            pairs.append((parameter, result, past + present))
        return pairs


def _is_pair(pair: Any) -> bool:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(node, Node) for node in pair):
        return False
    return [node.get_type_name() for node in pair] == ["Parameter", "Result"]


def _replace(graph: Graph, parameter: Node, result: Node, variable: str) -> None:
    port, source = parameter.outputs[0], result.inputs[0].get_source_output()
    attributes: dict[str, Any] = {
        "variable_id": variable,
        "variable_type": port.element_type,
        "variable_shape": port.partial_shape,
    }
    read = build(ReadValue, [], **attributes)
    substitute(port, read.outputs[0])
    source = read.outputs[0] if source is port else source
    assign = build(Assign, [source], variable_id=variable)
    editing.remove_node(graph, result, Result)
    graph.nodes = [node for node in graph.nodes if node is not parameter]
    add_nodes(graph, [read, assign])
