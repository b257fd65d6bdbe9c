"""Dropout: elements replaced by zeros at random while a model trains. ONNX's Dropout-22."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.tensors import Array, ElementType, TensorInfo


class Dropout(Operation, version="extension"):
    """The input and a mask of true, or where `training_mode` is true some elements as zeros and the others scaled.

    An element stays with the probability 1 - `ratio` and is divided by it. `seed` makes the choice repeatable, with the
    numbers of NumPy's `RandomState` as in ONNX's own tests; -1 stands for none. An operation of ours, for ONNX.
    """

    seed: int

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.stateful = attributes.get("seed", -1) < 0

    def infer(self, data: TensorInfo, ratio: TensorInfo, training_mode: TensorInfo) -> tuple[TensorInfo, TensorInfo]:
        """Return the type and shape of `data`, and a boolean of its shape."""
        require_type("data", data, "float")
        require_type("ratio", ratio, "float")
        require_type("training_mode", training_mode, "boolean")
        return TensorInfo(data.element_type, data.shape), TensorInfo(ElementType.boolean, data.shape)

    def evaluate(self, data: Array, ratio: Array, training_mode: Array) -> tuple[Array, Array]:
        """Return the elements and the mask of those that stay."""
        dropped = float(ratio.reshape(-1)[0])
        if not training_mode.reshape(-1)[0] or dropped == 0:
            return data, np.ones(data.shape, np.bool_)
        if not 0 <= dropped < 1:
            raise EvaluationError(f"the ratio is {dropped}; it must be at least 0 and less than 1")
        generator = np.random.RandomState(self.seed if self.seed >= 0 else None)
        mask = np.asarray(generator.uniform(0, 1, data.shape) >= dropped)
        return mask * data * np.asarray(1 / (1 - dropped), data.dtype), mask
