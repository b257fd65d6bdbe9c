"""StringTensorPack: cut strings out of bytes. Specification: type/StringTensorPack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.spans import texts_of
from ir_plugin.tensors import Array, ElementType, TensorInfo


class StringTensorPack(Operation, version=15):
    """Return strings whose UTF-8 bytes are `symbols[begin:end]`, one per element of `begins` and `ends`.

    They may overlap and be in any order. Bytes that are not UTF-8 are kept (as surrogates).
    """

    widen = False

    def infer(self, begins: TensorInfo, ends: TensorInfo, symbols: TensorInfo) -> TensorInfo:
        """Return the type string and the common shape of `begins` and `ends`."""
        for name, tensor in (("begins", begins), ("ends", ends)):
            require_type(name, tensor, "i32", "i64")
        merge_types(begins, ends, part="ends")
        require_type("symbols", symbols, "u8")
        require_rank("symbols", symbols.shape, 1)
        shape = begins.shape.merge(ends.shape)
        if shape is None:
            raise ShapeError("ends", f"ends has the shape {ends.shape}, begins {begins.shape}; they must be equal")
        return TensorInfo(ElementType.string, shape)

    def evaluate(self, begins: Array, ends: Array, symbols: Array) -> Array:
        """Return the strings."""
        texts = texts_of(begins, ends, symbols)
        strings = np.empty(begins.size, np.object_)
        strings[:] = [text.decode("utf-8", "surrogateescape") for text in texts]
        return strings.reshape(begins.shape)


class StringTensorPackExtension(StringTensorPack, version="extension", type="StringTensorPack"):
    """As StringTensorPack-15, with a `mode` that can only be begins_ends."""

    mode: str
