"""LabelEncoder, of the extension: values by keys. ONNX: ai.onnx.ml's LabelEncoder-4 and others."""

from __future__ import annotations

from math import isnan

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, TensorInfo


class LabelEncoder(Operation, version="extension"):
    """For each element the value of its key, or `default` for one that is no key, which without `default` is an error.

    Of equal keys the first counts. NaN is a key like others.
    """

    widen = False

    def infer(
        self, data: TensorInfo, keys: TensorInfo, values: TensorInfo, default: TensorInfo | None = None
    ) -> TensorInfo:
        """Return values of the shape of the data."""
        merge_types(data, keys, part="keys")
        require_rank("keys", keys.shape, 1)
        require_rank("values", values.shape, 1)
        if not keys.shape.compatible(values.shape):
            raise ShapeError("values", f"there are {keys.shape} keys and {values.shape} values")
        common = values.element_type
        if default is not None:
            require_rank("default", default.shape, 0, 1)
            common = merge_types(values, default, part="default")
        return TensorInfo(common, data.shape)

    def evaluate(self, data: Array, keys: Array, values: Array, default: Array | None = None) -> Array:
        """Return the values."""
        numbers = {key_of(key): number for number, key in reversed(list(enumerate(keys.tolist())))}
        positions = np.array([numbers.get(key_of(item), -1) for item in data.reshape(-1).tolist()], np.int64)
        missing = positions < 0
        if default is None and missing.any():
            raise EvaluationError(f"{data.reshape(-1)[missing].tolist()[0]!r} is none of the {len(keys)} keys")
        result = np.empty(positions.shape, values.dtype)
        result[~missing] = values[positions[~missing]]
        if default is not None:
            result[missing] = default.reshape(())[()] if default.dtype != object else default.reshape(-1)[0]
        return result.reshape(data.shape)


def key_of(item: object) -> object:
    """Return the dictionary key of an element; every NaN has the same key."""
    return "NaN of numbers" if isinstance(item, float) and isnan(item) else item
