"""The compiler's graph: values and ops, built from a model and its inferred tensors, and changed by passes."""

from __future__ import annotations

from ir_plugin.compiler.graph_text import to_text
from ir_plugin.compiler.op import EpilogueOp, Op, Value
from ir_plugin.compiler.verifier import verify
from ir_plugin.compiler.weight_cache import WeightCache
from ir_plugin.errors import Error
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import TensorInfo
from ir_plugin.validation.inference import Inference


class GraphError(Error):
    """A pass left the graph inconsistent."""


class Graph:
    """Ops in topological order, with the parameters and the results of the model.

    Only `compiler.rewriter` changes which op reads which value.
    """

    def __init__(self, model: Model, inference: Inference, weight_cache: WeightCache | None = None) -> None:
        self.model = model
        self.weight_cache = weight_cache or WeightCache()
        self.ops: list[Op] = []
        self.parameters: list[Value] = []
        self.results: list[Value] = []
        self.folded: list[Node] = []
        """Layers whose values became constants."""
        values: dict[Output, Value] = {}
        for node in model.ordered():
            for port in node.outputs:
                values[port] = _value(inference.tensors[port], port)
            if node.operation.is_a(Parameter, Result):
                continue
            inputs = [None if port.source is None else values[port.source] for port in node.inputs]
            outputs, misses = [values[port] for port in node.outputs], node in inference.missing_values
            self.append(Op(inference.operations[node], inputs, outputs, [node], misses_values=misses))
        self.parameters = [values[node.outputs[0]] for node in model.parameters]
        for node in model.results:
            source = node.inputs[0].source
            if source is not None:
                values[source].is_result = True
                self.results.append(values[source])

    def append(self, op: Op) -> None:
        """Add an op at the end, as a user of its operands and the producer of its outputs."""
        self.ops.append(op)
        op.attach()

    def verify(self) -> None:
        """Raise `GraphError` unless uses, producers, order, types and shapes are consistent."""
        problems = verify(self.parameters, self.ops, self.results)
        if problems:
            raise GraphError("the graph is inconsistent: " + "; ".join(problems[:8]))

    def to_text(self) -> str:
        """Return the graph as text, one op a line, for tests and `--dump-passes`."""
        return to_text(self.parameters, self.ops, self.results)


def _value(tensor: TensorInfo, port: Output) -> Value:
    shape = tensor.shape
    return Value(tensor.element_type, shape.lengths() if shape.is_static else None, tensor=tensor, port=port)


__all__ = ["EpilogueOp", "Graph", "GraphError", "Op", "Value"]
