"""Texts that are compared, hashed and made from numbers."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.spans import texts_of
from ir_plugin.operations.text.fingerprint import fingerprint64
from ir_plugin.operations.text.layout import require_texts
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.containers import vector_of


class EqualStr(Operation, version="extension"):
    """1 where two texts are equal, else 0; of the shorter tensor the first text is compared beyond its end."""

    widen = False

    def infer(
        self,
        begins: TensorInfo,
        ends: TensorInfo,
        chars: TensorInfo,
        second_begins: TensorInfo,
        second_ends: TensorInfo,
        second_chars: TensorInfo,
    ) -> TensorInfo:
        """Return a vector of i32."""
        require_texts(begins, ends, chars)
        require_texts(second_begins, second_ends, second_chars, "second_")
        return TensorInfo(ElementType.i32, [-1])

    def evaluate(self, *inputs: Array) -> Array:
        """Return the comparisons."""
        first, second = texts_of(*inputs[:3]), texts_of(*inputs[3:])
        count = max(len(first), len(second)) if first and second else 0
        pairs = (
            (texts[index] if index < len(texts) else texts[0] for texts in (first, second)) for index in range(count)
        )
        return np.array([left == right for left, right in pairs], np.int32)


class NumericToString(Operation, version="openvino_tokenizers"):
    """Numbers and booleans as texts: whole numbers in decimal, others with six significant digits."""

    widen = False

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return texts of the same shape."""
        require_type("data", data, "integer", "f32", "f64", "boolean")
        return TensorInfo(ElementType.string, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the texts."""
        items = data.reshape(-1).tolist()
        if data.dtype.kind == "b":
            texts = ["true" if item else "false" for item in items]
        elif data.dtype.kind == "f":
            texts = [_printed(item) for item in items]
        else:
            texts = [str(item) for item in items]
        return vector_of(texts).reshape(data.shape)


def _printed(number: float) -> str:
    """Return a number as streams of C++ print it, with the sign of NaN."""
    if np.isnan(number):
        return "-nan" if np.signbit(number) else "nan"
    return f"{number:g}"


class StringToHashBucket(Operation, version="extension"):
    """The bucket of each text: its FarmHash Fingerprint64 modulo `num_buckets`."""

    widen = False

    num_buckets: int

    def infer(self, begins: TensorInfo, ends: TensorInfo, chars: TensorInfo) -> TensorInfo:
        """Return i64 of the same shape."""
        if self.num_buckets < 1:
            raise ShapeError("num_buckets", f"num_buckets is {self.num_buckets}; it must be positive")
        return TensorInfo(ElementType.i64, require_texts(begins, ends, chars))

    def evaluate(self, begins: Array, ends: Array, chars: Array) -> Array:
        """Return the buckets."""
        buckets = [fingerprint64(text) % self.num_buckets for text in texts_of(begins, ends, chars)]
        return np.array(buckets, np.int64).reshape(begins.shape)
