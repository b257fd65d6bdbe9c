"""StringTensorPack: strings out of one text. Specification: type/StringTensorPack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, ElementType, Tensor


class StringTensorPack(Operation, version=15):
    """The strings `symbols[begin:end]`, UTF-8 bytes, for each pair of `begins` and `ends`."""

    def infer(self, begins: Tensor, ends: Tensor, symbols: Tensor) -> Tensor:
        """Return strings in the shape of `begins` and `ends`."""
        require_type("begins", begins, "i32", "i64")
        require_type("ends", ends, "i32", "i64")
        require_type("symbols", symbols, "u8")
        if begins.element_type.merge(ends.element_type) is None:
            raise ShapeError("ends", f"begins has the element type {begins.element_type}, ends {ends.element_type}")
        require_rank("symbols", symbols.shape, 1)
        merged = begins.shape.merge(ends.shape)
        if merged is None:
            raise ShapeError("ends", f"begins has the shape {begins.shape}, ends {ends.shape}; they must be equal")
        return Tensor(ElementType.string, merged)

    def evaluate(self, begins: Array, ends: Array, symbols: Array) -> Array:
        """Return the strings."""
        require_inside(begins, 0, symbols.size, "begins")
        require_inside(ends, 0, symbols.size, "ends")
        text = symbols.tobytes()
        strings = np.empty(begins.shape, object)
        flat = strings.reshape(-1)
        for at, (begin, end) in enumerate(zip(begins.reshape(-1).tolist(), ends.reshape(-1).tolist(), strict=True)):
            if end < begin:
                raise EvaluationError(f"string {at} ends at {end}, before it begins at {begin}")
            flat[at] = _decoded(at, text[begin:end])
        return strings


def _decoded(at: int, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise EvaluationError(f"string {at} is no UTF-8: {error.reason} at its byte {error.start}") from None
