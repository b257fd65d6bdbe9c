"""StringTensorUnpack: return the bytes of strings. Specification: type/StringTensorUnpack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.tensors import Array, ElementType, TensorInfo


class StringTensorUnpack(Operation, version=15):
    """Return the concatenated UTF-8 bytes of all strings of `data`, and the offsets where each begins and ends.

    The outputs are begins and ends, i32 of the shape of `data`, and the bytes, u8 and 1-D.
    """

    needs_values = (0,)
    widen = False

    def infer(self, data: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return two tensors of the shape of `data`, and one whose length depends on the strings."""
        require_type("data", data, "string")
        length = 0 if data.shape.size == 0 else -1
        if data.value is not None:
            length = sum(map(len, _encoded(data.value)))
        positions = TensorInfo(ElementType.i32, data.shape)
        return positions, TensorInfo(ElementType.i32, data.shape), TensorInfo(ElementType.u8, [length])

    def evaluate(self, data: Array) -> tuple[Array, ...]:
        """Return begins, ends and bytes."""
        strings = _encoded(data)
        ends = np.cumsum([0, *map(len, strings)])
        symbols = np.frombuffer(b"".join(strings), np.uint8)
        return ends[:-1].reshape(data.shape), ends[1:].reshape(data.shape), symbols


def _encoded(strings: Array) -> list[bytes]:
    return [str(string).encode("utf-8", "surrogateescape") for string in strings.ravel().tolist()]
