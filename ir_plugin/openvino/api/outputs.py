"""The outputs that a request keeps of its last inference, and its output tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.model import Output
from ir_plugin.openvino.api.feeding import as_tensor, empty
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.tensors import Array


class Outputs:
    """The outputs of a request; each inference writes into the tensors set or returned before."""

    def __init__(self, ports: Sequence[Output]) -> None:
        self._ports = ports
        self._tensors: dict[int, Tensor] = {}
        self._arrays: list[Array] | None = None
        self._copies: dict[int, Array] = {}

    def keep(self, arrays: Sequence[Array]) -> None:
        """Keep the outputs of an inference without a copy, so that callers share their memory."""
        self._write(arrays)
        self._arrays = list(arrays)

    def keep_copies(self, arrays: Sequence[Array]) -> None:
        """Keep copies of the outputs of an inference, as callers may write into the outputs."""
        self._write(arrays)
        self._arrays = [self._copy(position, array) for position, array in enumerate(arrays)]

    def _write(self, arrays: Sequence[Array]) -> None:
        for position, tensor in self._tensors.items():
            tensor.copy_from(as_tensor(self._ports[position], arrays[position]))

    def _copy(self, position: int, array: Array) -> Array:
        """Return a copy of an output without a tensor, in the memory of the last copy if it fits."""
        if position in self._tensors or array.dtype.hasobject:
            return array
        copy = self._copies.get(position)
        if copy is None or (copy.shape, copy.dtype) != (array.shape, array.dtype):
            copy = self._copies[position] = np.empty(array.shape, array.dtype)
        copy[...] = array
        return copy

    @property
    def arrays(self) -> list[Array] | None:
        """The memory of the last outputs, or None before the first inference."""
        if self._arrays is None:
            return None
        return [
            self._tensors[position].values if position in self._tensors else array
            for position, array in enumerate(self._arrays)
        ]

    def values(self, shown: Sequence[Array]) -> list[Array]:
        """Return outputs as callers see them, but numbers instead of bits for types that NumPy lacks."""
        return [
            self.tensor(position).values.copy() if port.element_type.is_shown_as_bits else array
            for position, (port, array) in enumerate(zip(self._ports, shown, strict=True))
        ]

    def tensor(self, position: int) -> Tensor:
        """Return the tensor of an output."""
        tensor = self._tensors.get(position)
        if tensor is None:
            port = self._ports[position]
            tensor = empty(port) if self._arrays is None else as_tensor(port, self._arrays[position])
            self._tensors[position] = tensor
            self._copies.pop(position, None)
        return tensor

    def set_tensor(self, position: int, tensor: Tensor) -> None:
        """Set the tensor into which an output is written."""
        self._tensors[position] = tensor
