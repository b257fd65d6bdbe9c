"""A pass that replaces recurrent sequences by TensorIterators over cells."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.compiler.model_rewriter import build, constant, constant_values, drop_unused, substitute
from ir_plugin.model import Node, Output
from ir_plugin.model.graph import Model as Graph
from ir_plugin.model.graph import SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.openvino.passes.cells import STATES, cell_of
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.infrastructure.tensor_iterator import TensorIterator
from ir_plugin.operations.shape.squeeze import Squeeze1
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.opsets.nodes import new_node
from ir_plugin.tensors import ElementType, PartialShape, frozen


class ConvertSequenceToTensorIterator(BuiltInPass, name="ConvertSequenceToTensorIterator"):
    """Replaces LSTMSequence, GRUSequence and RNNSequence of one direction by a TensorIterator over a cell.

    A sequence stays if it has two directions, or a batch whose sequences may be shorter than the input.
    """

    def transform(self, graph: Graph) -> bool:
        """Change a model, and return whether it was changed."""
        sequences = [node for node in graph.ordered() if node.is_a(*STATES.definitions) and _is_plain(node)]
        for node in sequences:
            _replace(node)
        drop_unused(graph)
        return bool(sequences)


def _is_plain(node: Node) -> bool:
    """Return whether a sequence has one direction, and its constant lengths all equal the length of the input."""
    if node.operation.direction.lower() == "bidirectional":
        return False
    lengths = constant_values(node.inputs[1 + len(STATES[node.operation])].source)
    dims = node.inputs[0].tensor_info.shape.dims
    if lengths is None or dims is None or dims[1].is_dynamic:
        return False
    return set(lengths.tolist()) == {dims[1].lower}


def _replace(node: Node) -> None:
    states = len(STATES[node.operation])
    sources = node.input_values()
    first, second = constant([0], ElementType.i32), constant([1], ElementType.i32)
    carried = [_of(Squeeze1, source, second) for source in sources[1 : 1 + states]]
    weights = [_of(Squeeze1, source, first) for source in sources[2 + states : 5 + states]]
    iterator = _iterator(node, sources[0], carried, weights)
    outputs = [_of(Unsqueeze, output, second) for output in iterator.outputs]
    for index, (old, new) in enumerate(zip(node.outputs, outputs, strict=True)):
        new.node.name = f"{node.name}.{index}"
        substitute(old, new)


def _of(definition: OperationClass, source: Output, axes: Output) -> Output:
    """Return a Squeeze or Unsqueeze of an output."""
    return build(definition, [source, axes]).outputs[0]


def _iterator(node: Node, data: Output, states: Sequence[Output], weights: Sequence[Output]) -> Node:
    """Return the TensorIterator: its outputs are all hidden states, and the last ones."""
    axis = constant([1], ElementType.i32)
    dims = list(data.partial_shape)
    step = _parameter(PartialShape([dims[0], 1, *dims[2:]]), data.element_type)
    inner = [_parameter(source.partial_shape, source.element_type) for source in (*states, *weights)]
    cell = cell_of(node, [_of(Squeeze1, step.outputs[0], axis), *(parameter.outputs[0] for parameter in inner)])
    values = [_of(Unsqueeze, cell.outputs[0], axis), *cell.outputs]
    results = [new_node("Result", Result(), [value], None) for value in values]
    order = Graph("body", [step, *inner, *results]).ordered()
    body = Graph("body", [step, *inner, *(n for n in order if n not in {step, *inner, *results}), *results])
    start, end, stride = (-1, 0, -1) if node.operation.direction.lower() == "reverse" else (0, -1, 1)
    inputs = [SubGraphInput(0, 0, 1, start, end, stride, 1)]
    inputs += [SubGraphInput(index, index) for index in range(1, 1 + len(inner))]
    outputs = [SubGraphOutput(0, 0, 1, start, end, stride, 1)]
    outputs += [SubGraphOutput(index, index) for index in range(1, len(results))]
    operation = TensorIterator()
    back_edges = [(index, index) for index in range(1, 1 + len(states))]
    operation.subgraphs = {"body": SubGraph(body, inputs, outputs, back_edges)}
    return new_node(operation.type, operation, [data, *states, *weights], node.name)


def _parameter(shape: PartialShape, element_type: ElementType) -> Node:
    return new_node("Parameter", Parameter(shape=frozen(shape), element_type=element_type), [], None)
