"""Texts that are joined, split, matched and normalized, of the extension. ONNX: StringConcat-20 and others."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import broadcast, require_rank
from ir_plugin.operations.strings.automaton import Automaton, automaton_of
from ir_plugin.operations.strings.characters import PatternError
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.containers import vector_of


def _like(array: Array, items: list[str]) -> Array:
    return vector_of(items).reshape(array.shape)


class StringConcat(Operation, version="extension"):
    """Each text of `left` concatenated with the text of `right`, broadcast as in NumPy."""

    widen = False

    def infer(self, left: TensorInfo, right: TensorInfo) -> TensorInfo:
        """Return texts of the common shape."""
        require_type("left", left, "string")
        require_type("right", right, "string")
        return TensorInfo(ElementType.string, broadcast(left.shape, right.shape, ("left", "right")))

    def evaluate(self, left: Array, right: Array) -> Array:
        """Return the joined texts."""
        first, second = np.broadcast_arrays(left, right)
        pairs = zip(first.reshape(-1).tolist(), second.reshape(-1).tolist(), strict=True)
        return _like(first, [a + b for a, b in pairs])


class StringSplit(Operation, version="extension"):
    """The parts of each text on a new last axis, filled up with empty texts, and how many it has.

    An empty `delimiter` splits at runs of white space. `maxsplit` is the largest number of splits, -1 for any.
    """

    widen = False

    delimiter: str
    maxsplit: int

    def infer(self, data: TensorInfo) -> tuple[TensorInfo, TensorInfo]:
        """Return texts with another axis, and numbers."""
        require_type("data", data, "string")
        shape = None if data.shape.dims is None else PartialShape([*data.shape, -1])
        return TensorInfo(ElementType.string, shape), TensorInfo(ElementType.i64, data.shape)

    def evaluate(self, data: Array) -> tuple[Array, Array]:
        """Return the parts and their numbers."""
        parts = [text.split(self.delimiter or None, self.maxsplit) for text in data.reshape(-1).tolist()]
        numbers = np.array([len(items) for items in parts], np.int64).reshape(data.shape)
        width = max(map(len, parts), default=0)
        padded = [item for items in parts for item in [*items, *[""] * (width - len(items))]]
        return vector_of(padded).reshape(*data.shape, width), numbers


class RegexFullMatch(Operation, version="extension"):
    """Whether the regular expression `pattern` matches the whole of each text.

    Expressions have RE2's syntax and are matched in time linear in the text. Scripts such as Greek and single
    bytes (the escape C) are refused.
    """

    widen = False

    pattern: str

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return booleans of the same shape."""
        require_type("data", data, "string")
        self._compiled()
        return TensorInfo(ElementType.boolean, data.shape)

    def _compiled(self) -> Automaton:
        try:
            return automaton_of(self.pattern)
        except PatternError as fault:
            text = f"pattern {self.pattern!r} is not a regular expression of RE2: {fault}"
            raise ShapeError("pattern", text) from None

    def evaluate(self, data: Array) -> Array:
        """Return whether there are matches."""
        pattern = self._compiled()
        matches = [pattern.matches(text) for text in data.reshape(-1).tolist()]
        return np.array(matches, np.bool_).reshape(data.shape)


class StringNormalizer(Operation, version="extension"):
    """The texts of a vector, or of the only row of a matrix, without stop words and in one case; `""` for none."""

    widen = False

    case_change_action: str
    is_case_sensitive: bool

    def infer(self, data: TensorInfo, stopwords: TensorInfo) -> TensorInfo:
        """Return texts of the same rank."""
        require_type("data", data, "string")
        require_type("stopwords", stopwords, "string")
        require_rank("data", data.shape, 1, 2)
        shape = data.shape
        if shape.dims is None:
            return TensorInfo(ElementType.string, None)
        if len(shape) == 2 and not shape[0].contains(1):
            raise ShapeError("data", f"data has the shape {shape}; a matrix must have one row")
        return TensorInfo(ElementType.string, [1, -1] if len(shape) == 2 else [-1])

    def evaluate(self, data: Array, stopwords: Array) -> Array:
        """Return the texts that are left."""
        if data.ndim == 2 and len(data) != 1:
            raise EvaluationError(f"data has {len(data)} rows; a matrix must have one")
        compared = (lambda text: text) if self.is_case_sensitive else str.lower
        stops = {compared(text) for text in stopwords.reshape(-1).tolist()}
        change = {"lower": str.lower, "upper": str.upper}.get(self.case_change_action.lower(), lambda text: text)
        rest = [change(text) for text in data.reshape(-1).tolist() if compared(text) not in stops]
        return vector_of(rest or [""]).reshape((1, -1) if data.ndim == 2 else -1)
