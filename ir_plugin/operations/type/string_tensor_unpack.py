"""StringTensorUnpack: return the bytes of strings. Specification: type/StringTensorUnpack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.spans import require_spans
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


class StringTensorUnpackExtension(StringTensorUnpack, version="extension", type="StringTensorUnpack"):
    """As StringTensorUnpack-15, but `data` may also be the packed strings of files of 2023.

    These are u8: the number of strings as i32, the offset of the first, the end of each, and the bytes.
    `mode` can only be begins_ends.
    """

    mode: str

    def infer(self, data: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return two tensors of the shape of strings, or vectors, and one whose length depends on the strings."""
        if data.element_type is not ElementType.u8:
            return super().infer(data)
        require_rank("data", data.shape, 1)
        positions = TensorInfo(ElementType.i32, [-1])
        return positions, positions, TensorInfo(ElementType.u8, [-1])

    def evaluate(self, data: Array) -> tuple[Array, ...]:
        """Return begins, ends and bytes."""
        if data.dtype != np.uint8:
            return super().evaluate(data)
        packed = data.tobytes()
        count = int.from_bytes(packed[:4], "little", signed=True) if len(packed) >= 4 else -1
        first = 4 * (count + 2)
        if count < 0 or first > len(packed):
            raise EvaluationError(f"data has {len(packed)} bytes, which are no packed strings")
        offsets = np.frombuffer(packed[4:first], "<i4")
        symbols = np.frombuffer(packed[first:], np.uint8)
        require_spans(offsets[:-1], offsets[1:], symbols.size)
        return offsets[:-1], offsets[1:], symbols


def _encoded(strings: Array) -> list[bytes]:
    return [str(string).encode("utf-8", "surrogateescape") for string in strings.ravel().tolist()]
