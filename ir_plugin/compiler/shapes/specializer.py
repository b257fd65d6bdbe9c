"""Decides which lengths of a model's inputs a plan is specialized to, and which it leaves open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeAlias

from ir_plugin.errors import ShapeError
from ir_plugin.model import Model, Node
from ir_plugin.tensors import Dimension, TensorInfo
from ir_plugin.validation.inference import RunInference

MAX_SEEN = 32
"""Combinations of shapes that are remembered, to see which lengths change."""

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

SERVED = frozenset(type for type in WEIGHTED if not type.endswith("Cell"))
"""Those of them whose kernels meet a new length in less time than a plan takes."""

MAX_OWN = 4
"""Combinations of shapes that get plans of their own before a length of 1 is left open and products of rows with it.

One row is a decoder's token, or one sample, and its plan serves many inferences.
"""

MAX_OWN_OF_MANY = 1
"""The same for lengths that are never 1, as those of texts."""

FREQUENT = 4
"""Inferences with the same shapes from which they get a plan of their own, though an open one serves them."""

_Shape: TypeAlias = "tuple[int | None, ...]"
_Shapes: TypeAlias = "tuple[_Shape, ...]"
"""The shapes of all parameters; None stands for a length that is left open."""


class ShapeSpecializer:
    """Remembers the input shapes of a model, or of one of its bodies, and generalizes those that keep changing.

    A decoder reads one token at a time; the lengths of its mask and of its cached keys and values grow with each. A
    plan for each length would cost more than the inference. One plan with that length left open serves them all, as
    products with weights and the operations on the token keep their shapes.

    Where products with weights change their shapes, kernels for their shapes are faster, but a plan takes as long as
    many inferences. The first plan leaves open what the model declares so, but for the first dimension, which most
    callers keep, and lengths of 1; it serves all lengths until one of them becomes frequent. Where other lengths
    change, the first combinations get plans of their own, and then one serves all others, if only products and
    convolutions change.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.parameters = model.parameters
        """The parameters of the model, kept because the model searches all its layers for them."""
        self._own: OrderedDict[_Shapes, None] = OrderedDict()
        self._open: list[_Shapes] = []
        self._first: set[_Shapes] = set()
        """Those of them that leave declared lengths open, and serve no lengths of 1."""
        self._rejected: dict[_Shapes, int] = {}
        """Patterns that leave shapes of products open: how many combinations fit them; 0 where none may use them."""
        self._counts: OrderedDict[_Shapes, int] = OrderedDict()
        """How often an open plan with open products has served a combination of shapes."""
        self._inference: RunInference | None = None
        """The inference for the pattern that was chosen last, if that needed one."""
        self._lock = threading.Lock()

    def generalize(self, inputs: Sequence[TensorInfo]) -> tuple[Sequence[TensorInfo], RunInference | None]:
        """Return the tensors to compile a plan for, and the inference for them if there has been one.

        They are the inputs themselves, or the inputs with lengths left open.
        """
        shapes: _Shapes = tuple(tuple(tensor.shape.to_shape()) for tensor in inputs)
        with self._lock:
            tensors = self._with_open(inputs, self._chosen(shapes, inputs))
            inference, self._inference = self._inference, None
            return tensors, inference

    def pattern_of(self, shapes: _Shapes) -> _Shapes | None:
        """Return the shapes of the plan that serves inputs of these shapes; None before `generalize` has chosen it.

        It waits for no lock: a forked process would wait for ever for one that another thread of its parent held.
        """
        if shapes in self._own:
            return shapes
        pattern = self._matching(shapes)
        if pattern is None or pattern not in self._rejected or not self._lock.acquire(blocking=False):
            return pattern
        try:
            if not self._is_frequent(shapes):
                return pattern
            self._keep_own(shapes)
            return shapes
        finally:
            self._lock.release()

    def _matching(self, shapes: _Shapes) -> _Shapes | None:
        """Return the pattern of the fewest open lengths that the shapes match."""
        candidates = (pattern for pattern in self._open if _matches(shapes, pattern, pattern not in self._first))
        return min(candidates, key=_open_lengths, default=None)

    def _is_frequent(self, shapes: _Shapes) -> bool:
        """Count an inference, and return whether there have been many with these shapes."""
        self._counts[shapes] = self._counts.get(shapes, 0) + 1
        self._counts.move_to_end(shapes)
        while len(self._counts) > MAX_SEEN:
            self._counts.popitem(last=False)
        return self._counts[shapes] > FREQUENT

    def _keep_own(self, shapes: _Shapes) -> None:
        self._own[shapes] = None
        while len(self._own) > MAX_SEEN:
            self._own.popitem(last=False)

    def _chosen(self, shapes: _Shapes, inputs: Sequence[TensorInfo]) -> _Shapes:
        if shapes in self._own:
            self._own.move_to_end(shapes)
            return shapes
        pattern = self._matching(shapes)
        if pattern is not None:
            return pattern
        candidates = [(_joined(shapes, earlier), earlier) for earlier in (*self._own, *self._open)]
        joined = {pattern: earlier for pattern, earlier in candidates if pattern and pattern not in self._open}
        nearest = min(joined, key=_open_lengths, default=None)
        most = 0 if nearest is None else MAX_OWN if _opens_single(shapes, joined[nearest]) else MAX_OWN_OF_MANY
        if nearest is not None and self._may_open(nearest, inputs, most):
            self._open.append(nearest)
            return nearest
        first = self._as_declared(shapes)
        if first != shapes and self._serves_others(first, inputs):
            self._open.append(first)
            self._first.add(first)
            return first
        self._keep_own(shapes)
        return shapes

    def _may_open(self, pattern: _Shapes, inputs: Sequence[TensorInfo], most: int) -> bool:
        """Return whether a plan with open lengths is to serve these inputs and others from now on.

        At `most` so many combinations get plans of their own before products of rows are left open.
        """
        if pattern not in self._rejected:
            before, after = (
                self._weighted(tensors, RunInference()) for tensors in (inputs, self._with_open(inputs, pattern))
            )
            if before and before == after:
                return True
            pairs = zip(before, after, strict=False)
            changed = [type for (type, is_static), (_, stays_static) in pairs if is_static and not stays_static]
            is_served = bool(changed) and len(before) == len(after) and SERVED.issuperset(changed)
            self._rejected[pattern] = 1 if is_served else 0
        if self._rejected[pattern]:
            self._rejected[pattern] += 1
        return self._rejected[pattern] > most

    def _as_declared(self, shapes: _Shapes) -> _Shapes:
        """Return the shapes with those lengths open that the model declares so, but for the first ones and for 1."""
        shapes_as_declared = []
        for node, shape in zip(self.parameters, shapes, strict=True):
            dims = node.outputs[0].tensor_info.shape.dims or ()
            is_open = [axis > 0 and dim.is_dynamic for axis, dim in enumerate(dims)] or [False] * len(shape)
            pairs = zip(shape, is_open, strict=True)
            shapes_as_declared.append(
                tuple(None if free and length and length > 1 else length for length, free in pairs)
            )
        return tuple(shapes_as_declared)

    def _serves_others(self, pattern: _Shapes, inputs: Sequence[TensorInfo]) -> bool:
        """Return whether a plan with open lengths serves the first and all other inputs well."""
        if pattern not in self._rejected:
            inference = RunInference()
            products = self._weighted(self._with_open(inputs, pattern), inference)
            changed = {type for type, is_static in products if not is_static}
            if changed or not products:
                self._rejected[pattern] = 1 if changed and SERVED.issuperset(changed) else 0
            self._inference = inference if self._rejected.get(pattern, 1) else None
        return self._rejected.get(pattern, 1) > 0

    def _with_open(self, inputs: Sequence[TensorInfo], shapes: _Shapes) -> list[TensorInfo]:
        """Return the inputs with the dimensions that the parameters declare in place of open lengths."""
        generalized = []
        for node, tensor, shape in zip(self.parameters, inputs, shapes, strict=True):
            declared = node.outputs[0].partial_shape
            dims = [Dimension()] * len(shape) if declared.dims is None else list(declared)
            lengths = [dim if length is None else Dimension(length) for length, dim in zip(shape, dims, strict=True)]
            generalized.append(tensor.with_shape(lengths) if None in shape else tensor)
        return generalized

    def _weighted(self, inputs: Sequence[TensorInfo], inference: RunInference) -> list[tuple[str, bool]]:
        """Return for each product with weights its type and whether its shapes are static.

        It returns nothing for a model with bodies.
        """
        try:
            tensors = inference.run(self._model, dict(zip(self.parameters, inputs, strict=True)))
        except ShapeError:
            return []
        constant: set[Node] = set()
        known_before_run = []
        for node in self._model.ordered():
            sources = [port.source.node for port in node.inputs if port.source is not None]
            if node.operation.type == "Const" or (sources and constant.issuperset(sources)):
                constant.add(node)
            elif node.operation.type in WEIGHTED and constant.intersection(sources):
                is_static = all(tensors[port].shape.is_static for port in node.outputs)
                known_before_run.append((node.operation.type, is_static))
            elif node.operation.subgraphs:
                return []
        return known_before_run


def _matches(shapes: _Shapes, pattern: _Shapes, serves_single: bool) -> bool:
    for shape, expected in zip(shapes, pattern, strict=True):
        if shape != expected and not (
            len(shape) == len(expected)
            and all(
                fixed == length or (fixed is None and (serves_single or length != 1))
                for length, fixed in zip(shape, expected, strict=True)
            )
        ):
            return False
    return True


def _joined(shapes: _Shapes, own: _Shapes) -> _Shapes | None:
    """Return the shapes with the lengths open that differ from those of `own`; None where ranks differ."""
    if any(len(shape) != len(before) for shape, before in zip(shapes, own, strict=True)):
        return None
    return tuple(
        tuple(length if length == earlier else None for length, earlier in zip(shape, before, strict=True))
        for shape, before in zip(shapes, own, strict=True)
    )


def _opens_single(shapes: _Shapes, own: _Shapes) -> bool:
    """Return whether shapes differ in a length that is 1 in either."""
    pairs = [pair for shape, before in zip(shapes, own, strict=True) for pair in zip(shape, before, strict=True)]
    return any(length != before and 1 in (length, before) for length, before in pairs)


def _open_lengths(shapes: _Shapes) -> int:
    return sum(length is None for shape in shapes for length in shape)
