"""What a file declares of its ports, held against what is inferred."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from ir_plugin.diagnostics import Finding, Findings, Span
from ir_plugin.errors import Error
from ir_plugin.model import Declared, Input, Model, Node, Output
from ir_plugin.model.node import UNKNOWN
from ir_plugin.tensors import PartialShape, Tensor
from ir_plugin.validation.inference import Inference


class DeclaredChecker:
    """Compares ports with inferred tensors; a difference that follows from one before it is no finding of its own."""

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

    def check(self, model: Model) -> None:
        """Add a finding for every port that contradicts what is inferred, bodies included."""
        for node in model.ordered():
            for input in node.inputs:
                self._check_input(input)
            outputs = [port for port in node.outputs if port.port_id >= 0]
            wrong = [port for port in outputs if self._differs(port.declared, self._tensor(port))]
            if not self._check_bodies(node) and wrong and not self._follows(node):
                for port in wrong:
                    self._report_output(port)

    def _check_bodies(self, node: Node) -> bool:
        """Check the bodies of a layer, and return whether there was anything: its outputs then follow from that."""
        if node.operation is None or not node.operation.subgraphs or self._is_known(node):
            return False
        found = self._in_bodies(node)
        if found and infer_as_declared(self._inference, node) is not None:
            found = min(found, self._in_bodies(node), key=len)
        for finding in found:
            self._findings.add(finding)
        return bool(found)

    def _in_bodies(self, node: Node) -> list[Finding]:
        """Return what is wrong with the bodies of a layer as they were inferred last."""
        outer, self._findings = self._findings, Findings()
        for subgraph in node.operation.subgraphs.values():
            for parameter in subgraph.body.parameters:
                self._check_parameter(parameter)
            self.check(subgraph.body)
        found, self._findings = list(self._findings), outer
        return found

    def _check_parameter(self, node: Node) -> None:
        """Compare what a Parameter of a body says of itself with what its layer gives it."""
        port = node.outputs[0]
        given, operation = self._tensor(port), node.operation
        if operation is None or self._is_known(node) or self._differs(port.declared, given):
            return
        if not operation.shape.compatible(given.shape):
            self._report_parameter(node, "shape", str(operation.shape), str(given.shape))
        elif operation.element_type.merge(given.element_type) is None:
            self._report_parameter(node, "element_type", operation.element_type.name, given.element_type.name)

    def _report_parameter(self, node: Node, part: str, own: str, given: str) -> None:
        message = f"the Parameter has the {part} {own}; its layer gives it {given}"
        span, where = _span(node, lambda origin: origin.span(part)), node.ref(f'attribute "{part}"')
        help = "correct the attribute, or the port map of the layer"
        self._findings.add(
            Finding.of("IR210", message, span=span, layer=where, declared=own, inferred=given, help=help)
        )

    def _tensor(self, port: Output) -> Tensor:
        return self._inference.tensors.get(port, UNKNOWN)

    @staticmethod
    def _differs(declared: Declared, tensor: Tensor) -> bool:
        shape, type = declared.shape, declared.element_type
        wrong_shape = shape is not None and not shape.compatible(tensor.shape)
        return wrong_shape or (type is not None and type.merge(tensor.element_type) is None)

    def _follows(self, node: Node) -> bool:
        """Return whether the declared outputs are right for inputs as they are declared, which differ."""
        outputs = infer_as_declared(self._inference, node)
        return outputs is not None and not any(
            self._differs(port.declared, tensor) for port, tensor in zip(node.outputs, outputs, strict=False)
        )

    def _report_output(self, port: Output) -> None:
        node, declared, tensor = port.node, port.declared, self._tensor(port)
        part = f"output port {port.port_id}"
        if declared.shape is not None and not declared.shape.compatible(tensor.shape):
            self._report_shape("IR302", node, declared.shape, tensor.shape, part, "output", port.index)
        elif declared.element_type is not None and declared.element_type.merge(tensor.element_type) is None:
            self._report_type("IR303", node, declared, tensor, part, "output", port.index)

    def _check_input(self, port: Input) -> None:
        source = port.source
        if source is None or port.node in self._distrusted or source.node in self._distrusted:
            return
        tensor, part = self._tensor(source), f"input port {port.port_id}"
        shape = port.declared.shape
        shape_follows = (
            source.declared.shape is not None and shape is not None and shape.compatible(source.declared.shape)
        )
        if shape is not None and not shape.compatible(tensor.shape) and not shape_follows:
            self._report_shape("IR304", port.node, shape, tensor.shape, part, "input", port.index)
            return
        type = port.declared.element_type
        if type is not None and type.merge(tensor.element_type) is None and type is not source.declared.element_type:
            self._report_type("IR305", port.node, port.declared, tensor, part, "input", port.index)

    def _report_shape(
        self,
        code: str,
        node: Node,
        declared: PartialShape,
        inferred: PartialShape,
        part: str,
        direction: str,
        index: int,
    ) -> None:
        dimension = _first_difference(declared, inferred)
        span = _span(node, lambda origin: origin.port(direction, index, dimension))
        if dimension is None:
            label = f"declared rank {declared.rank}, inferred {inferred.rank}"
            help = f"declare the shape {inferred}, or correct the inputs and attributes of this layer"
        else:
            right = inferred[dimension]
            label = f"declared {declared[dimension]}, inferred {right}"
            written = right if right.is_static else -1
            help = f"write <dim>{written}</dim>, or correct the inputs and attributes of this layer"
            part = f"{part}, dimension {dimension}"
        if direction == "input":
            help = "correct the dimension, or the edge that feeds this port"
        self._findings.add(
            Finding.of(
                code, span=span, label=label, layer=node.ref(part), declared=str(declared), inferred=str(inferred),
                because=self._because(node, direction), help=help,
            )
        )  # fmt: skip

    def _because(self, node: Node, direction: str) -> str:
        if direction == "input":
            return ""
        inputs = [str(self._tensor(port.source)) for port in node.inputs if port.source is not None]
        shown = [f"{name}={text}" for name, text in node.attributes.items() if len(text) < 40]
        return f"{node.type}({', '.join(inputs + shown)})"

    def _report_type(
        self, code: str, node: Node, declared: Declared, tensor: Tensor, part: str, direction: str, index: int
    ) -> None:
        if declared.element_type is None:
            return
        label = f"declared {declared.element_type.precision}, inferred {tensor.element_type.precision}"
        self._findings.add(
            Finding.of(
                code, span=_span(node, lambda origin: origin.port(direction, index, None, "precision")), label=label,
                layer=node.ref(part), declared=declared.element_type.precision, inferred=tensor.element_type.precision,
                help=f'write precision="{tensor.element_type.precision}"',
            )
        )  # fmt: skip


def _span(node: Node, find: Callable[..., Span]) -> Span:
    return find(node.origin) if node.origin is not None else Span()


def infer_as_declared(inference: Inference, node: Node) -> Sequence[Tensor] | None:
    """Return what a layer infers from its inputs as they are declared; None where that is as they are, or fails."""
    if node.operation is None:
        return None
    inferred = inference.inputs_of(node)
    declared = [_as_declared(port, tensor) for port, tensor in zip(node.inputs, inferred, strict=True)]
    if all(mine is other for mine, other in zip(declared, inferred, strict=True)):
        return None
    try:
        return inference.infer(node, declared)
    except Error:
        return None
    finally:
        _restore_types(node, inference)


def _as_declared(port: Input, inferred: Tensor | None) -> Tensor | None:
    """Return an input as its port declares it, or as the port that it reads does, where that is not as inferred."""
    if inferred is None or port.source is None:
        return None
    for declared in (port.declared, port.source.declared):
        type, shape = declared.element_type, declared.shape
        other_type = type is not None and type.merge(inferred.element_type) is None
        if other_type or (shape is not None and not shape.compatible(inferred.shape)):
            return Tensor(type or UNKNOWN.element_type, shape)
    return inferred


def _restore_types(node: Node, inference: Inference) -> None:
    inputs = inference.inputs_of(node)
    node.operation.input_types = tuple(None if tensor is None else tensor.element_type for tensor in inputs)


def _first_difference(declared: PartialShape, inferred: PartialShape) -> int | None:
    if declared.ndim != inferred.ndim or declared.ndim is None:
        return None
    pairs = enumerate(zip(declared, inferred, strict=True))
    return next((axis for axis, (mine, theirs) in pairs if not mine.compatible(theirs)), None)
