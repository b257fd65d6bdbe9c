"""Convolution: sums of products of windows and filters. Specification: convolution/Convolution-1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Lengths, Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.convolution.kernels import convolve, multiplications
from ir_plugin.operations.convolution.ranks import agreed_axes, dims_of_rank
from ir_plugin.operations.traits import Batched, DataInputs
from ir_plugin.operations.windows import Windows, padded
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class Convolution(Operation, version=1):
    """The cross-correlation of `data` [N, I, …] with `filters` [O, I, …] over one to three spatial axes: [N, O, …].

    A window has `(kernel - 1) * dilation + 1` elements along an axis; `(length + pads - window) // stride + 1`
    windows fit, or `ceil(length / stride)` where `auto_pad` is same_upper or same_lower. Pads are zeros.
    The pads of the layer count only where `auto_pad` is explicit. OpenVINO takes negative pads and infers
    too large an output; here they are an error, as the specification allows none.
    """

    traits = (Batched(), DataInputs(1))
    strides: tuple[int, ...]
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    dilations: tuple[int, ...]
    auto_pad: str

    grouped = False

    def infer(self, data: TensorInfo, filters: TensorInfo) -> TensorInfo:
        """Return the common type, the batch, the filters' outputs and the number of windows."""
        require_type("data", data, "number")
        require_type("filters", filters, "number")
        merged = merge_types(data, filters)
        lead = 3 if self.grouped else 2
        lists = (self.strides, self.dilations, self.pads_begin, self.pads_end)
        axes = agreed_axes((data.shape, 2, "data"), (filters.shape, lead, "filters"), lists)
        if axes is None:
            return TensorInfo(merged, None)
        batch, channels, *lengths = dims_of_rank(data.shape, axes + 2)
        weights = dims_of_rank(filters.shape, axes + lead)
        windows = self.windows(axes)
        outputs = self._outputs(channels, weights)
        spatial = [windows.convolved(i, lengths[i], weights[lead + i]) for i in range(axes)]
        return TensorInfo(merged, PartialShape([batch, outputs, *spatial]))

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the pads that `auto_pad` chooses."""
        data, filters = (tensor.shape for tensor in inputs)
        if data.ndim is None or filters.ndim is None:
            return {}
        axes = data.ndim - 2
        return self.windows(axes).inferred_pads(data[2:].dims or (), filters[-axes:].dims or ())

    def windows(self, axes: int) -> Windows:
        """Return the windows over `axes` spatial axes."""
        return Windows.checked(axes, self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad)

    def _outputs(self, channels: Dimension, weights: tuple[Dimension, ...]) -> Dimension:
        if channels.merge(weights[1]) is None:
            raise ShapeError(
                "filters", f"data has {channels} channels (dimension 1), the filters take {weights[1]} (dimension 1)"
            )
        return weights[0]

    def multiplications(self, inputs: Sequence[Lengths], outputs: Sequence[Lengths]) -> int | None:
        """Return the multiplications: output elements times the filter elements of one output channel."""
        return multiplications(outputs[0], inputs[1])

    def evaluate(self, data: Array, filters: Array) -> Array:
        """Return the sums of products."""
        grouped = filters if self.grouped else filters[None]
        windows = self.windows(data.ndim - 2)
        begin, end = windows.pads(data.shape[2:], grouped.shape[3:])
        return convolve(padded(data, begin, end), grouped, windows.strides, windows.dilations)
