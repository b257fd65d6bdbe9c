"""Maps from and to tensors, of the extension. ONNX: ai.onnx.ml's CastMap-1, DictVectorizer-1 and ZipMap-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import item_type, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.containers import vector_of


def _row(values: list[Any], element_type: ElementType) -> Array:
    """Return values as the only row of a matrix."""
    if element_type is ElementType.string:
        return vector_of(map(str, values)).reshape(1, -1)
    try:
        return np.array([values], element_type.dtype).reshape(1, -1)
    except (ValueError, TypeError, OverflowError) as fault:
        raise EvaluationError(f"the values of the map are no {element_type.name}: {fault}") from None


class CastMap(Operation, version="extension"):
    """The values of a map in the order of its keys, or with `map_form` sparse, each in the column of its key."""

    takes_containers = True
    widen = False

    cast_to: ElementType
    map_form: str
    max_map: int

    def infer(self, map: TensorInfo) -> TensorInfo:
        """Return one row."""
        item_type("map", map, "map")
        return TensorInfo(self.cast_to, [1, self.max_map if self.map_form == "sparse" else -1])

    def evaluate(self, map: Array) -> Array:
        """Return the values."""
        items = sorted(map[0].items())
        if self.map_form != "sparse":
            return _row([self._cast(value) for _, value in items], self.cast_to)
        row: list[Any] = ["" if self.cast_to is ElementType.string else 0] * self.max_map
        for key, value in items:
            if not 0 <= key < self.max_map:
                raise EvaluationError(f"the map has the key {key}; max_map allows [0, {self.max_map - 1}]")
            row[key] = self._cast(value)
        return _row(row, self.cast_to)

    def _cast(self, value: Any) -> Any:
        try:
            return int(float(value)) if self.cast_to is ElementType.i64 else value
        except (ValueError, OverflowError) as fault:
            raise EvaluationError(f"the value {value!r} of the map is not an i64: {fault}") from None


class DictVectorizer(Operation, version="extension"):
    """The value of each key of `vocabulary`, or 0 or an empty text for a key that the map lacks."""

    takes_containers = True
    widen = False

    def infer(self, map: TensorInfo, vocabulary: TensorInfo) -> TensorInfo:
        """Return one row."""
        require_type("vocabulary", vocabulary, "i64", "string")
        require_rank("vocabulary", vocabulary.shape, 1)
        length = vocabulary.shape[0] if vocabulary.shape.dims is not None else -1
        return TensorInfo(item_type("map", map, "map"), [1, length])

    def evaluate(self, map: Array, vocabulary: Array) -> Array:
        """Return the values."""
        element_type = self.output_types[0]
        absent = "" if element_type is ElementType.string else 0
        return _row([map[0].get(key, absent) for key in vocabulary.tolist()], element_type)


class ZipMap(Operation, version="extension"):
    """For each row the map from labels to its elements."""

    widen = False

    def infer(self, data: TensorInfo, labels: TensorInfo) -> TensorInfo:
        """Return a sequence of maps."""
        require_type("data", data, "f32")
        require_type("labels", labels, "i64", "string")
        require_rank("data", data.shape, 1, 2)
        shape = data.shape
        if shape.dims is not None and not shape[-1].compatible(labels.shape[0]):
            raise ShapeError("labels", f"there are {labels.shape[0]} labels for {shape[-1]} columns")
        number = shape[0] if shape.dims is not None and len(shape) == 2 else -1
        return TensorInfo(ElementType(f"sequence_map_{labels.element_type.name}_f32"), [number])

    def evaluate(self, data: Array, labels: Array) -> Array:
        """Return a vector of dictionaries."""
        names = labels.tolist()
        if data.shape[-1] != len(names):
            raise EvaluationError(f"there are {len(names)} labels for {data.shape[-1]} columns")
        return vector_of(dict(zip(names, row, strict=True)) for row in data.reshape(-1, len(names)).tolist())
