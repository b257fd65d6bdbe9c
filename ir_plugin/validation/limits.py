"""Check of the sizes of tensors against a limit."""

from __future__ import annotations

from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import all_nodes
from ir_plugin.operations.infrastructure.result import Result

_MAX_REPORTED = 16


def report_elements(model: Model, findings: Findings, limit: int | None, code: str = "IR004") -> None:
    """Report the first layers whose outputs certainly have more elements than a limit."""
    if limit is None:
        return
    beyond = [node for node in all_nodes(model) if _elements(node) > limit]
    for node in beyond[:_MAX_REPORTED]:
        message = f"an output has {_elements(node)} elements; the limit is {limit}"
        remaining = len(beyond) - _MAX_REPORTED if node is beyond[:_MAX_REPORTED][-1] else 0
        because = f"{remaining} more layers likewise" if remaining > 0 else ""
        help = "correct the shape, or raise --limit-elements"
        findings.add(Finding.of(code, message, span=node.span(), layer=node.ref(), because=because, help=help))


def _elements(node: Node) -> int:
    return max((port.tensor_info.shape.size.lower for port in node.outputs if not node.is_a(Result)), default=0)
