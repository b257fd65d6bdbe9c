"""Shape inference over a graph: types, partial shapes, and values on demand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ir_plugin.errors import Error, ShapeError
from ir_plugin.model import MAX_BODIES, Model, Node, Output
from ir_plugin.model.ports import UNKNOWN
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.operations.checks import Departure, Departures
from ir_plugin.operations.context import InferenceContext
from ir_plugin.operations.generation.range import Range
from ir_plugin.tensors import Array, Bounds, ElementType, PartialShape, TensorInfo

MAX_ELEMENTS = 2**22
"""The most elements of a tensor whose values are propagated."""

COMPUTATION_ERRORS = (Error, ValueError, TypeError, IndexError, KeyError, ArithmeticError, MemoryError, AttributeError)
"""The exceptions of an evaluation, each of which becomes an `Error`."""

MAX_BODY_LAYERS = 2**20
"""The most layers of bodies that a run infers; nested bodies are inferred repeatedly."""

Fault = Callable[[Node, ShapeError], None]
Miscount = Callable[[Node, int], None]


class Inference:
    """The tensors of one model for given parameters, and its operations for their types; the model is not written to.

    `on_fault` receives every layer that does not fit its inputs; without it the first such layer raises. Inference
    continues after such a layer with its declared outputs, and likewise after the layers of `distrusted`, whose
    attributes are wrong. `on_miscount` receives layers that declare another number of outputs than the operation has.
    With `lenient`, the default without `on_fault`, no element type is a fault.
    """

    is_partial = False
    """Whether inputs of the nodes may still be replaced."""
    is_run = False
    """Whether shapes are inferred during a run, in which the branch that is not taken need not fit."""

    def __init__(
        self,
        on_fault: Fault | None = None,
        distrusted: Container[Node] = (),
        on_miscount: Miscount | None = None,
        lenient: bool | None = None,
    ) -> None:
        self.tensors: dict[Output, TensorInfo] = {}
        self.operations: dict[Node, Operation] = {}
        """The operation of each layer, specialized to the inferred types."""
        self.missing_values: set[Node] = set()
        """Layers without bodies whose inference requested values that are unknown before the run."""
        self._on_fault = on_fault
        self._on_miscount = on_miscount
        self.distrusted = distrusted
        self._body_layers = self._depth = 0
        self._settled: dict[Node, dict[int, TensorInfo]] = {}
        self._body_parameters: dict[Model, list[tuple[ElementType, PartialShape]]] = {}
        """The types and shapes for which the tensors of each body are inferred."""
        self._variables: dict[str, TensorInfo] = {}
        self.departures: dict[Node, list[Departure]] = {}
        """What OpenVINO accepts of layers against the specification."""
        self._lenient = on_fault is None if lenient is None else lenient
        self.passed: dict[Node, TensorInfo] = {}
        """The tensors passed to Parameters of bodies whose attributes contradict them."""

    def run(self, model: Model, parameters: Mapping[Node, TensorInfo] | None = None) -> dict[Output, TensorInfo]:
        """Infer every node that contributes to a result, and return the tensor of every output."""
        fixed = parameters or {}
        if model.weights is not None:
            model.weights.require_unchanged()
        for node in model.ordered():
            if node in fixed:
                self.tensors[node.outputs[0]] = fixed[node]
                self._specialize(node, [], [fixed[node]])
            else:
                self._visit(node)
        return self.tensors

    def inputs_of(self, node: Node) -> list[TensorInfo | None]:
        """Return the tensors of a node's inputs, None for an input without an edge."""
        return [None if port.source is None else self._tensor(port.source) for port in node.inputs]

    def _tensor(self, port: Output) -> TensorInfo:
        """Return the tensor of an output, or a new unknown one if it is not inferred."""
        return self.tensors.get(port) or TensorInfo(UNKNOWN.element_type, None)

    def _visit(self, node: Node) -> Sequence[TensorInfo]:
        """Infer a node, and return its outputs; none if it does not fit its inputs."""
        inputs = self.inputs_of(node)
        for tensor in inputs:
            if tensor is not None:
                tensor.missed = False
        outputs = self._outputs_of(node, inputs) if node.operation is not None else []
        if outputs and len(outputs) != len(node.outputs) and self._on_miscount is not None:
            self._on_miscount(node, len(outputs))
        if node in self.distrusted or (self._on_miscount is not None and len(outputs) < len(node.outputs)):
            outputs = []
        for index, port in enumerate(node.outputs):
            self.tensors[port] = outputs[index] if index < len(outputs) else declared_tensor(port)
            self.tensors[port].resolve_with(partial(self.resolve, node, index))
        self._specialize(node, inputs, outputs or [self.tensors[port] for port in node.outputs])
        return outputs

    def _specialize(self, node: Node, inputs: Sequence[TensorInfo | None], outputs: Sequence[TensorInfo]) -> None:
        operation: Operation | None = node.operation
        if operation is None:
            return
        self.operations[node] = specialized(operation, inputs, outputs)
        if not operation.subgraphs and any(tensor is not None and tensor.missed for tensor in inputs):
            self.missing_values.add(node)
        else:
            self.missing_values.discard(node)

    def _outputs_of(self, node: Node, inputs: Sequence[TensorInfo | None]) -> Sequence[TensorInfo]:
        """Return the inferred outputs, or none if the layer does not fit its inputs."""
        try:
            return self.infer(node, inputs)
        except ShapeError as fault:
            if self._on_fault is None:
                raise
            self._on_fault(node, fault)
            return []

    def infer(self, node: Node, inputs: Sequence[TensorInfo | None]) -> Sequence[TensorInfo]:
        """Return the outputs that a node's operation infers from inputs; every failure is a `ShapeError`."""
        operation: Operation = node.operation
        check_arity(operation, inputs)
        check_containers(operation, inputs)
        keywords: dict[str, Any] = {}
        if operation.wants_inference:
            keywords["inference"] = InferenceContext(
                partial(self.infer_body, node),
                self._variables,
                self.is_partial,
                self.is_run,
                self._settled.setdefault(node, {}),
            )
        try:
            with Departures(self._lenient) as accepted:
                result = (operation.infer_in_run if self.is_run else operation.infer)(*inputs, **keywords)
            self.departures[node] = accepted
        except ShapeError:
            raise
        except COMPUTATION_ERRORS as fault:
            raise ShapeError("", f"the shape cannot be inferred: {str(fault) or type(fault).__name__}") from fault
        outputs = result if isinstance(result, tuple) else (result,)
        for output in outputs:
            if not isinstance(output, TensorInfo):
                raise ShapeError("", f"infer of {operation.type} returns {type(output).__name__}, not TensorInfo")
        return outputs

    def infer_body(self, node: Node, body: Model, parameters: Sequence[TensorInfo]) -> list[TensorInfo]:
        """Return the tensors of a body's Results for tensors of its Parameters."""
        self._body_layers += len(body.nodes)
        if self._body_layers > MAX_BODY_LAYERS:
            raise ShapeError("", f"its bodies hold so much that more than {MAX_BODY_LAYERS} layers would be inferred")
        tensors = dict(zip(body.parameters, parameters, strict=True))
        if node in self.distrusted:
            tensors = {results: declared_tensor(results.outputs[0]) for results in body.parameters}
        elif self._on_fault is not None:
            tensors = {parameter: self._agreed(parameter, tensor) for parameter, tensor in tensors.items()}
        self._run_body(body, tensors)
        return self.results_of(body)

    def _run_body(self, body: Model, parameters: Mapping[Node, TensorInfo]) -> None:
        """Infer the nodes of a body, unless they are inferred for parameters of these types and shapes."""
        if self._depth == MAX_BODIES:
            raise ShapeError("", f"bodies are nested more than {MAX_BODIES} deep")
        signature = [(tensor.element_type, tensor.shape) for tensor in parameters.values()]
        if self._body_parameters.pop(body, None) != signature or self._variables:
            self._depth += 1
            try:
                self.run(body, parameters)
            finally:
                self._depth -= 1
        self._body_parameters[body] = signature

    def results_of(self, body: Model) -> list[TensorInfo]:
        """Return the inferred tensors of a body's Results."""
        results = []
        for result in body.results:
            source = result.inputs[0].source if result.inputs else None
            results.append(TensorInfo(UNKNOWN.element_type, None) if source is None else self._tensor(source))
        return results

    def _agreed(self, parameter: Node, tensor: TensorInfo) -> TensorInfo:
        """Return the tensor passed to a body's Parameter, or the declared one if its attributes contradict that.

        Which of the two is wrong is unknown.
        """
        self.passed.pop(parameter, None)
        own = parameter.operation
        if own is None or (own.shape.compatible(tensor.shape) and own.element_type.merge(tensor.element_type)):
            return tensor
        self.passed[parameter] = tensor
        return declared_tensor(parameter.outputs[0])

    def infer_bounds(self, node: Node, bounds: Sequence[Bounds | None]) -> list[Bounds | None]:
        """Return the bounds of a node's outputs, given its inputs' bounds."""
        return list(self.operations[node].infer_bounds(*bounds))

    def resolve(self, node: Node, index: int) -> Bounds | None:
        """Return the bounds of a node's output, computed with all that it needs, without recursion."""
        return _Values(self).of(node)[index]


class RunInference(Inference):
    """Inference for the shapes of a run."""

    is_run = True

    def inputs_of(self, node: Node) -> list[TensorInfo | None]:
        """Return the tensors of a node's inputs; a Range from a length to the length plus n counts as one from 0 to n.

        Decoders number the new positions so, from the length of their cache on.
        """
        inputs = super().inputs_of(node)
        first = node.inputs[0].source if node.operation is not None and node.operation.is_a(Range) else None
        count = None if first is None or not _is_length(inputs[0]) else self._added(first, node.inputs[1].source)
        return inputs if count is None else [TensorInfo.of(np.zeros_like(count)), TensorInfo.of(count), *inputs[2:]]

    def _added(self, first: Output, stop: Output | None) -> Array | None:
        """Return the known scalar that is added to one value where another is calculated; None if it is not."""
        if stop is None or not stop.node.operation.is_a(Add):
            return None
        sources = [port.source for port in stop.node.inputs]
        other = sources[1 - sources.index(first)] if first in sources else None
        return None if other is None else self._tensor(other).value


def _is_length(tensor: TensorInfo | None) -> bool:
    """Return whether a tensor is a whole number with known bounds, so that sums do not overflow or round."""
    return tensor is not None and tensor.element_type.is_integer and tensor.bounds is not None


def infer_results(body: Model, parameters: Sequence[TensorInfo]) -> list[TensorInfo]:
    """Return the tensors of a body's Results for the types and shapes of its Parameters in a run."""
    inference = RunInference()
    inference.run(body, dict(zip(body.parameters, parameters, strict=True)))
    return inference.results_of(body)


class _Values:
    """Computes bounds on demand, inputs first, and stops at the first unknown input."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._done: dict[Node, list[Bounds | None]] = {}

    def of(self, node: Node) -> list[Bounds | None]:
        stack: list[tuple[Node, list[Bounds | None]]] = [(node, [])]
        while stack:
            current, bounds = stack[-1]
            waiting = self._advance(current, bounds)
            if waiting is not None:
                stack.append((waiting, []))
                continue
            stack.pop()
            self._done[current] = self._compute(current, bounds)
            self._settle(current)
        return self._done[node]

    def _advance(self, node: Node, bounds: list[Bounds | None]) -> Node | None:
        """Append the bounds of the next inputs to `bounds`, and return the node that must be computed first, if any."""
        tensors = self._inference.tensors
        if not bounds and not self._may_compute(node):
            return None
        while len(bounds) < len(node.inputs) and not (bounds and bounds[-1] is None):
            source = node.inputs[len(bounds)].source
            tensor = UNKNOWN if source is None else tensors.get(source, UNKNOWN)
            if source is None or not tensor.is_pending or source.node.operation is None:
                bounds.append(tensor.bounds if source is not None else None)
            elif source.node in self._done:
                bounds.append(self._done[source.node][source.index])
            else:
                return source.node
        return None

    def _may_compute(self, node: Node) -> bool:
        operation: Operation | None = node.operation
        if operation is None or operation.stateful or operation.subgraphs or node in self._inference.distrusted:
            return False
        return all(_is_small(self._inference.tensors.get(port, UNKNOWN).shape) for port in node.outputs)

    def _compute(self, node: Node, bounds: list[Bounds | None]) -> list[Bounds | None]:
        unknown: list[Bounds | None] = [None] * len(node.outputs)
        if len(bounds) < len(node.inputs) or None in bounds:
            return unknown
        if not node.inputs:
            is_known = self._may_compute(node)
            return [self._inference.tensors[port].bounds for port in node.outputs] if is_known else unknown
        try:
            computed = self._inference.infer_bounds(node, bounds)
        except COMPUTATION_ERRORS:
            return unknown
        return (computed + unknown)[: len(unknown)]

    def _settle(self, node: Node) -> None:
        for port, bounds in zip(node.outputs, self._done[node], strict=True):
            tensor = self._inference.tensors.get(port)
            if tensor is not None:
                tensor.settle(bounds)


def _is_small(shape: PartialShape) -> bool:
    """Return whether a shape has a known number of elements that bounds are computed for."""
    if shape.dims is None:
        return False
    lengths = [dim.upper for dim in shape.dims]
    return 0 in lengths or (shape.is_static and prod(lengths) <= MAX_ELEMENTS)


def specialized(operation: Operation, inputs: Sequence[TensorInfo | None], outputs: Sequence[TensorInfo]) -> Operation:
    """Return an operation bound to the types of its inputs and outputs."""
    return operation.specialize(
        tuple(None if tensor is None else tensor.element_type for tensor in inputs),
        tuple(tensor.element_type for tensor in outputs),
    )


def declared_tensor(port: Output) -> TensorInfo:
    """Return the tensor that the file declares for an output."""
    declared = port.declared
    shape = PartialShape(None) if declared.shape is None else declared.shape
    dims = None if shape.dims is None else shape
    return TensorInfo(declared.element_type or UNKNOWN.element_type, dims)


class _Arity(NamedTuple):
    """How many inputs an operation takes; `most` is None where any number may follow."""

    least: int
    most: int | None
    needs_all: bool
    """Whether the inputs that may follow must be connected: `infer` takes none of them as None."""


def _arity(cls: OperationClass) -> _Arity:
    arity = _ARITIES.get(cls)
    if arity is None:
        parameters = inspect.signature(cls.infer).parameters
        named = [parameter for name, parameter in parameters.items() if name not in ("self", "inference")]
        fixed = [parameter for parameter in named if parameter.kind is not parameter.VAR_POSITIONAL]
        following = next((str(item.annotation) for item in named if item not in fixed), None)
        arity = _ARITIES[cls] = _Arity(
            sum(parameter.default is parameter.empty for parameter in fixed),
            len(fixed) if following is None else None,
            following is not None and following.endswith("TensorInfo"),
        )
    return arity


_ARITIES: WeakKeyDictionary[OperationClass, _Arity] = WeakKeyDictionary()


def check_containers(operation: Operation, inputs: Sequence[TensorInfo | None]) -> None:
    """Raise if an operation on tensors reads a sequence, an optional or a map."""
    if operation.takes_containers or not operation.is_built_in:
        return
    for index, tensor in enumerate(inputs):
        if tensor is not None and tensor.element_type.is_container:
            name = tensor.element_type.name
            raise ShapeError("", f"input {index} has the type {name}; {operation.type} takes tensors")


def check_arity(operation: Operation, inputs: Sequence[TensorInfo | None]) -> None:
    """Raise unless an operation accepts the number of inputs; None stands for an input without an edge."""
    least, most, needs_all = _arity(type(operation))
    count = len(inputs)
    if count < least or (most is not None and count > most):
        expected = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        raise ShapeError("", f"the layer has {count} connected inputs; {operation.type} has {expected}")
    if None in (inputs if needs_all else inputs[:least]):
        raise ShapeError(f"input {inputs.index(None)}", "a required input is not connected")
