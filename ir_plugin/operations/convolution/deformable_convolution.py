"""DeformableConvolution: convolution at displaced positions.

Specification: convolution/DeformableConvolution-8, DeformableConvolution-1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, note_types, require_type
from ir_plugin.operations.convolution.ranks import dims_of_rank
from ir_plugin.operations.convolution.sampling import Convolver, Samples
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.windows import Windows
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class DeformableConvolution(Operation, version=8):
    """As Convolution-1 in two dimensions, but each element of a window is read where `offsets` displaces it to.

    `data` is [N, C, Y, X], `filters` [O, C / group, KY, KX], `offsets` [N, deformable_group * KY * KX * 2, OY, OX] with
    a y and an x for each element of the kernel, `mask` [N, deformable_group * KY * KX, OY, OX] a factor for each.
    Displaced positions are interpolated bilinearly. A position less than one element outside interpolates with zeros
    if `bilinear_interpolation_pad` is set, and otherwise reads the border; one further away reads zero.

    Differs from the page: without `bilinear_interpolation_pad`, a place before the first row or column is zero.
    Example: offsets of -0.5 for a kernel [1,1,1,1] of 1 give 0 in the first row, where the page gives that row itself.

    Differs from the page: `mask` may have another type than the other inputs.
    Example: A mask of i32 ones changes nothing.
    """

    strides: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    dilations: tuple[int, ...]
    auto_pad: str
    group: int
    deformable_group: int
    bilinear_interpolation_pad: bool
    convolver = Convolver()
    """The loops that sample and multiply; the compiler binds faster ones."""

    def infer(
        self, data: TensorInfo, offsets: TensorInfo, filters: TensorInfo, mask: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the common type, the batch, the filters' outputs and the number of windows."""
        for part, tensor in (("data", data), ("offsets", offsets), ("filters", filters)):
            require_type(part, tensor, "number")
            require_rank(part, tensor.shape, 4)
        merged = merge_types(data, offsets, filters)
        if mask is not None:
            require_rank("mask", mask.shape, 4)
            note_types({"data": data, "mask": mask})
        if data.shape.dims is None and offsets.shape.dims is None and filters.shape.dims is None:
            return TensorInfo(merged, None)
        batch, channels, *lengths = dims_of_rank(data.shape, 4)
        outputs, inputs, *sizes = dims_of_rank(filters.shape, 4)
        self._check_groups(channels, outputs, inputs)
        windows = self.windows()
        spatial = [windows.convolved(i, lengths[i], sizes[i]) for i in range(2)]
        per_group = sizes[0] * sizes[1] * self.deformable_group
        batch = _checked("offsets", offsets.shape, [batch, per_group * 2, *spatial])
        if mask is not None:
            batch = _checked("mask", mask.shape, [batch, per_group, *spatial])
        return TensorInfo(merged, PartialShape([batch, outputs, *spatial]))

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the pads that `auto_pad` chooses."""
        data, filters = inputs[0].shape, inputs[2].shape
        if data.ndim is None or filters.ndim is None:
            return {}
        return self.windows().inferred_pads(data[2:].dims or (), filters[2:].dims or ())

    def windows(self) -> Windows:
        """Return the windows that the attributes describe; raise where a list of them is wrong."""
        return Windows.checked(2, self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad)

    def _check_groups(self, channels: Dimension, outputs: Dimension, inputs: Dimension) -> None:
        for part, groups, dim, of in (
            ("group", self.group, channels, "channels of data"),
            ("group", self.group, outputs, "outputs of filters"),
            ("deformable_group", self.deformable_group, channels, "channels of data"),
        ):
            if groups < 1:
                raise ShapeError(part, f"{part} is {groups}; it must be at least 1")
            if dim.is_static and dim.lower % groups:
                raise ShapeError(part, f"{part} is {groups}, which does not divide the {dim} {of}")
        if channels.merge(inputs * self.group) is None:
            raise ShapeError(
                "filters", f"data has {channels} channels, the filters take {inputs} in {self.group} groups"
            )

    def evaluate(self, data: Array, offsets: Array, filters: Array, mask: Array | None = None) -> Array:
        """Return the sums of products."""
        kind = data.dtype if data.dtype.kind == "f" else np.dtype(np.float64)
        rows, columns = self._coordinates(data, offsets, filters.shape[2:])
        shape = rows.shape[1:]
        factors = None if mask is None else mask.reshape(len(data), *shape).astype(kind, copy=False)
        split = filters.reshape(self.group, filters.shape[0] // self.group, -1, shape[1])
        weights = np.ascontiguousarray(split.transpose(0, 3, 2, 1)).reshape(self.group, -1, split.shape[1])
        images = np.ascontiguousarray(np.moveaxis(data, 1, -1), kind)
        result = np.empty((len(data), shape[2], filters.shape[0]), kind)
        for n, image in enumerate(images):
            samples = Samples(rows[n], columns[n], None if factors is None else factors[n])
            self.convolver.convolve(image, samples, self.bilinear_interpolation_pad, weights, result[n])
        return np.moveaxis(result.reshape(len(data), *offsets.shape[2:], -1), -1, 1)

    def _coordinates(self, data: Array, offsets: Array, kernel: tuple[int, ...]) -> tuple[Array, Array]:
        """Return the y and the x that each window reads: [N, deformable_group, KY * KX, OY * OX]."""
        windows, outputs = self.windows(), offsets.shape[2:]
        begin, _ = windows.pads(data.shape[2:], kernel)
        moves = offsets.reshape(data.shape[0], self.deformable_group, *kernel, 2, *outputs)
        coordinates = []
        for axis in (0, 1):
            taps = np.arange(kernel[axis]) * windows.dilations[axis] - begin[axis]
            grid = taps[:, None] + np.arange(outputs[axis]) * windows.strides[axis]
            along = grid[:, None, :, None] if axis == 0 else grid[:, None, :]
            moved = moves[..., axis, :, :] + along
            coordinates.append(
                moved.reshape(*moved.shape[:2], kernel[0] * kernel[1], -1).astype(np.float64, copy=False)
            )
        return coordinates[0], coordinates[1]


class DeformableConvolution1(DeformableConvolution, version=1):
    """As DeformableConvolution-8 without `bilinear_interpolation_pad` and without a mask."""

    bilinear_interpolation_pad = False


def _checked(part: str, shape: PartialShape, dims: list[Dimension]) -> Dimension:
    """Return the batch; raises unless the shape fits the dimensions."""
    merged = shape.merge(dims)
    if merged is None:
        raise ShapeError(part, f"{part} has the shape {shape}; it must be {PartialShape(dims)}")
    return merged[0]
