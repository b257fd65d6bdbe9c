"""Check of a model in memory: what building and rewiring may leave wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import all_nodes, clone, order_of
from ir_plugin.model.ports import NOTHING_DECLARED
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.reader.structure import shown_path
from ir_plugin.schema.values import shown
from ir_plugin.validation.check import Report, infer_model

_MAX_EDGES = 16


def check_model(model: Model) -> Report:
    """Return the report of all faults of a model, which stays unchanged.

    Ports that a file declares are not compared, as the model may have changed since it was read. The findings name
    the line of Python that built a node, or the line of the file that it was read from.
    """
    findings = Findings()
    name = model.name
    for graph in _all_graphs(model):
        cycle = order_of(graph)[1]
        if cycle:
            findings.add(_cycle(cycle[::-1]))
    if findings:
        return Report(name, findings, model)
    if not model.results and not model.sinks:
        findings.add(Finding.of("IR211", "the model has no result", help="add a Result"))
    for finding in (*_unconnected(order_of(model)[0]), *_unread(model)):
        findings.add(finding)
    copy = clone(model)
    for node in all_nodes(copy):
        for port in (*node.inputs, *node.outputs):
            port.declared = NOTHING_DECLARED
    infer_model(copy, findings, declared=False)
    return Report(name, findings, model)


def _cycle(path: Sequence[Node]) -> Finding:
    """Return the finding of nodes that form a cycle; the last of them is the first."""
    edges = [
        f'"{port.source.node.name}":{port.source.index} -> "{port.node.name}":{port.index}'
        for producer, consumer in pairwise(path)
        for port in consumer.inputs
        if port.source is not None and port.source.node is producer
    ]
    shown = ", ".join(edges[:_MAX_EDGES]) + (", …" if len(edges) > _MAX_EDGES else "")
    because = f"the edges are {shown}; the rest of the model was not checked"
    return Finding.of(
        "IR208", f"the layers {shown_path(path)} form a cycle", span=path[0].span(), layer=path[0].ref(),
        because=because, help="give one of these inputs another source: replace_source_output",
    )  # fmt: skip


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
    stateful = [node for node in all_nodes(model) if node.is_a(ReadValue, Assign)]
    read = {node.get_variable_id() for node in stateful if node.is_a(ReadValue)}
    for node in stateful:
        id = node.get_variable_id()
        if id not in read:
            message = f"the variable {shown(id)} is assigned, but no ReadValue reads it"
            help = did_you_mean(id, read) or "add a ReadValue"
            yield Finding.of("IR212", message, span=node.span(), layer=node.ref(), help=help)


def _all_graphs(model: Model) -> Iterator[Model]:
    """Yield a model and its bodies."""
    waiting = [model]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += [subgraph.body for _, _, subgraph in current.bodies()]
