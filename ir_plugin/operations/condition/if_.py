"""If: one of two bodies. Specification: condition/If-8."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.model import SubGraph
from ir_plugin.operations.bodies import BodyOperation, Executions
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.context import STANDARD, Context, InferenceContext
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape, TensorInfo


class If(BodyOperation, version=8):
    """The outputs of the then_body where `cond` is true, of the else_body otherwise.

    Both bodies give every output, with equal types. The shape is that of the body to be executed where `cond` is known;
    otherwise it holds both: a dimension of which two lengths are known is the interval between them, any other may be
    any, as OpenVINO has it, and ranks that differ make the rank any (OpenVINO takes a scalar to be of rank 1 then).
    """

    def _branch(self, name: str) -> SubGraph:
        if name not in self.subgraphs:
            raise ShapeError("", f"the layer has no {name}")
        return self.subgraphs[name]

    def infer(
        self, cond: TensorInfo, *inputs: TensorInfo | None, inference: InferenceContext
    ) -> tuple[TensorInfo, ...]:
        """Return the outputs."""
        require_type("cond", cond, "boolean")
        require_rank("cond", cond.shape, 0, 1)
        chosen = scalar_of("cond", cond)
        every = [cond, *inputs]
        if chosen is not None:
            return self._infer_branch("then_body" if chosen else "else_body", every, inference)
        then = self._infer_branch("then_body", every, inference)
        other = self._infer_branch("else_body", every, inference)
        if len(then) != len(other):
            raise ShapeError("", f"then_body gives {len(then)} outputs, else_body {len(other)}")
        return tuple(_either(place, *pair) for place, pair in enumerate(zip(then, other, strict=True)))

    def _infer_branch(
        self, name: str, inputs: Sequence[TensorInfo | None], inference: InferenceContext
    ) -> tuple[TensorInfo, ...]:
        subgraph = self._branch(name)
        parameters: list[TensorInfo] = [node.operation.infer() for node in subgraph.body.parameters]
        for entry in subgraph.inputs:
            given = None if entry.external is None or entry.external >= len(inputs) else inputs[entry.external]
            if given is None:
                parameter = subgraph.body.parameters[entry.parameter].name
                raise ShapeError("", f'the input for the parameter "{parameter}" of {name} is not connected')
            declared = parameters[entry.parameter].element_type
            known = given.element_type if given.element_type.is_static else declared
            parameters[entry.parameter] = TensorInfo(known, given.shape)
        results = inference.infer_body(subgraph.body, parameters)
        outputs = {entry.external: results[entry.result] for entry in subgraph.outputs if entry.external is not None}
        unknown = TensorInfo(ElementType.dynamic, None)
        found = [outputs.get(place, unknown) for place in range(1 + max(outputs, default=-1))]
        return tuple(TensorInfo(tensor.element_type, tensor.shape) for tensor in found)

    def evaluate(self, cond: Array, *inputs: Array | None, context: Context = STANDARD) -> tuple[Array, ...]:
        """Return the outputs."""
        return self.execute([cond, *inputs], context)

    def executions(self, inputs: Sequence[Array | None], context: Context) -> Executions:
        """Ask for an execution of the body that `cond` chooses, and return the outputs."""
        del context
        cond = inputs[0]
        name = "then_body" if cond is not None and bool(cond.reshape(())) else "else_body"
        subgraph = self._branch(name)
        given = {entry.parameter: inputs[entry.external] for entry in subgraph.inputs if entry.external is not None}
        values = []
        for place, parameter in enumerate(subgraph.body.parameters):
            value = given.get(place)
            if value is None:
                raise EvaluationError(f'the parameter "{parameter.name}" of {name} has no value')
            values.append(value)
        results = yield subgraph.body, values
        outputs = {entry.external: results[entry.result] for entry in subgraph.outputs if entry.external is not None}
        return tuple(outputs[place] for place in sorted(outputs))


def _either(place: int, then: TensorInfo, other: TensorInfo) -> TensorInfo:
    """Return what is known of an output that is one of two."""
    merged = then.element_type.merge(other.element_type)
    if merged is None:
        raise ShapeError(
            "", f"output {place} has the type {then.element_type} in then_body, {other.element_type} in else_body"
        )
    if then.shape.dims is None or other.shape.dims is None or len(then.shape) != len(other.shape):
        return TensorInfo(merged, None)
    return TensorInfo(merged, PartialShape(map(_either_dim, then.shape, other.shape)))


def _either_dim(then: Dimension, other: Dimension) -> Dimension:
    return then.union(other) if then.is_static and other.is_static else Dimension()
