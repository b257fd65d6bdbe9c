"""Comparison of the declared ports of a file with the inferred tensors."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from ir_plugin.diagnostics import Finding, Findings, Span
from ir_plugin.errors import Error
from ir_plugin.model import Declared, Input, Model, Node, Output
from ir_plugin.model.ports import UNKNOWN
from ir_plugin.tensors import PartialShape, TensorInfo
from ir_plugin.validation.exchanged import exchanged_by_types
from ir_plugin.validation.explanation import confirming, differs, explaining_edits, refusal
from ir_plugin.validation.inference import Inference

_MAX_EXCHANGED = 64


class DeclaredChecker:
    """Compares ports with inferred tensors; differences that follow from an earlier one are not reported."""

    def __init__(
        self,
        inference: Inference,
        findings: Findings,
        distrusted: Container[Node] = (),
        is_known: Callable[[Node], bool] = lambda _: False,
    ) -> None:
        self._inference = inference
        self._distrusted = distrusted
        self._is_known = is_known
        self._findings = findings
        self._reported: set[Node] = set()
        """Parameters of bodies that contradict the tensors passed to them."""

    def check(self, model: Model) -> None:
        """Report every port that contradicts the inferred tensor, also in bodies."""
        order = model.ordered()
        inputs = [port for node in order for port in node.inputs if not self._is_as_declared(port, port.source)]
        faults = {port: code for port in inputs if (code := self._fault_of_input(port))}
        if (pair := exchanged_by_types(list(faults))) is not None:
            self._report_exchanged(next(iter(faults)), pair)
            faults = {}
        exchanged = self._exchanged(list(faults), order)
        for node in order:
            if faults:
                self._check_inputs(node, faults, exchanged)
            outputs = [port for port in node.outputs if not self._is_as_declared(port, port)]
            contradicting = self._contradicting(node, outputs) if outputs else []
            if not self._check_bodies(node) and contradicting and not self._follows(node):
                self._report_outputs(node, contradicting)

    def _contradicting(self, node: Node, ports: list[Output]) -> list[Output]:
        """Return the outputs that declare what OpenVINO does not write where the inferred tensor is another."""
        ports = [port for port in ports if port.port_id >= 0 and node not in self._reported]
        ports = [port for port in ports if differs(port.declared, self._tensor(port))]
        written = [port for port in ports if self._is_written_by_openvino(port)]
        for port in written:
            self._note_written(node, port)
        return [port for port in ports if port not in written]

    def _is_as_declared(self, port: Input | Output, source: Output | None) -> bool:
        """Return whether a port declares just the inferred type and shape, as most ports do."""
        tensor = None if source is None else self._inference.tensors.get(source)
        if tensor is None:
            return False
        shape, type = port.declared.shape, port.declared.element_type
        return (shape is None or shape is tensor.shape) and (type is None or type is tensor.element_type)

    def _check_bodies(self, node: Node) -> bool:
        """Check the bodies of a layer, and return whether they have findings, from which its outputs then follow."""
        if node.operation is None or not node.operation.subgraphs or self._is_known(node):
            return False
        findings = self._in_bodies(node)
        if findings and infer_as_declared(self._inference, node) is not None:
            findings = min(findings, self._in_bodies(node), key=len)
        for finding in findings:
            self._findings.add(finding)
        return bool(findings)

    def _in_bodies(self, node: Node) -> list[Finding]:
        """Return the findings for the bodies of a layer as inferred last."""
        outer, self._findings = self._findings, Findings()
        for subgraph in node.operation.subgraphs.values():
            for parameter in subgraph.body.parameters:
                self._check_parameter(parameter)
            self.check(subgraph.body)
        findings, self._findings = list(self._findings), outer
        return findings

    def _check_parameter(self, node: Node) -> None:
        """Compare the attributes of a body's Parameter with the tensor that its layer passes to it."""
        passed, operation = self._inference.passed.get(node) or self._tensor(node.outputs[0]), node.operation
        self._reported.discard(node)
        if operation is None or self._is_known(node):
            return
        if not operation.shape.compatible(passed.shape):
            self._report_parameter(node, "shape", str(operation.shape), str(passed.shape))
        elif operation.element_type.merge(passed.element_type) is None:
            self._report_parameter(node, "element_type", operation.element_type.name, passed.element_type.name)

    def _report_parameter(self, node: Node, part: str, declared: str, passed: str) -> None:
        message = f"the Parameter has the {part} {declared}; its layer gives it {passed}"
        span, where = _span(node, lambda origin: origin.span(part)), node.ref(f'attribute "{part}"')
        help = "correct the attribute, or the port map of the layer"
        self._reported.add(node)
        self._findings.add(
            Finding.of("IR210", message, span=span, layer=where, declared=declared, inferred=passed, help=help)
        )

    def _tensor(self, port: Output) -> TensorInfo:
        return self._inference.tensors.get(port, UNKNOWN)

    def _is_written_by_openvino(self, port: Output) -> bool:
        """Return whether OpenVINO itself declares an output so, although another shape is inferred."""
        operation, tensor = port.node.operation, self._tensor(port)
        if operation is None:
            return False
        expected = operation.written_by_openvino(self._inference.inputs_of(port.node), port.index, tensor.shape)
        return not differs(port.declared, TensorInfo(tensor.element_type, expected))

    def _note_written(self, node: Node, port: Output) -> None:
        """Report an output that OpenVINO declares so, and that has another shape when it runs here."""
        declared, inferred, part = port.declared.shape, self._tensor(port).shape, f"output port {port.port_id}"
        message = f"{part} is declared {declared}, as OpenVINO writes it; it is {inferred}"
        span = _span(node, lambda origin: origin.port("output", port.index, None))
        self._findings.add(Finding.of("IR307", message, span=span, layer=node.ref(part)))

    def _follows(self, node: Node) -> bool:
        """Return whether the declared outputs fit the declared inputs, which differ from the inferred ones."""
        outputs = infer_as_declared(self._inference, node)
        return outputs is not None and not any(
            differs(port.declared, tensor) for port, tensor in zip(node.outputs, outputs, strict=False)
        )

    def _report_outputs(self, node: Node, wrong: Sequence[Output]) -> None:
        """Report all outputs of another shape in one finding, and all of another type in another."""
        shapes = [port for port in wrong if self._has_other_shape(port.declared, self._tensor(port))]
        types = [port for port in wrong if port not in shapes]
        for code, ports in (("IR302", shapes), ("IR303", types)):
            if ports:
                finding = self._finding(code, node, ports[0], self._tensor(ports[0]), also=ports[1:])
                self._findings.add(self._explained(finding, node, ports))

    def _explained(self, finding: Finding, node: Node, ports: Sequence[Output]) -> Finding:
        """Return a finding with the attribute that mends it, if the layers that read the ports confirm these."""
        readers = [reader for port in ports for reader in confirming(port, self._tensor(port))]
        edits = explaining_edits(self._inference, node) if readers else ()
        if not edits:
            return finding
        names = list(dict.fromkeys(f'"{reader.node.name}"' for reader in readers))
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        evidence = f"{shown} read{'s' if len(names) == 1 else ''} it as declared"
        refused = refusal(self._inference, readers)
        because = "; ".join(text for text in (finding.because, evidence, refused) if text)
        help = f"write {' or '.join(map(str, edits))}, which gives what the ports declare"
        return replace(finding, because=because, help=help, edits=edits)

    @staticmethod
    def _has_other_shape(declared: Declared, tensor: TensorInfo) -> bool:
        return declared.shape is not None and not declared.shape.compatible(tensor.shape)

    def _check_inputs(self, node: Node, faults: dict[Input, str], exchanged: dict[Input, Input]) -> None:
        """Report every input that contradicts its producer; two exchanged inputs are one finding."""
        for port in node.inputs:
            partner = exchanged.get(port)
            if port not in faults or (partner is not None and (partner not in exchanged or partner not in faults)):
                continue
            help = ""
            if partner is not None:
                del exchanged[port]
                help = f"the edges to the input ports {port.port_id} and {partner.port_id} are probably exchanged"
                if partner.node is not node:
                    where = f'input port {partner.port_id} of "{partner.node.name}" in line {partner.node.span().line}'
                    help = f"the edges to this port and to {where} are probably exchanged"
            self._report(faults[port], node, port, self._source(port), help=help)

    def _report_exchanged(self, port: Input, pair: tuple[Node, Node]) -> None:
        """Report two layers with exchanged ids at the first input that shows it."""
        names = " and ".join(f'"{node.name}" (id {node.id}, line {node.span().line})' for node in pair)
        help = f"the ids of {names} are probably exchanged"
        self._report(self._fault_of_input(port), port.node, port, self._source(port), help=help)

    def _exchanged(self, ports: Sequence[Input], order: Sequence[Node]) -> dict[Input, Input]:
        """Return the pairs of inputs whose edges are exchanged, in both directions; none if there are too many faults.

        The partner may be an input without declared dimensions of a layer that has an error.
        """
        partners: dict[Input, Input] = {}
        if not 0 < len(ports) <= _MAX_EXCHANGED:
            return partners
        erroneous = [port for node in order if self._is_known(node) for port in node.inputs]
        undeclared = [
            port for port in erroneous[:_MAX_EXCHANGED] if port.source is not None and port.declared.shape is None
        ]
        for index, port in enumerate(ports):
            candidates = sorted(ports[index + 1 :], key=lambda candidate: candidate.node is not port.node)
            candidates += [candidate for candidate in undeclared if self._source(port).shape.ndim == 0]
            partner = next(
                (other for other in candidates if other not in partners and self._are_exchanged(port, other)), None
            )
            if partner is not None and port not in partners:
                partners |= {port: partner, partner: port}
        return partners

    def _source(self, port: Input) -> TensorInfo:
        return UNKNOWN if port.source is None else self._tensor(port.source)

    def _are_exchanged(self, left: Input, right: Input) -> bool:
        return not differs(left.declared, self._source(right)) and not differs(right.declared, self._source(left))

    def _fault_of_input(self, port: Input) -> str:
        """Return the code of an input's contradiction that its producer does not declare too, or an empty string."""
        source = port.source
        if source is None or port.node in self._distrusted or source.node in self._distrusted:
            return ""
        return contradiction(port, source, self._tensor(source))

    def _report(
        self,
        code: str,
        node: Node,
        port: Input | Output,
        tensor: TensorInfo,
        help: str = "",
    ) -> None:
        """Report a port whose shape or type differs from `tensor`."""
        finding = self._finding(code, node, port, tensor)
        self._findings.add(replace(finding, help=help) if help else finding)

    def _finding(
        self, code: str, node: Node, port: Input | Output, tensor: TensorInfo, also: Sequence[Output] = ()
    ) -> Finding:
        """Return the finding of a port, and of those `also` in the same way, whose shape or type differs."""
        if code in ("IR302", "IR304"):
            finding = self._of_shape(code, node, port, tensor)
        else:
            finding = self._of_type(code, node, port, tensor)
        if also:
            names = ", ".join(str(port.port_id) for port in also[:8]) + (", …" if len(also) > 8 else "")
            more = f"output port{'' if len(also) == 1 else 's'} {names} likewise"
            finding = replace(finding, because=f"{finding.because}; {more}" if finding.because else more)
        return finding

    def _of_shape(self, code: str, node: Node, port: Input | Output, tensor: TensorInfo) -> Finding:
        declared, inferred = port.declared.shape or PartialShape(None), tensor.shape
        direction = "input" if isinstance(port, Input) else "output"
        part, dimension = f"{direction} port {port.port_id}", _first_difference(declared, inferred)
        span = _span(node, lambda origin: origin.port(direction, port.index, dimension))
        if dimension is None:
            label = f"declared rank {declared.rank}, inferred {inferred.rank}"
            help = f"declare the shape {inferred}, or correct the inputs and attributes of this layer"
        else:
            expected = inferred[dimension]
            label = f"declared {declared[dimension]}, inferred {expected}"
            length = expected if expected.is_static else -1
            help = f"write <dim>{length}</dim>, or correct the inputs and attributes of this layer"
            part = f"{part}, dimension {dimension}"
        if direction == "input":
            help = "correct the dimension, or the edge that feeds this port"
        return Finding.of(
            code, span=span, label=label, layer=node.ref(part), declared=str(declared), inferred=str(inferred),
            because=self._because(node, direction), help=help,
        )  # fmt: skip

    def _because(self, node: Node, direction: str) -> str:
        if direction == "input":
            return ""
        inputs = [str(self._tensor(port.source)) for port in node.inputs if port.source is not None]
        shown = [f"{name}={text}" for name, text in node.attributes.items() if len(text) < 40]
        return f"{node.type}({', '.join(inputs + shown)})"

    @staticmethod
    def _of_type(code: str, node: Node, port: Input | Output, tensor: TensorInfo) -> Finding:
        direction = "input" if isinstance(port, Input) else "output"
        declared = port.declared.element_type or UNKNOWN.element_type
        expected = tensor.element_type.precision
        span = _span(node, lambda origin: origin.port(direction, port.index, None, "precision"))
        return Finding.of(
            code, span=span, label=f"declared {declared.precision}, inferred {expected}",
            layer=node.ref(f"{direction} port {port.port_id}"), declared=declared.precision, inferred=expected,
            help=f'write precision="{expected}"',
        )  # fmt: skip


def _span(node: Node, find: Callable[..., Span]) -> Span:
    return find(node.origin) if node.origin is not None else Span()


def contradiction(port: Input, source: Output, tensor: TensorInfo) -> str:
    """Return the code of an input's contradiction that its producer does not declare too, or an empty string."""
    shape, type, produced = port.declared.shape, port.declared.element_type, source.declared.shape
    if (
        shape is not None
        and not shape.compatible(tensor.shape)
        and (produced is None or not shape.compatible(produced))
    ):
        return "IR304"
    differs = type is not None and type.merge(tensor.element_type) is None
    return "IR305" if differs and type is not source.declared.element_type else ""


def infer_as_declared(inference: Inference, node: Node) -> Sequence[TensorInfo] | None:
    """Infer a layer's outputs from its declared inputs; None if these equal the inferred inputs, or inference fails.

    If an input contradicts its producer, edges may be exchanged, so that only the declarations of the others count.
    """
    if node.operation is None:
        return None
    inferred = inference.inputs_of(node)
    declared = [_as_declared(port, tensor) for port, tensor in zip(node.inputs, inferred, strict=True)]
    pairs = list(zip(node.inputs, inferred, strict=True))
    if any(tensor and port.source and contradiction(port, port.source, tensor) for port, tensor in pairs):
        declared = [
            TensorInfo(port.declared.element_type or UNKNOWN.element_type, None)
            if assumed is tensor and tensor is not None and port.declared.shape is None
            else assumed
            for assumed, (port, tensor) in zip(declared, pairs, strict=True)
        ]
    if all(assumed is tensor for assumed, tensor in zip(declared, inferred, strict=True)):
        return None
    try:
        return inference.infer(node, declared)
    except Error:
        return None


def _as_declared(port: Input, inferred: TensorInfo | None) -> TensorInfo | None:
    """Return an input as its port or its producer declares it if that contradicts the inferred tensor, else that."""
    if inferred is None or port.source is None:
        return None
    for declared in (port.declared, port.source.declared):
        type, shape = declared.element_type, declared.shape
        differs = type is not None and type.merge(inferred.element_type) is None
        if differs or (shape is not None and not shape.compatible(inferred.shape)):
            return TensorInfo(type or UNKNOWN.element_type, shape)
    return inferred


def _first_difference(declared: PartialShape, inferred: PartialShape) -> int | None:
    if declared.ndim != inferred.ndim or declared.ndim is None:
        return None
    pairs = enumerate(zip(declared, inferred, strict=True))
    return next((axis for axis, (mine, theirs) in pairs if not mine.compatible(theirs)), None)
