"""BinaryConvolution: convolution of signs. Specification: convolution/BinaryConvolution-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.convolution.kernels import convolve
from ir_plugin.operations.convolution.ranks import known_dims
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.windows import Windows, padded
from ir_plugin.tensors import Array, PartialShape, Tensor


class BinaryConvolution(Operation, version=1):
    """As Convolution-1 in two dimensions, where the bits 0 and 1 of data and kernel stand for -1 and 1.

    That is `2 * popcount(xnor) - bits`. Pads count as `pad_value` itself: 0 counts as nothing, not as -1.
    """

    strides: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    dilations: tuple[int, ...]
    mode: str
    pad_value: float
    auto_pad: str

    def infer(self, data: Tensor, kernel: Tensor) -> Tensor:
        """Return the type of `data`, the batch, the kernel's outputs and the number of windows."""
        require_type("data", data, "number")
        require_type("kernel", kernel, "integer")
        require_rank("data", data.shape, 4)
        require_rank("kernel", kernel.shape, 4)
        batch, channels, *lengths = known_dims(data.shape, 4)
        outputs, inputs, *sizes = known_dims(kernel.shape, 4)
        if channels.merge(inputs) is None:
            raise ShapeError(
                "kernel", f"data has {channels} channels (dimension 1), the kernel takes {inputs} (dimension 1)"
            )
        windows = self._windows()
        spatial = [windows.convolved(i, lengths[i], sizes[i]) for i in range(2)]
        return data.with_shape(PartialShape([batch, outputs, *spatial]))

    def _windows(self) -> Windows:
        return Windows.checked(2, self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad)

    def evaluate(self, data: Array, kernel: Array) -> Array:
        """Return the sums of products of signs."""
        windows = self._windows()
        begin, end = windows.pads(data.shape[2:], kernel.shape[2:])
        wide = padded(2 * data.astype(np.float32) - 1, begin, end, self.pad_value)
        signs = 2 * kernel.astype(np.float32)[None] - 1
        return convolve(wide, signs, windows.strides, windows.dilations)
