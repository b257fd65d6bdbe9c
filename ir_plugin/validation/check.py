"""Check of a model: a single run reads it and reports all its faults."""

from __future__ import annotations

import gc
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ir_plugin.diagnostics import Finding, Findings, LayerRef, Span
from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.limits import DEFAULT_LIMITS, Limits
from ir_plugin.diagnostics.render import render, summary
from ir_plugin.errors import ReadError, ShapeError
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of, unchanging_graphs
from ir_plugin.operations.checks import InputTypeError
from ir_plugin.operations.registry import Registry
from ir_plugin.reader import read_ir
from ir_plugin.reader.document import Source
from ir_plugin.reader.layer_cache import CachedLayer
from ir_plugin.reader.read import Read
from ir_plugin.reader.weights import WeightsSource
from ir_plugin.schema import Catalogue
from ir_plugin.tensors import TensorInfo
from ir_plugin.validation.bare_layers import findings_of_layers
from ir_plugin.validation.declared import DeclaredChecker, infer_as_declared
from ir_plugin.validation.inference import Inference
from ir_plugin.validation.limits import report_elements
from ir_plugin.validation.reuse import ReadInference
from ir_plugin.validation.variables import check_variables


@dataclass(frozen=True)
class Report:
    """The findings of a file, and the model as far as it can be read; its text is what `ir-plugin check` prints.

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
    source: Source,
    weights: WeightsSource,
    registry: Registry,
    catalogue: Catalogue,
    *,
    strict: bool = True,
    takes_layers: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """Return the report of all faults of an IR; never raises for the content of a file.

    With `strict=False` only faults that make the model unusable are findings, and declared ports are not compared.
    With `takes_layers` layers without a net are checked as if each stood in one; the report then has no model.
    """
    with _COLLECTOR.paused():
        read = partial(
            read_ir, source, weights, registry, catalogue, strict=strict, takes_layers=takes_layers, limits=limits
        )
        name = "<bytes>" if isinstance(source, (bytes, bytearray, memoryview)) else str(source)
        return _check(name, read, strict, limits)


def _check(name: str, read_into: Callable[[Findings], Read], strict: bool, limits: Limits) -> Report:
    findings = Findings()
    with unchanging_graphs():
        try:
            read = read_into(findings)
        except ReadError as fault:
            return Report(name, Findings([*findings, *map(_final, fault.findings)]))
        model = read.model
        if strict:
            check_variables(model, findings)
        if "IR208" not in {finding.code for finding in findings} or _can_be_ordered(model):
            infer_model(model, findings, strict=strict, cached=read.cached)
        else:
            message = "the layers form more cycles than are reported; shapes and types were not checked"
            findings.add(Finding.of("IR208", message, span=Span(name), severity="note"))
    report_elements(model, findings, limits.elements)
    if read.bare_layers is not None:
        return Report(name, findings_of_layers(findings, read))
    read.document.release()
    return Report(name, findings, model)


def _final(finding: Finding) -> Finding:
    """Return a finding that ends the check, which says so."""
    if finding.because or finding.code == "IR001":
        return finding
    return replace(finding, because="the rest of the file was not checked")


def _can_be_ordered(model: Model) -> bool:
    """Return whether the graph and all its bodies are free of cycles."""
    waiting = [model]
    while waiting:
        current = waiting.pop()
        if order_of(current)[1]:
            return False
        waiting += [subgraph.body for _, _, subgraph in current.bodies()]
    return True


_NOTHING: Mapping[Node, CachedLayer] = {}
_MANY = 10_000
"""Objects from which on a traversal takes as long as a tenth of the reading."""

_FROZEN_AT_START = 1000
"""More than the objects that Python 3.12 freezes at its start; a program that freezes its own has far more."""


class _Collector:
    """The cyclic garbage collector, which would traverse the growing graph again and again."""

    def __init__(self) -> None:
        self._full_collections = -1

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the collector; what was read is then among its oldest objects, unless it is little."""
        enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if enabled:
                self._age()
                gc.enable()

    def _age(self) -> None:
        """Move all objects to the oldest generation, at most once between two full collections.

        Objects that are moved so do not count for the next full collection, which has to come all the same.
        """
        count: int = gc.get_stats()[-1]["collections"]
        is_due = gc.get_count()[0] > _MANY and count != self._full_collections
        if is_due and hasattr(gc, "freeze") and gc.get_freeze_count() <= _FROZEN_AT_START:
            self._full_collections = count
            gc.freeze()
            gc.unfreeze()


_COLLECTOR = _Collector()


def infer_model(
    model: Model,
    findings: Findings,
    *,
    strict: bool = True,
    declared: bool = True,
    cached: Mapping[Node, CachedLayer] = _NOTHING,
) -> None:
    """Infer all shapes into the model, and report layers that fail or, if `declared`, contradict their ports.

    `cached`, from reading an IR, lets similar layers be inferred once for equal inputs.
    """
    faults = _Faults(findings, strict, cached)
    inference = faults.inference_of(model)
    for port, tensor in inference.run(model).items():
        port.tensor_info = tensor
    if strict:
        faults.add_departures()
    if strict and declared:
        DeclaredChecker(inference, findings, faults.distrusted, faults.is_known).check(model)


class _Faults:
    """Reports faults of the inference, except for layers that have an error already."""

    def __init__(self, findings: Findings, strict: bool, cached: Mapping[Node, CachedLayer]) -> None:
        self._findings = findings
        self._strict = strict
        self._cached = cached
        self._inference = self._new_inference(())
        self.distrusted: set[Node] = set()
        """Layers with an error from before the inference."""
        errors = [finding for finding in findings if finding.layer and finding.severity == "error"]
        self._erroneous_keys = {_key(finding.layer) for finding in errors if finding.layer}
        self._suspect_keys = {_key(finding.layer) for finding in errors if finding.layer and not _is_of_port(finding)}
        of_others = {_key(finding.layer) for finding in errors if finding.layer and not _is_of_attribute(finding.layer)}
        self._keys_of_attributes = self._erroneous_keys - of_others
        """Layers whose errors are of attributes alone; the element types of their inputs are checked all the same."""
        self._lacks_weights = any(finding.code == "IR401" for finding in errors)
        self._miscounted_keys = {
            _key(finding.layer) for finding in findings if finding.layer and finding.code == "IR108"
        }

    def inference_of(self, model: Model) -> Inference:
        """Return an inference of a model that reports its faults here."""
        if self._strict:
            self.distrusted = self._distrusted_nodes(model)
            self._inference = self._new_inference(self.distrusted)
        return self._inference

    def _new_inference(self, distrusted: Container[Node]) -> Inference:
        return ReadInference(self._cached, self.add, distrusted, self.add_miscount, lenient=not self._strict)

    def _distrusted_nodes(self, model: Model) -> set[Node]:
        """Return the layers with an error, also in bodies."""
        nodes: set[Node] = set()
        waiting = [model] if self._findings.errors else []
        while waiting:
            current = waiting.pop()
            nodes.update(node for node in current.nodes if (node.path, node.id) in self._suspect_keys)
            for node, _, subgraph in current.bodies():
                waiting.append(subgraph.body)
                nodes.update([] if subgraph.is_sound else [node])
        return nodes

    def is_known(self, node: Node) -> bool:
        """Return whether a layer itself has an error."""
        return (node.path, node.id) in self._erroneous_keys

    def add(self, node: Node, fault: ShapeError) -> None:
        """Report a layer that does not fit its inputs, if all of them are connected.

        Without the weights file, shapes are unknown that constants would give.
        """
        key = node.path, node.id
        if any(port.source is None for port in node.inputs):
            return
        tensors = self._inference.inputs_of(node)
        if self._lacks_weights and any(tensor is not None and tensor.shape.is_dynamic for tensor in tensors):
            return
        is_of_attributes = isinstance(fault, InputTypeError) and key in self._keys_of_attributes
        if (key in self._erroneous_keys or node in self.distrusted) and not is_of_attributes:
            return
        self._keys_of_attributes.discard(key)
        if not self._strict or infer_as_declared(self._inference, node) is None:
            self._erroneous_keys.add(key)
            self._findings.add(_finding(node, fault, tensors))

    def add_departures(self) -> None:
        """Report what OpenVINO accepts of layers against the specification."""
        for node, departures in self._inference.departures.items():
            for part, message in [] if self.is_known(node) else departures:
                where = f'attribute "{part}"' if node.attributes.get(part) is not None else part
                self._findings.add(
                    Finding.of("IR307", f"{message}; OpenVINO takes it", span=node.span(), layer=node.ref(where))
                )

    def add_miscount(self, node: Node, count: int) -> None:
        """Report a layer that declares a wrong number of outputs, and add the missing ones."""
        key = node.path, node.id
        declared = len(node.outputs)
        for index in range(declared, count):
            node.outputs.append(Output(node, index, -1))
        if key in self._erroneous_keys or key in self._miscounted_keys or node in self.distrusted:
            return
        self._miscounted_keys.add(key)
        message = f"the layer declares {declared} output port{'' if declared == 1 else 's'}; the operation has {count}"
        self._findings.add(
            Finding.of(
                "IR306", message, span=node.span(), layer=node.ref(), declared=str(declared), inferred=str(count),
                help=f"declare {count} output port{'' if count == 1 else 's'}",
                severity="warning" if declared < count else None,
            )
        )  # fmt: skip


def _is_of_port(finding: Finding) -> bool:
    """Return whether a finding concerns only what a port declares, which inference does not need."""
    part = finding.layer.part if finding.layer else ""
    return finding.code in ("IR105", "IR111") and part.partition(" port ")[2][:1].isdigit()


def _is_of_attribute(layer: LayerRef) -> bool:
    return layer.part.startswith("attribute ")


def _key(layer: LayerRef) -> tuple[tuple[str, ...], str]:
    return layer.path, layer.id


def _finding(node: Node, fault: ShapeError, tensors: Sequence[TensorInfo | None]) -> Finding:
    is_attribute = node.attributes.get(fault.part) is not None
    part = f'attribute "{fault.part}"' if is_attribute else fault.part
    inputs = ", ".join(str(tensor) for tensor in tensors[:8]) + (", …" if len(tensors) > 8 else "")
    because = f"the inputs are {inputs}" if inputs and "shape" not in fault.message else ""
    span = node.span(fault.part if is_attribute else "")
    return Finding.of("IR301", fault.message, span=span, layer=node.ref(part), because=because, help=fault.help)
