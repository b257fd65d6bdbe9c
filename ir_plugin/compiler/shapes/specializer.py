"""For which lengths of its inputs a model gets a plan of its own, and which of them one plan leaves open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeAlias

from ir_plugin.errors import ShapeError
from ir_plugin.model import Model, Node
from ir_plugin.tensors import Dimension, TensorInfo
from ir_plugin.validation.inference import Inference

MAX_SEEN = 32
"""Combinations of shapes that are remembered, to find out which lengths change."""

WEIGHTED = frozenset(
    [
        "MatMul",
        "Convolution",
        "GroupConvolution",
        "ConvolutionBackpropData",
        "GroupConvolutionBackpropData",
        "LSTMSequence",
        "GRUSequence",
        "RNNSequence",
        "LSTMCell",
        "GRUCell",
        "RNNCell",
    ]
)
"""Operations that have weights, which are most of the work."""

_Shape: TypeAlias = "tuple[int | None, ...]"
_Shapes: TypeAlias = "tuple[_Shape, ...]"
"""Lengths of all parameters; None for one that is left open."""


class ShapeSpecializer:
    """Remembers the shapes that a model, or one of its bodies, was asked for.

    A decoder reads one token at a time behind ever more that it has read, of which only a mask and the cached keys and
    values say how many. A plan for each number would cost more than the inference. One with that length left open
    serves them all: products with weights, and all that is done to the token, have the same shapes.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.parameters = model.parameters
        """Those of the model, which looks for them among all its layers."""
        self._own: OrderedDict[_Shapes, None] = OrderedDict()
        self._open: list[_Shapes] = []
        self._rejected: set[_Shapes] = set()
        self._lock = threading.Lock()

    def generalize(self, inputs: Sequence[TensorInfo]) -> Sequence[TensorInfo]:
        """Return tensors for which to make a plan for these: the same, or with lengths that are open."""
        shapes: _Shapes = tuple(tuple(tensor.shape.to_shape()) for tensor in inputs)
        with self._lock:
            return self._with_open(inputs, self._chosen(shapes, inputs))

    def _chosen(self, shapes: _Shapes, inputs: Sequence[TensorInfo]) -> _Shapes:
        if shapes in self._own:
            self._own.move_to_end(shapes)
            return shapes
        for known in self._open:
            if _matches(shapes, known):
                return known
        joined = [found for found in (_joined(shapes, own) for own in self._own) if found is not None]
        nearest = min(joined, key=_open_lengths, default=None)
        if nearest is not None and nearest not in self._rejected:
            before, after = (self._weighted(given) for given in (inputs, self._with_open(inputs, nearest)))
            if before and before == after:
                self._open.append(nearest)
                return nearest
            self._rejected.add(nearest)
        self._own[shapes] = None
        while len(self._own) > MAX_SEEN:
            self._own.popitem(last=False)
        return shapes

    def _with_open(self, inputs: Sequence[TensorInfo], shapes: _Shapes) -> list[TensorInfo]:
        """Return the inputs; an open length may be what the parameter declares."""
        found = []
        for node, tensor, shape in zip(self.parameters, inputs, shapes, strict=True):
            declared = node.outputs[0].partial_shape
            dims = [Dimension()] * len(shape) if declared.dims is None else list(declared)
            lengths = [wide if length is None else Dimension(length) for length, wide in zip(shape, dims, strict=True)]
            found.append(tensor.with_shape(lengths) if None in shape else tensor)
        return found

    def _weighted(self, inputs: Sequence[TensorInfo]) -> list[bool]:
        """Return for all products with weights whether their shapes are known before the run; nothing for loops."""
        try:
            tensors = Inference().run(self._model, dict(zip(self.parameters, inputs, strict=True)))
        except ShapeError:
            return []
        constant: set[Node] = set()
        found = []
        for node in self._model.ordered():
            sources = [port.source.node for port in node.inputs if port.source is not None]
            if node.operation.type == "Const" or (sources and constant.issuperset(sources)):
                constant.add(node)
            elif node.operation.type in WEIGHTED and constant.intersection(sources):
                found.append(all(tensors[port].shape.is_static for port in node.outputs))
            elif node.operation.subgraphs:
                return []
        return found


def _matches(shapes: _Shapes, known: _Shapes) -> bool:
    return all(
        len(shape) == len(other) and all(open in (None, length) for length, open in zip(shape, other, strict=True))
        for shape, other in zip(shapes, known, strict=True)
    )


def _joined(shapes: _Shapes, own: _Shapes) -> _Shapes | None:
    """Return the shapes with the lengths left open in which they differ from others of the same ranks."""
    if any(len(shape) != len(other) for shape, other in zip(shapes, own, strict=True)):
        return None
    return tuple(
        tuple(length if length == before else None for length, before in zip(shape, other, strict=True))
        for shape, other in zip(shapes, own, strict=True)
    )


def _open_lengths(shapes: _Shapes) -> int:
    return sum(length is None for shape in shapes for length in shape)
