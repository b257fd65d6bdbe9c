"""Swish: a number times its sigmoid. Specification: activation/Swish-4."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, TensorInfo


class Swish(Operation, version=4):
    """x / (1 + exp(-beta · x)), where `beta` is a scalar, and 1 where it is not connected."""

    traits = (Elementwise(),)

    def infer(self, data: TensorInfo, beta: TensorInfo | None = None) -> TensorInfo:
        """Return the input's type and shape."""
        require_type("data", data, "float")
        if beta is None:
            return TensorInfo(data.element_type, data.shape)
        require_rank("beta", beta.shape, 0)
        return TensorInfo(merge_types(data, beta, part="beta"), data.shape)

    def evaluate(self, data: Array, beta: Array | None = None) -> Array:
        """Return the function of every element."""
        scaled = data if beta is None else data * beta
        result: Array = data / (1 + np.exp(-scaled))
        return result
