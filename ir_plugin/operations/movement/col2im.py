"""Col2Im: sum the blocks of an image at their positions. Specification: movement/Col2Im-15."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.elementwise import wrap_low_bits
from ir_plugin.operations.movement.division import divided
from ir_plugin.operations.movement.targets import dimensions_of
from ir_plugin.operations.shapes import require_rank, values_of
from ir_plugin.operations.windows import checked_list
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class Folding(Operation):
    """The base of Col2Im-15 and of the extension's Col2Im."""

    needs_values = (1, 2)

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]

    @property
    def axes(self) -> int:
        """The number of spatial axes."""
        return 2

    def infer(self, data: TensorInfo, output_size: TensorInfo, kernel_size: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape of the image."""
        require_rank("data", data.shape, 2, 3)
        self.checked_lists()
        pairs = []
        for part, tensor in (("output_size", output_size), ("kernel_size", kernel_size)):
            require_type(part, tensor, "integer")
            require_rank(part, tensor.shape, 1)
            if not tensor.shape.size.contains(self.axes):
                raise ShapeError(part, f"{part} holds {tensor.shape.size} values; it must hold {self.axes}")
            pairs.append(_pair(part, values_of(tensor)))
        output, kernel = pairs
        if data.shape.dims is None:
            return data.with_shape(None)
        channels = self._channels(data.shape, kernel)
        if output is not None and kernel is not None:
            self._check_blocks(data.shape, output, kernel)
        image = dimensions_of("output_size", output_size) or (Dimension(),) * self.axes
        return data.with_shape([*data.shape[:-2], channels, *image])

    def checked_lists(self) -> tuple[tuple[int, ...], ...]:
        """Return the strides, dilations and pads before and after of each spatial axis; raise where one is wrong."""
        return (
            checked_list("strides", self.strides, self.axes, 1, 1),
            checked_list("dilations", self.dilations, self.axes, 1, 1),
            checked_list("pads_begin", self.pads_begin, self.axes, 0, 0),
            checked_list("pads_end", self.pads_end, self.axes, 0, 0),
        )

    def _channels(self, shape: PartialShape, kernel: tuple[int, ...] | None) -> Dimension:
        if kernel is None:
            return Dimension()
        channels = divided(shape[-2], prod(kernel))
        if channels is None:
            raise ShapeError(
                "kernel_size",
                f"kernel_size {list(kernel)} has {prod(kernel)} positions, which do not divide dimension "
                f"{len(shape) - 2} of data {shape}",
            )
        return channels if shape[-2].is_static else Dimension()

    def _check_blocks(self, shape: PartialShape, output: tuple[int, ...], kernel: tuple[int, ...]) -> None:
        counts = self._counts(output, kernel)
        if not shape[-1].contains(prod(counts)):
            expected = " x ".join(map(str, counts))
            raise ShapeError(
                "data", f"data {shape} has {shape[-1]} blocks; output_size {list(output)} has {expected} of them"
            )

    def _counts(self, output: tuple[int, ...], kernel: tuple[int, ...]) -> list[int]:
        axes = zip(output, kernel, *self.checked_lists(), strict=True)
        return [max((n + p + q - d * (k - 1) - 1) // s + 1, 0) for n, k, s, d, p, q in axes]

    def evaluate(self, data: Array, output_size: Array, kernel_size: Array) -> Array:
        """Return the image."""
        output, kernel = tuple(output_size.tolist()), tuple(kernel_size.tolist())
        strides, dilations, begins, ends = self.checked_lists()
        counts = self._counts(output, kernel)
        head = data.shape[:-2]
        channels = data.shape[-2] // prod(kernel)
        blocks = data.reshape(*head, channels, *kernel, *counts)
        image = np.zeros((*head, channels, *map(sum, zip(output, begins, ends, strict=True))), data.dtype)
        for position in product(*map(range, kernel)):
            window: tuple[Any, ...] = (
                ...,
                *(
                    slice(at * d, at * d + n * s, s)
                    for at, d, n, s in zip(position, dilations, counts, strides, strict=True)
                ),
            )
            part: tuple[Any, ...] = (..., *position, *[slice(None)] * len(counts))
            image[window] += blocks[part]
        inside = (slice(begin, begin + length) for begin, length in zip(begins, output, strict=True))
        inner: tuple[Any, ...] = (..., *inside)
        return wrap_low_bits(self, image[inner])


class Col2Im(Folding, version=15):
    """Sum the L blocks of `data` [N, C * prod(kernel_size), L] into the image [N, C, *output_size].

    Blocks are `strides` apart in the padded image and their elements `dilations` apart. Overlapping elements are added;
    elements in the pads are dropped. N may be missing. The page lists `output_size` and `kernel_size` among the
    attributes; they are inputs of two values each. Specification: movement/Col2Im-15.
    """


def _pair(part: str, values: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if values is not None and min(values) < 1:
        raise ShapeError(part, f"{part} is {list(values)}; its values must be at least 1")
    return values
