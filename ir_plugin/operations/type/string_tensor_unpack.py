"""StringTensorUnpack: strings as one text and their places in it. Specification: type/StringTensorUnpack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.tensors import Array, ElementType, Tensor


class StringTensorUnpack(Operation, version=15):
    """Where each string begins and ends, counted in bytes, and the UTF-8 text of all."""

    def infer(self, data: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return two tensors in the shape of `data` and the text, of unknown length."""
        require_type("data", data, "string")
        places = Tensor(ElementType.i32, data.shape)
        return places, Tensor(ElementType.i32, data.shape), Tensor(ElementType.u8, [_length(data)])

    def evaluate(self, data: Array) -> tuple[Array, Array, Array]:
        """Return begins, ends and text."""
        encoded = [text.encode() for text in data.reshape(-1)]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int32)
        begins = np.concatenate([np.zeros(1, np.int32), ends])[:-1]
        symbols = np.frombuffer(b"".join(encoded), np.uint8)
        return begins.reshape(data.shape), ends.reshape(data.shape), symbols


def _length(data: Tensor) -> int:
    """Return the number of bytes that the strings take, or -1."""
    if data.value is None:
        return 0 if data.shape.size == 0 else -1
    return sum(len(text.encode()) for text in data.value.reshape(-1))
