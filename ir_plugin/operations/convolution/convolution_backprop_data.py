"""ConvolutionBackpropData: transposed convolution. Specification: convolution/ConvolutionBackpropData-1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Lengths, Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.convolution.group_convolution import group_count
from ir_plugin.operations.convolution.kernels import multiplications, transposed
from ir_plugin.operations.convolution.ranks import agreed_axes, dims_of_rank
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Batched, DataInputs
from ir_plugin.operations.windows import Windows, checked_list, lengths_from_values
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class ConvolutionBackpropData(Operation, version=1):
    """The transpose of Convolution-1: `data` [N, I, …], `filters` [I, O, …], out [N, O, …].

    The output's spatial length is `stride * (length - 1) + (kernel - 1) * dilation + 1 - pads_begin - pads_end +
    output_padding`, with pads of zero where `auto_pad` is not explicit. An `output_shape` replaces it; same_upper and
    same_lower then derive the pads: their sum is the length without pads (with output_padding) less the length in
    `output_shape`, with the larger half at the beginning for same_upper and at the end for same_lower. A negative sum
    counts as 0, and elements that no input reaches are zeros. Where `data` has NaN or infinities, the kernel of a plan,
    which multiplies by the zeros between the elements, may spread them further than the plain evaluation does.

    Differs from the page: with `output_shape`, explicit keeps `pads_begin` and valid begins at 0.
    Example: `output_shape` [7], strides [2], 4 elements and a kernel of 3 cut 2 elements off the end with valid, where
    the page cuts 1 off each end.
    """

    traits = (Batched(), DataInputs(1))
    needs_values = (2,)
    strides: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    dilations: tuple[int, ...]
    auto_pad: str
    output_padding: tuple[int, ...]

    grouped = False

    def infer(self, data: TensorInfo, filters: TensorInfo, output_shape: TensorInfo | None = None) -> TensorInfo:
        """Return the common type, the batch, the filters' outputs and the spatial lengths."""
        require_type("data", data, "number")
        require_type("filters", filters, "number")
        merged = merge_types(data, filters)
        lists = (self.strides, self.dilations, self.pads_begin, self.pads_end, self.output_padding)
        lead = 3 if self.grouped else 2
        axes = agreed_axes((data.shape, 2, "data"), (filters.shape, lead, "filters"), lists)
        axes = _axes_of(output_shape) if axes is None else axes
        if axes is None:
            return TensorInfo(merged, None)
        batch, channels, *lengths = dims_of_rank(data.shape, axes + 2)
        weights = dims_of_rank(filters.shape, axes + lead)
        windows, extra = self.windows(axes), checked_list("output_padding", self.output_padding, axes, 0, 0)
        outputs = self._outputs(channels, weights)
        natural = [_natural(windows, i, lengths[i], weights[lead + i], extra[i]) for i in range(axes)]
        spatial = natural if output_shape is None else _declared_lengths(output_shape, axes)
        return TensorInfo(merged, PartialShape([batch, outputs, *spatial]))

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the pads that `auto_pad` chooses, which are zeros without `output_shape`."""
        data, filters = (tensor.shape for tensor in inputs[:2])
        if data.ndim is None or filters.ndim is None:
            return {}
        axes = data.ndim - 2
        windows = self.windows(axes)
        if not windows.is_same or len(inputs) < 3:
            return {"pads_begin": windows.pads_begin, "pads_end": windows.pads_end}
        lengths = _declared_lengths(inputs[2], axes)
        extra = checked_list("output_padding", self.output_padding, axes, 0, 0)
        whole = [_natural(windows, i, data[2 + i], filters[i - axes], extra[i]) for i in range(axes)]
        are_static = [a.is_static and b.is_static for a, b in zip(whole, lengths, strict=True)]
        totals = [max(a.lower - b.lower, 0) for a, b in zip(whole, lengths, strict=True)]
        totals = [total * is_known for total, is_known in zip(totals, are_static, strict=True)]
        begin = self._same_begin(totals)
        return {"pads_begin": begin, "pads_end": [total - b for total, b in zip(totals, begin, strict=True)]}

    def windows(self, axes: int) -> Windows:
        """Return the windows that the attributes describe; raise where a list of them is wrong."""
        return Windows.checked(axes, self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad)

    def _outputs(self, channels: Dimension, weights: tuple[Dimension, ...]) -> Dimension:
        if self.grouped:
            return group_count(channels, weights[0], weights[1]) * weights[2]
        if channels.merge(weights[0]) is None:
            raise ShapeError(
                "filters", f"data has {channels} channels (dimension 1), the filters take {weights[0]} (dimension 0)"
            )
        return weights[1]

    def multiplications(self, inputs: Sequence[Lengths], _: Sequence[Lengths]) -> int | None:
        """Return the multiplications: data elements times the filter elements of one input channel."""
        return multiplications(inputs[0], inputs[1])

    def evaluate(self, data: Array, filters: Array, output_shape: Array | None = None) -> Array:
        """Return the sums of products."""
        grouped = filters if self.grouped else filters[None]
        output_lengths = None if output_shape is None else [int(length) for length in output_shape.reshape(-1)]
        windows, begin, lengths = self.placed(data.shape[2:], grouped.shape[3:], output_lengths)
        full = [b + length for b, length in zip(begin, lengths, strict=True)]
        result = transposed(data, grouped, windows.strides, windows.dilations, full)
        return result[tuple(slice(start, None) for start in (0, 0, *begin))]

    def placed(
        self, lengths: Sequence[int], kernel: Sequence[int], output_lengths: Sequence[int] | None
    ) -> tuple[Windows, Sequence[int], Sequence[int]]:
        """Return the windows, the number of elements to crop before the output, and the output's lengths."""
        axes = len(lengths)
        windows, extra = self.windows(axes), checked_list("output_padding", self.output_padding, axes, 0, 0)
        whole = [
            stride * (length - 1) + (size - 1) * dilation + 1 + more
            for stride, length, size, dilation, more in zip(
                windows.strides, lengths, kernel, windows.dilations, extra, strict=True
            )
        ]
        if output_lengths is not None:
            return windows, self._begin(windows, whole, output_lengths), output_lengths
        begin = windows.pads_begin
        return windows, begin, [n - b - e for n, b, e in zip(whole, begin, windows.pads_end, strict=True)]

    def _begin(self, windows: Windows, whole: Sequence[int], lengths: Sequence[int]) -> Sequence[int]:
        """Return the number of elements to crop before an output of these lengths."""
        if self.auto_pad in ("explicit", "valid"):
            return windows.pads_begin
        totals = [max(n - length, 0) for n, length in zip(whole, lengths, strict=True)]
        return self._same_begin(totals)

    def _same_begin(self, totals: Sequence[int]) -> tuple[int, ...]:
        """Return the part of all pads that is before the output."""
        return tuple(n - n // 2 if self.auto_pad == "same_upper" else n // 2 for n in totals)


def _natural(windows: Windows, axis: int, length: Dimension, kernel: Dimension, extra: int) -> Dimension:
    """Return the output's length along an axis of a layer without `output_shape`."""
    pads = windows.pads_begin[axis] + windows.pads_end[axis]
    reached = (length - 1) * windows.strides[axis] + windows.extent(axis, kernel) + extra
    if reached.upper < pads:
        raise ShapeError(
            "pads_begin",
            f"the pads of spatial axis {axis}, {pads} in all, are more than the output's {reached} elements",
        )
    return reached - pads


def _axes_of(output_shape: TensorInfo | None) -> int | None:
    if output_shape is None or output_shape.shape.ndim != 1 or output_shape.shape[0].is_dynamic:
        return None
    return output_shape.shape[0].get_length()


def _declared_lengths(output_shape: TensorInfo, axes: int) -> list[Dimension]:
    require_type("output_shape", output_shape, "integer")
    require_rank("output_shape", output_shape.shape, 1)
    if output_shape.shape.ndim is not None and not output_shape.shape[0].contains(axes):
        raise ShapeError(
            "output_shape", f"output_shape has {output_shape.shape[0]} values; there are {axes} spatial axes"
        )
    return lengths_from_values("output_shape", output_shape, axes)
