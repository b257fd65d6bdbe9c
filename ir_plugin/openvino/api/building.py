"""Models that are built from nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require, wrong_type
from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.model.graph import connect, order_of
from ir_plugin.model.node import new_id
from ir_plugin.model.python_origin import current_origin
from ir_plugin.model.variables import Variable
from ir_plugin.openvino.api.states import variables_of
from ir_plugin.operations.infrastructure.result import Result

MODEL_NUMBERS = count(1)


def assembled(arguments: Sequence[Any], named: dict[str, Any]) -> Model:
    """Return the graph that the arguments of `Model(…)` describe, in any of the forms that OpenVINO's takes.

    These are (results, parameters, name), with sinks before the parameters, or variables after them. Raises where a
    node is used that reads a Parameter which is not listed.
    """
    forms = _bound(arguments, named)
    listed = forms["results"]
    if listed is None:
        raise wrong_type("results", "a list of Results, nodes or outputs", listed)
    several = isinstance(listed, Node) and len(listed.outputs) > 1
    results = [_result(item) for item in (listed.outputs if several else _listed(listed, "results"))]
    sinks = [item.node if isinstance(item, Output) else item for item in _listed(forms.get("sinks"), "sinks")]
    parameters = _listed(forms.get("parameters"), "parameters")
    for node in (*parameters, *sinks):
        if not isinstance(node, Node):
            raise wrong_type("parameters", "a list of nodes", node)
    name = forms.get("name") or f"Model{next(MODEL_NUMBERS)}"
    graph = Model(name, [*parameters, *results, *sinks])
    order, cycle = order_of(graph)
    if cycle:
        raise InputError(f"the nodes {' -> '.join(node.name for node in cycle)} form a cycle")
    missing = [node.name for node in order if node.get_type_name() == "Parameter" and node not in parameters]
    if missing:
        raise InputError(f"the model reads Parameters that are not listed: {', '.join(missing)}")
    ends = {*parameters, *results}
    graph.nodes = [*parameters, *(node for node in order if node not in ends), *results]
    graph.added_variables = _variables(graph, forms.get("variables"))
    _name_tensors(parameters, results)
    return graph


def _variables(graph: Model, listed: Any) -> list[Variable]:
    """Return the listed variables; raises if there is a list that lacks a variable of a layer."""
    variables = _listed(listed, "variables")
    for variable in variables:
        require(variable, Variable, "a Variable", "variables")
    used = [variable.info.variable_id for variable in variables_of(graph)]
    missing = sorted(set(used) - {variable.info.variable_id for variable in variables})
    if listed is not None and missing:
        raise InputError(f"the model uses variables that are not listed: {', '.join(missing)}")
    return variables


def _name_tensors(parameters: Sequence[Node], results: Sequence[Node]) -> None:
    """Name each unnamed input and output tensor after its layer, as OpenVINO does."""
    for node in parameters:
        if not node.outputs[0].names:
            node.outputs[0].set_names({node.name})
    for node in results:
        source = node.inputs[0].source
        if not node.outputs[0].names and (source is None or not source.names):
            node.outputs[0].set_names({node.name})


def _bound(arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name."""
    values = list(arguments)
    forms = dict(named)
    if values and isinstance(values[-1], str):
        forms["name"] = values.pop()
    lists = len(values) + sum(name in forms for name in ("results", "result", "sinks", "parameters", "variables"))
    order = ["results", "parameters"]
    if len(values) > 2:
        has_sinks = len(values) > 3 or _are_parameters(values[2]) or not (values[2] or _are_parameters(values[1]))
        order = ["results", "sinks", "parameters", "variables"] if has_sinks else ["results", "parameters", "variables"]
    elif "parameters" in forms and len(values) > 1:
        order = ["results", "sinks"]
    if len(values) > len(order) or lists < 2:
        raise ArgumentTypeError(
            "a Model is built of results and parameters, with sinks before and variables after the parameters"
        )
    forms |= dict(zip(order, values, strict=False))
    if "result" in forms:
        forms["results"] = forms.pop("result")
    if "results" not in forms:
        raise ArgumentTypeError("a Model is built of results and parameters; results are missing")
    return forms


def _are_parameters(items: Any) -> bool:
    nodes = items if isinstance(items, (list, tuple)) else []
    return any(isinstance(node, Node) and node.get_type_name() == "Parameter" for node in nodes)


def _listed(items: Any, name: str) -> list[Any]:
    if items is None or isinstance(items, (Node, Output)):
        return [] if items is None else [items]
    if not isinstance(items, Iterable):
        raise wrong_type(name, "a list of nodes", items)
    return list(items)


def _result(item: Any) -> Node:
    """Return a Result: the one that is given, or a new one that reads an output."""
    if isinstance(item, Node):
        if item.get_type_name() == "Result":
            return item
        item = item.output(0)
    if not isinstance(item, Output):
        raise wrong_type("results", "a list of Results, nodes or outputs", item)
    result = result_of(item, new_id())
    result.outputs[0].copy_names(item)
    return result


def result_of(port: Output, id: str) -> Node:
    """Return a new Result that reads a port."""
    node = Node.of(id, f"Result_{id}", "Result", "opset1", Result())
    node.origin = current_origin()
    node.inputs.append(Input(node, 0, 0))
    node.outputs.append(Output(node, 0, -1))
    connect(port, node.inputs[0])
    node.outputs[0].tensor_info = port.tensor_info
    return node
