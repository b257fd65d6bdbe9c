"""Checks of variables: ReadValues of a variable agree in type and shape, and assigned variables are read."""

from __future__ import annotations

from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Model, Node
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.schema.values import shown

_LOSSES = frozenset(["IR102", "IR103", "IR110", "IR201", "IR204", "IR210", "IR501", "IR502", "IR503"])
"""Codes of faults through which a layer may be lost."""


def check_variables(model: Model, findings: Findings) -> None:
    """Report what is wrong with the variables of a model, also in its bodies."""
    readers: dict[str, Node] = {}
    writers: list[Node] = []
    is_complete = not any(finding.code in _LOSSES for finding in findings.errors)
    for node in _stateful(model):
        id = node.attributes.get("variable_id")
        if id is None:
            is_complete = False
        elif node.is_a(Assign):
            writers.append(node)
        elif id in readers:
            _compare(findings, readers[id], node, id)
        else:
            readers[id] = node
    for node in writers if is_complete else ():
        reader = readers.get(node.attributes["variable_id"])
        if reader is None:
            _report_unread(findings, node, readers)
        elif _opset(node) == "opset3" and _opset(reader) == "opset6":
            _report_mixture(findings, node, reader)


def _stateful(model: Model) -> list[Node]:
    nodes: list[Node] = []
    waiting = [model]
    while waiting:
        current = waiting.pop()
        for node in current.nodes:
            if node.operation is not None and node.operation.subgraphs:
                waiting += [subgraph.body for subgraph in node.operation.subgraphs.values()]
            elif node.is_a(ReadValue, Assign):
                nodes.append(node)
    return nodes


def _report_unread(findings: Findings, node: Node, readers: dict[str, Node]) -> None:
    id = node.attributes["variable_id"]
    message = f"the variable {shown(id)} is assigned, but no ReadValue reads it"
    listed = ", ".join(shown(name) for name in list(readers)[:8])
    help = did_you_mean(id, readers) or (f"variables that are read: {listed}" if listed else "add a ReadValue")
    where = node.ref('attribute "variable_id"')
    findings.add(Finding.of("IR212", message, span=node.span("variable_id"), layer=where, help=help))


def _opset(node: Node) -> str:
    """Return the opset that introduced the definition of a layer."""
    return str(node.operation.version) if node.operation is not None else ""


def _report_mixture(findings: Findings, node: Node, reader: Node) -> None:
    id = node.attributes["variable_id"]
    message = f"the variable {shown(id)} is read by a ReadValue-6, but assigned by an Assign-3; OpenVINO refuses that"
    because = f'the ReadValue is "{reader.name}" (id {reader.id})'
    span, help = node.span("version"), 'write version="opset6"'
    findings.add(Finding.of("IR212", message, span=span, layer=node.ref(), because=because, help=help))


def _compare(findings: Findings, first: Node, second: Node, id: str) -> None:
    for name in ("variable_type", "variable_shape"):
        first_value, second_value = first.attributes.get(name), second.attributes.get(name)
        if (
            first_value is None
            or second_value is None
            or getattr(first.operation, name) == getattr(second.operation, name)
        ):
            continue
        message = f"the variable {shown(id)} is read twice, with {name} {shown(first_value)} and {shown(second_value)}"
        because = f'the other ReadValue is "{first.name}" (id {first.id})'
        where = second.ref(f'attribute "{name}"')
        findings.add(Finding.of("IR212", message, span=second.span(name), layer=where, because=because))
        return
