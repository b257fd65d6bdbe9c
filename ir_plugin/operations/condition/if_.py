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

    Both bodies produce every output, with equal types. Where `cond` is known, the selected body gives the shape.
    Otherwise the shape covers both, as in OpenVINO: two known lengths of a dimension become an interval, every other
    dimension is dynamic, and so is the rank where the ranks differ (OpenVINO then takes a scalar to be of rank 1).
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
        operands = [cond, *inputs]
        if chosen is not None:
            return self._infer_branch("then_body" if chosen else "else_body", operands, inference)
        then = self._fitting_branch("then_body", operands, inference)
        otherwise = self._fitting_branch("else_body", operands, inference)
        if then is None or otherwise is None:
            return otherwise or then or self._infer_branch("then_body", operands, inference)
        if len(then) != len(otherwise):
            raise ShapeError("", f"then_body gives {len(then)} outputs, else_body {len(otherwise)}")
        return tuple(_either(port, *pair) for port, pair in enumerate(zip(then, otherwise, strict=True)))

    def _fitting_branch(
        self, name: str, inputs: Sequence[TensorInfo | None], inference: InferenceContext
    ) -> tuple[TensorInfo, ...] | None:
        """Return the outputs of a body; None in a run whose shapes do not fit it, so that it must not be selected."""
        try:
            return self._infer_branch(name, inputs, inference)
        except ShapeError:
            if inference.is_run:
                return None
            raise

    def _infer_branch(
        self, name: str, inputs: Sequence[TensorInfo | None], inference: InferenceContext
    ) -> tuple[TensorInfo, ...]:
        subgraph = self._branch(name)
        parameters: list[TensorInfo] = [node.operation.infer() for node in subgraph.body.parameters]
        for entry in subgraph.inputs:
            operand = None if entry.external is None or entry.external >= len(inputs) else inputs[entry.external]
            if operand is None:
                parameter = subgraph.body.parameters[entry.parameter].name
                raise ShapeError("", f'the input for the parameter "{parameter}" of {name} is not connected')
            declared = parameters[entry.parameter].element_type
            element_type = operand.element_type if operand.element_type.is_static else declared
            parameters[entry.parameter] = TensorInfo(element_type, operand.shape)
        results = inference.infer_body(subgraph.body, parameters)
        outputs = {entry.external: results[entry.result] for entry in subgraph.outputs if entry.external is not None}
        unknown = TensorInfo(ElementType.dynamic, None)
        tensors = [outputs.get(port, unknown) for port in range(1 + max(outputs, default=-1))]
        return tuple(TensorInfo(tensor.element_type, tensor.shape) for tensor in tensors)

    def evaluate(self, cond: Array, *inputs: Array | None, context: Context = STANDARD) -> tuple[Array, ...]:
        """Return the outputs."""
        return self.execute([cond, *inputs], context)

    def executions(self, inputs: Sequence[Array | None], context: Context) -> Executions:
        """Request an execution of the body that `cond` selects, and return the outputs."""
        del context
        cond = inputs[0]
        name = "then_body" if cond is not None and bool(cond.reshape(())) else "else_body"
        subgraph = self._branch(name)
        operands = {entry.parameter: inputs[entry.external] for entry in subgraph.inputs if entry.external is not None}
        values = []
        for position, parameter in enumerate(subgraph.body.parameters):
            value = operands.get(position)
            if value is None:
                raise EvaluationError(f'the parameter "{parameter.name}" of {name} has no value')
            values.append(value)
        results = yield subgraph.body, values
        outputs = {entry.external: results[entry.result] for entry in subgraph.outputs if entry.external is not None}
        return tuple(outputs[port] for port in sorted(outputs))


def _either(port: int, then: TensorInfo, otherwise: TensorInfo) -> TensorInfo:
    """Return the type and shape of an output that either body may produce."""
    merged = then.element_type.merge(otherwise.element_type)
    if merged is None:
        raise ShapeError(
            "",
            f"output {port} has the type {then.element_type.name} in then_body, "
            f"{otherwise.element_type.name} in else_body",
        )
    if then.shape.dims is None or otherwise.shape.dims is None or len(then.shape) != len(otherwise.shape):
        return TensorInfo(merged, None)
    return TensorInfo(merged, PartialShape(map(_either_dim, then.shape, otherwise.shape)))


def _either_dim(then: Dimension, otherwise: Dimension) -> Dimension:
    return then.union(otherwise) if then.is_static and otherwise.is_static else Dimension()
