"""Decides which lengths of a model's inputs a plan is specialized to, and which it leaves open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias

from ir_plugin.errors import ShapeError
from ir_plugin.model import Model, Node
from ir_plugin.operations.base import Operation
from ir_plugin.operations.convolution.family import CONVOLUTIONS
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.sequence.gru_cell import GRUCell
from ir_plugin.operations.sequence.gru_sequence import GRUSequence
from ir_plugin.operations.sequence.lstm_cell import LSTMCell
from ir_plugin.operations.sequence.lstm_sequence import LSTMSequence
from ir_plugin.operations.sequence.rnn_cell import RNNCell
from ir_plugin.operations.sequence.rnn_sequence import RNNSequence
from ir_plugin.tensors import Dimension, TensorInfo
from ir_plugin.validation.inference import RunInference

MAX_PATTERNS = 256
"""Patterns of open lengths whose fitness is kept."""

_PRODUCTS = (MatMul, *CONVOLUTIONS)
_CELLS = (LSTMCell, GRUCell, RNNCell)
_SERVED = (*_PRODUCTS, LSTMSequence, GRUSequence, RNNSequence)
"""Operations with weights whose kernels meet a new length in less time than a plan takes."""

_Shape: TypeAlias = "tuple[int | None, ...]"
_Shapes: TypeAlias = "tuple[_Shape, ...]"
"""The shapes of all parameters; None stands for a length that is left open."""


class _Service(Enum):
    """How well a plan with open lengths serves inputs."""

    NONE = "no plan with these lengths open"
    OPEN = "products and convolutions have open lengths, which their kernels serve"
    STATIC = "products with weights keep their shapes"


class ShapeSpecializer:
    """Chooses the lengths of the inputs of a model, or of one of its bodies, that a plan leaves open.

    The shapes alone decide, never the inferences before: kernels for known lengths and for open ones round differently,
    and a compiled model gives one answer for one input.

    A plan takes as long as many inferences, and most lengths change: a text's, or a cache's, which grows with
    each token. So lengths that the model declares open stay open, except for lengths of 1, which are a token, or a
    batch of one sample: their plans serve many inferences. The first dimension, a batch, is fixed where products
    with weights then keep their shapes. Where operations lack kernels for open lengths, each combination of shapes has
    a plan.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.parameters = model.parameters
        """The parameters of the model, kept because the model searches all its layers for them."""
        declared = [node.outputs[0].partial_shape.dims or () for node in self.parameters]
        self._open_axes = [[axis for axis, dim in enumerate(dims) if dim.is_dynamic] for dims in declared]
        self._services: dict[_Shapes, _Service] = {}
        self._lock = threading.Lock()

    def generalize(self, inputs: Sequence[TensorInfo]) -> tuple[Sequence[TensorInfo], RunInference | None]:
        """Return the tensors to compile a plan for, and the inference for them if there has been one.

        They are the inputs themselves, or the inputs with lengths left open.
        """
        inferences: dict[_Shapes, RunInference] = {}

        def service(pattern: _Shapes) -> _Service:
            judged = self._services.get(pattern)
            if judged is None:
                inferences[pattern] = RunInference()
                judged = self._service(self._with_open(inputs, pattern), inferences[pattern])
                self._keep(pattern, judged)
            return judged

        pattern = self._choose(tuple(tensor.shape.lengths() for tensor in inputs), service)
        return self._with_open(inputs, pattern), inferences.get(pattern)

    def pattern_of(self, shapes: _Shapes) -> _Shapes | None:
        """Return the shapes of the plan that serves inputs of these shapes; None before `generalize` has judged it."""
        try:
            return self._choose(shapes, self._services.__getitem__)
        except KeyError:
            return None

    def _choose(self, shapes: _Shapes, service: Callable[[_Shapes], _Service]) -> _Shapes:
        """Return the shapes with the lengths open that one plan serves best; `service` judges them."""
        of_batch, of_all = self._opened(shapes, 1), self._opened(shapes, 0)
        if of_batch not in (shapes, of_all) and service(of_batch) is _Service.STATIC:
            return of_batch
        if of_all != shapes and service(of_all) is not _Service.NONE:
            return of_all
        if of_batch not in (shapes, of_all) and service(of_batch) is _Service.OPEN:
            return of_batch
        return shapes

    def _opened(self, shapes: _Shapes, first_axis: int) -> _Shapes:
        """Return the shapes with the lengths open that the model declares so, from an axis on, but for 0 and 1."""
        return tuple(
            tuple(
                None if length and length > 1 and axis >= first_axis and axis in axes else length
                for axis, length in enumerate(shape)
            )
            for axes, shape in zip(self._open_axes, shapes, strict=True)
        )

    def _service(self, inputs: Sequence[TensorInfo], inference: RunInference) -> _Service:
        """Return how well a plan with open lengths serves the inputs."""
        products = self._weighted(inputs, inference)
        changed = [operation for operation, is_static in products if not is_static]
        if not products or not all(operation.is_a(*_SERVED) for operation in changed):
            return _Service.NONE
        return _Service.OPEN if changed else _Service.STATIC

    def _keep(self, pattern: _Shapes, service: _Service) -> None:
        with self._lock:
            self._services[pattern] = service
            while len(self._services) > MAX_PATTERNS:
                del self._services[next(iter(self._services))]

    def _with_open(self, inputs: Sequence[TensorInfo], shapes: _Shapes) -> list[TensorInfo]:
        """Return the inputs with the dimensions that the parameters declare in place of open lengths."""
        generalized = []
        for node, tensor, shape in zip(self.parameters, inputs, shapes, strict=True):
            declared = node.outputs[0].partial_shape
            dims = [Dimension()] * len(shape) if declared.dims is None else list(declared)
            lengths = [dim if length is None else Dimension(length) for length, dim in zip(shape, dims, strict=True)]
            generalized.append(tensor.with_shape(lengths) if None in shape else tensor)
        return generalized

    def _weighted(self, inputs: Sequence[TensorInfo], inference: RunInference) -> list[tuple[Operation, bool]]:
        """Return for each product with weights its operation and whether its shapes are static.

        It returns nothing for a model with bodies.
        """
        try:
            tensors = inference.run(self._model, dict(zip(self.parameters, inputs, strict=True)))
        except ShapeError:
            return []
        constant: set[Node] = set()
        products = []
        for node in self._model.ordered():
            sources = [port.source.node for port in node.inputs if port.source is not None]
            if node.operation.is_a(Const) or (sources and constant.issuperset(sources)):
                constant.add(node)
            elif node.operation.is_a(*_SERVED, *_CELLS) and constant.intersection(sources):
                is_static = all(tensors[port].shape.is_static for port in node.outputs)
                products.append((node.operation, is_static))
            elif node.operation.subgraphs:
                return []
        return products
