"""Reading a model and checking it: everything that is wrong with it in one run."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from typing import Any

from ir_plugin.diagnostics import Finding, Findings, LayerRef
from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.render import render, summary
from ir_plugin.errors import ReadError, ShapeError
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.operations.registry import Registry
from ir_plugin.reader import read_ir
from ir_plugin.reader.document import Source
from ir_plugin.reader.weights import WeightsSource
from ir_plugin.schema import Catalogue
from ir_plugin.tensors import TensorInfo
from ir_plugin.validation.declared import DeclaredChecker, infer_as_declared
from ir_plugin.validation.inference import Inference
from ir_plugin.validation.variables import check_variables


@dataclass(frozen=True)
class Report:
    """The findings of one file, and the model as far as it could be read; as text, what `ir-plugin check` prints.

    A report is pickled without the model.
    """

    file: str
    findings: Findings
    model: Model | None = None

    @property
    def ok(self) -> bool:
        """Whether there is no finding of severity error."""
        return not self.findings.errors

    def __str__(self) -> str:
        return render(self.findings).rstrip("\n") if self.findings else f"{self._file}: no findings"

    def __repr__(self) -> str:
        return f"<Report: {self._file}, {summary(self.findings)}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, (self.file, self.findings)

    def __copy__(self) -> Report:
        return replace(self, findings=copy(self.findings))

    def __deepcopy__(self, memo: Any) -> Report:
        return replace(self.__copy__(), model=deepcopy(self.model, memo))

    @property
    def _file(self) -> str:
        return safe(self.file, 200)


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
    if strict:
        check_variables(model, findings)
    if "IR208" not in {found.code for found in findings} or _can_be_ordered(model):
        infer_model(model, findings, strict=strict)
    return Report(name, findings, model)


def _can_be_ordered(model: Model) -> bool:
    """Return whether neither the graph nor a body in it has a cycle."""
    waiting = [model]
    while waiting:
        current = waiting.pop()
        if order_of(current)[1]:
            return False
        waiting += [subgraph.body for _, _, subgraph in current.bodies()]
    return True


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
    faults = _Faults(findings, strict)
    inference = faults.inference_of(model)
    for port, tensor in inference.run(model).items():
        port.known = tensor
    if strict:
        faults.add_departures()
        DeclaredChecker(inference, findings, faults.distrusted, faults.is_known).check(model)


class _Faults:
    """Adds what inference finds; a layer of which an error is known gets no second one."""

    def __init__(self, findings: Findings, strict: bool) -> None:
        self._findings = findings
        self._strict = strict
        self._inference = Inference(self.add, (), self.add_miscount, lenient=not strict)
        self.distrusted: set[Node] = set()
        """Layers of which an error was known before the inference."""
        errors = [found for found in findings if found.layer and found.severity == "error"]
        self._known = {_key(found.layer) for found in errors if found.layer}
        self._suspect = {_key(found.layer) for found in errors if found.layer and not _is_of_port(found)}
        self._counted = {_key(found.layer) for found in findings if found.layer and found.code == "IR108"}

    def inference_of(self, model: Model) -> Inference:
        """Return the inference of a model of which the faults come here."""
        if self._strict:
            self.distrusted = self._erroneous(model)
            self._inference = Inference(self.add, self.distrusted, self.add_miscount)
        return self._inference

    def _erroneous(self, model: Model) -> set[Node]:
        """Return the layers of which an error is known, those in bodies included."""
        found: set[Node] = set()
        waiting = [model] if self._findings.errors else []
        while waiting:
            current = waiting.pop()
            found.update(node for node in current.nodes if (node.path, node.id) in self._suspect)
            for node, _, subgraph in current.bodies():
                waiting.append(subgraph.body)
                found.update([] if subgraph.is_sound else [node])
        return found

    def is_known(self, node: Node) -> bool:
        """Return whether an error is known of a layer itself."""
        return (node.path, node.id) in self._known

    def add(self, node: Node, fault: ShapeError) -> None:
        """Add the finding for a layer that does not fit its inputs, of which all are connected."""
        key = node.path, node.id
        if key in self._known or node in self.distrusted or any(port.source is None for port in node.inputs):
            return
        if not self._strict or infer_as_declared(self._inference, node) is None:
            self._known.add(key)
            self._findings.add(_finding(node, fault, self._inference.inputs_of(node)))

    def add_departures(self) -> None:
        """Add the findings for what OpenVINO takes of layers against the specification."""
        for node, noted in self._inference.departures.items():
            for part, message in [] if self.is_known(node) else noted:
                where = f'attribute "{part}"' if node.attributes.get(part) is not None else part
                self._findings.add(
                    Finding.of("IR307", f"{message}; OpenVINO takes it", span=node.span(), layer=node.ref(where))
                )

    def add_miscount(self, node: Node, count: int) -> None:
        """Add the finding for a layer that declares more or fewer outputs than it has, and the outputs it lacks."""
        key = node.path, node.id
        declared = len(node.outputs)
        for index in range(declared, count):
            node.outputs.append(Output(node, index, -1))
        if key in self._known or key in self._counted or node in self.distrusted:
            return
        self._counted.add(key)
        message = f"the layer declares {declared} output port{'' if declared == 1 else 's'}; the operation has {count}"
        self._findings.add(
            Finding.of(
                "IR306", message, span=node.span(), layer=node.ref(), declared=str(declared), inferred=str(count),
                help=f"declare {count} output port{'' if count == 1 else 's'}",
                severity="warning" if declared < count else None,
            )
        )  # fmt: skip


def _is_of_port(finding: Finding) -> bool:
    """Return whether a finding is about what one port declares, so that nothing is wrong with what is inferred."""
    part = finding.layer.part if finding.layer else ""
    return finding.code in ("IR105", "IR111") and part.partition(" port ")[2][:1].isdigit()


def _key(layer: LayerRef) -> tuple[tuple[str, ...], str]:
    return layer.path, layer.id


def _finding(node: Node, fault: ShapeError, tensors: Sequence[TensorInfo | None]) -> Finding:
    known = node.attributes.get(fault.part) is not None
    part = f'attribute "{fault.part}"' if known else fault.part
    inputs = ", ".join(str(tensor) for tensor in tensors[:8]) + (", …" if len(tensors) > 8 else "")
    because = f"the inputs are {inputs}" if inputs and "shape" not in fault.message else ""
    span = node.span(fault.part if known else "")
    return Finding.of("IR301", fault.message, span=span, layer=node.ref(part), because=because, help=fault.help)
