"""Const: a tensor from the weights file. Specification: infrastructure/Constant-1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.model.graph import Backing
from ir_plugin.operations.base import InputTypes, Operation, OutputTypes
from ir_plugin.tensors import Array, Bounds, ElementType, TensorInfo
from ir_plugin.tensors.byte_order import to_little_endian
from ir_plugin.tensors.mapped import release_pages
from ir_plugin.tensors.packing import pack, packed_size, to_memory

_COPIED_BYTES = 2**16
"""Bytes of the largest constant that inference copies, so that shapes do not depend on the mapped file."""

_BLOCK_BYTES = 2**18
"""Bytes of a view of weights, such as a transposed one, that are copied at once for a file that is written."""


class Const(Operation, version=1):
    """A tensor of `size` bytes at `offset` of the weights; `load` reads it when it is first needed."""

    widen = False

    element_type: ElementType
    shape: tuple[int, ...]
    offset: int
    size: int

    load: Callable[[], Array] | None = None
    load_packed: Callable[[], Array] | None = None
    """Returns the bytes of the values as the weights have them."""
    backing: Backing | None = None
    """The weights that the array may be a view of."""
    _array: Array | None = None
    _packed: Array | None = None

    @classmethod
    def of(cls, array: Array, element_type: ElementType) -> Const:
        """Return a constant with the values of an array, which is not copied."""
        size = 0 if element_type is ElementType.string else -(-array.size * element_type.bits // 8)
        const = cls(element_type=element_type, shape=array.shape, offset=0, size=size)
        const.load = lambda: array
        return const

    @property
    def output_types(self) -> OutputTypes:
        """The declared type."""
        return (self.element_type,)

    def specialize(self, input_types: InputTypes, output_types: OutputTypes) -> Const:
        """Return the constant itself, so that its array is read once."""
        del input_types, output_types
        return self

    def shown_attributes(self, inputs: Sequence[TensorInfo] = ()) -> dict[str, Any]:
        """Return the type and the shape."""
        del inputs
        return {"element_type": self.element_type, "shape": self.shape}

    @property
    def has_values(self) -> bool:
        """Whether there are weights that hold the values."""
        return self.load is not None or self._array is not None

    def infer(self) -> TensorInfo:
        """Return the declared type and shape; the values are read on demand."""
        tensor = TensorInfo(self.element_type, self.shape)
        self.resolve(tensor)
        return tensor

    def resolve(self, tensor: TensorInfo) -> None:
        """Make the values be the bounds of the output, which are read on demand."""
        if self.has_values:
            tensor.resolve_with(self._bounds)

    def _bounds(self) -> Bounds:
        array = self.evaluate()
        if self.backing is not None and array.nbytes <= _COPIED_BYTES:
            array = array.copy()
        return Bounds(array, array)

    def packed(self) -> Array:
        """Return the bytes of the values as a `.bin` file has them, as a view of the weights where there are any."""
        if self.backing is not None:
            self.backing.require_unchanged()
        if self.load_packed is not None:
            size = packed_size(self.element_type, prod(self.shape), minimum=True)
            return self.load_packed()[:size]
        if self._packed is None:
            self._packed = _bytes_of(self.evaluate(), self.element_type)
        return self._packed

    def blocks(self) -> Iterator[Array]:
        """Yield the bytes of the values for a file that is written, and keep neither these nor pages of the weights."""
        if self.load_packed is not None and self._is_whole():
            array = self.packed()
            yield array
        else:
            array = self._read()
            yield from _blocks_of(array, self.element_type)
        release_pages(array)

    def _is_whole(self) -> bool:
        """Return whether the weights hold the values in exactly the bytes that are written."""
        bits, count = self.element_type.bits, prod(self.shape)
        is_verbatim = self.element_type not in (ElementType.boolean, ElementType.string)
        return is_verbatim and bits not in (3, 6) and count * bits % 8 == 0

    def constant_value(self) -> Array:
        """Return the values."""
        return self.evaluate()

    def evaluate(self) -> Array:
        """Return the array, which must not be written to; all reads of mapped weights go through here."""
        self._array = self._read()
        return self._array

    def _read(self) -> Array:
        """Return the array without keeping it."""
        if self.backing is not None:
            self.backing.require_unchanged()
        if self._array is not None:
            return self._array
        if self.load is None:
            raise EvaluationError("the constant has no weights; read the model with its .bin file")
        return self.load()


def _blocks_of(array: Array, element_type: ElementType) -> Iterator[Array]:
    """Yield the bytes of an array; a view that is not contiguous comes in blocks of its first axis."""
    if element_type.is_low_bit or element_type is ElementType.string or array.flags.c_contiguous:
        yield _bytes_of(array, element_type)
        return
    while len(array) == 1:
        array = array[0]
    rows = max(len(array) * _BLOCK_BYTES // max(array.nbytes, 1), 1)
    for row in range(0, len(array), rows):
        yield _bytes_of(array[row : row + rows], element_type)


def _bytes_of(array: Array, element_type: ElementType) -> Array:
    """Return the bytes of an array, as a view where its memory is contiguous."""
    if element_type.is_low_bit or element_type is ElementType.string:
        return np.frombuffer(pack(array, element_type), np.uint8)
    return to_little_endian(to_memory(array, element_type))
