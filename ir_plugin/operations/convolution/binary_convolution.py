"""BinaryConvolution: convolution of signs. Specification: convolution/BinaryConvolution-1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.convolution.kernels import convolve
from ir_plugin.operations.convolution.ranks import dims_of_rank
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.windows import Windows, padded
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo


class BinaryConvolution(Operation, version=1):
    """As Convolution-1 in two dimensions, where the bits 0 and 1 of data and kernel stand for -1 and 1.

    That is `2 * popcount(xnor) - bits`. A bit of the data is set where an element is above 0, and so is one of a kernel
    whose type is not u1.

    Differs from the page: the bits of a u1 kernel are read from the least significant one of each byte.
    Example: a kernel [1,8,1,1] of the byte 0x01 weighs channel 0 with 1 and all others with -1.

    Differs from the page: a padded position adds nothing for `pad_value` 0, +1 for 1, and -1 for any other value.
    Example: `pad_value` 0.5 and a kernel of ones give -1 for each padded position, where the page gives 0.5.
    """

    strides: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    dilations: tuple[int, ...]
    mode: str
    pad_value: float
    auto_pad: str

    def infer(self, data: TensorInfo, kernel: TensorInfo) -> TensorInfo:
        """Return the type of `data`, the batch, the kernel's outputs and the number of windows."""
        require_type("data", data, "number")
        note_type("kernel", kernel, "u1")
        require_rank("data", data.shape, 4)
        require_rank("kernel", kernel.shape, 4)
        batch, channels, *lengths = dims_of_rank(data.shape, 4)
        outputs, inputs, *sizes = dims_of_rank(kernel.shape, 4)
        if channels.merge(inputs) is None:
            raise ShapeError(
                "kernel", f"data has {channels} channels (dimension 1), the kernel takes {inputs} (dimension 1)"
            )
        windows = self.windows()
        spatial = [windows.convolved(i, lengths[i], sizes[i]) for i in range(2)]
        return data.with_shape(PartialShape([batch, outputs, *spatial]))

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the pads that `auto_pad` chooses."""
        data, filters = inputs[0].shape, inputs[1].shape
        if data.ndim is None or filters.ndim is None:
            return {}
        return self.windows().inferred_pads(data[2:].dims or (), filters[2:].dims or ())

    def windows(self) -> Windows:
        """Return the windows that the attributes describe; raise where a list of them is wrong."""
        return Windows.checked(2, self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad)

    def evaluate(self, data: Array, kernel: Array) -> Array:
        """Return the sums of products of signs."""
        windows = self.windows()
        begin, end = windows.pads(data.shape[2:], kernel.shape[2:])
        outside = 0 if self.pad_value == 0 else 1 if self.pad_value == 1 else -1
        wide = padded(_signs(data > 0), begin, end, outside)
        is_packed = len(self.input_types) > 1 and self.input_types[1] is ElementType.u1
        weights = _signs(_from_least_significant(kernel) if is_packed else kernel > 0)
        return convolve(wide, weights[None], windows.strides, windows.dilations)


def _signs(bits: Array) -> Array:
    return 2 * bits.astype(np.float32) - 1


def _from_least_significant(bits: Array) -> Array:
    """Return bits that were unpacked from the most significant one of each byte in the opposite order."""
    count = bits.size
    packed = np.packbits(bits.reshape(-1).astype(np.uint8))
    return np.unpackbits(packed, count=count, bitorder="little").reshape(bits.shape)
