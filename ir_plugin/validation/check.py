"""Reading a model and checking it: everything that is wrong with it in one run."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.errors import ReadError, ShapeError
from ir_plugin.model import Model, Node
from ir_plugin.operations.registry import Registry
from ir_plugin.reader import read_ir
from ir_plugin.reader.document import Source
from ir_plugin.reader.weights import WeightsSource
from ir_plugin.schema import Catalogue
from ir_plugin.validation.declared import DeclaredChecker
from ir_plugin.validation.inference import Inference

BROKEN = frozenset(["IR208"])
"""Codes after which a graph cannot be inferred."""


@dataclass(frozen=True)
class Report:
    """The findings of one file, and the model as far as it could be read."""

    file: str
    findings: Findings
    model: Model | None = None

    @property
    def ok(self) -> bool:
        """Whether there is no finding of severity error."""
        return not self.findings.errors


def check_ir(
    source: Source, weights: WeightsSource, registry: Registry, catalogue: Catalogue, *, strict: bool = True
) -> Report:
    """Read an IR and report everything that is wrong with it; never raises for what a file contains.

    With `strict=False` only what makes the model unusable is a finding, and declared ports are not compared.
    """
    with _paused_collector():
        return _check(source, weights, registry, catalogue, strict)


def _check(source: Source, weights: WeightsSource, registry: Registry, catalogue: Catalogue, strict: bool) -> Report:
    findings = Findings()
    name = "<bytes>" if isinstance(source, (bytes, bytearray, memoryview)) else str(source)
    try:
        model = read_ir(source, weights, registry, catalogue, findings, strict=strict)
    except ReadError as fault:
        return Report(name, Findings([*findings, *fault.findings]))
    if not BROKEN & {finding.code for finding in findings}:
        infer_model(model, findings, strict=strict)
    return Report(name, findings, model)


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Hold back the cyclic garbage collector, which would walk a growing graph again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def infer_model(model: Model, findings: Findings, *, strict: bool = True) -> None:
    """Infer all shapes, note them in the model, and add what does not fit or contradicts what is declared."""
    reported = _nodes_with_errors(findings)

    def on_fault(node: Node, fault: ShapeError) -> None:
        if (node.path, node.id) not in reported:
            reported.add((node.path, node.id))
            findings.add(_finding(node, fault))

    inference = Inference(on_fault)
    for port, tensor in inference.run(model).items():
        port.tensor = tensor
    if strict:
        DeclaredChecker(inference, findings).check(model)


def _nodes_with_errors(findings: Iterable[Finding]) -> set[tuple[tuple[str, ...], str]]:
    return {(found.layer.path, found.layer.id) for found in findings if found.layer and found.severity == "error"}


def _finding(node: Node, fault: ShapeError) -> Finding:
    known = node.attributes.get(fault.part) is not None
    part = f'attribute "{fault.part}"' if known else fault.part
    inputs = ", ".join(str(port.tensor) for port in node.inputs)
    because = f"the inputs are {inputs}" if inputs and "shape" not in fault.message else ""
    span = node.span(fault.part if known else "")
    return Finding.of("IR301", fault.message, span=span, layer=node.ref(part), because=because, help=fault.help)
