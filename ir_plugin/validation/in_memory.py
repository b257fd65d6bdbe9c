"""Check of a model in memory: what building and rewiring may leave wrong."""

from __future__ import annotations

from collections.abc import Iterator

from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import clone, order_of
from ir_plugin.model.ports import NOTHING_DECLARED
from ir_plugin.schema.values import shown
from ir_plugin.validation.check import Report, infer_model


def check_model(model: Model) -> Report:
    """Return the report of all faults of a model, which stays unchanged.

    Ports that a file declares are not compared, as the model may have changed since it was read. The findings name
    the line of Python that built a node, or the line of the file that it was read from.
    """
    findings = Findings()
    name = model.name
    order, cycle = order_of(model)
    if cycle:
        names = " -> ".join(f'"{node.name}"' for node in (*cycle, cycle[0]))
        findings.add(Finding.of("IR208", f"layers form a cycle: {names}", span=cycle[0].span(), layer=cycle[0].ref()))
        return Report(name, findings, model)
    if not model.results and not model.sinks:
        findings.add(Finding.of("IR211", "the model has no result", help="add a Result"))
    for finding in (*_unconnected(order), *_unread(model)):
        findings.add(finding)
    copy = clone(model)
    for node in _all_nodes(copy):
        for port in (*node.inputs, *node.outputs):
            port.declared = NOTHING_DECLARED
    infer_model(copy, findings, declared=False)
    return Report(name, findings, model)


def _unconnected(order: list[Node]) -> Iterator[Finding]:
    for node in order:
        for port in node.inputs:
            if port.source is None and node.operation is not None and not node.operation.subgraphs:
                yield Finding.of(
                    "IR207", f"input {port.index} is not connected", span=node.span(), layer=node.ref(),
                    help=f"connect it: set_argument({port.index}, …)",
                )  # fmt: skip


def _unread(model: Model) -> Iterator[Finding]:
    """Yield a finding for each variable that is assigned and never read."""
    stateful = [node for node in _all_nodes(model) if node.get_type_name() in ("ReadValue", "Assign")]
    read = {node.get_variable_id() for node in stateful if node.get_type_name() == "ReadValue"}
    for node in stateful:
        id = node.get_variable_id()
        if id not in read:
            message = f"the variable {shown(id)} is assigned, but no ReadValue reads it"
            help = did_you_mean(id, read) or "add a ReadValue"
            yield Finding.of("IR212", message, span=node.span(), layer=node.ref(), help=help)


def _all_nodes(model: Model) -> Iterator[Node]:
    """Yield the nodes of a model and of its bodies."""
    waiting = [model]
    while waiting:
        current = waiting.pop()
        yield from current.nodes
        waiting += [subgraph.body for _, _, subgraph in current.bodies()]
