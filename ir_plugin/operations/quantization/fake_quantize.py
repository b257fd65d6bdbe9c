"""FakeQuantize: quantize to a number of levels and back. Specification: quantization/FakeQuantize-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_departure, note_types
from ir_plugin.operations.shapes import broadcast_by, expand_pdpd
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, PartialShape, TensorInfo

_NAMES = ("input_low", "input_high", "output_low", "output_high")


class FakeQuantize(Operation, version=1):
    """Clamp x to [input_low, input_high], round it to one of `levels` steps, and map it to [output_low, output_high].

    Halves are rounded to the even step. Values up to the lower input limit give output_low, values above the higher
    limit output_high, even where the limits are exchanged. The limits are broadcast to the data by `auto_broadcast`.
    OpenVINO's CPU multiplies by a rounded quotient instead of dividing, which may move a number very near the middle
    between two steps to the other step; here the page's formula is computed.

    Differs from the page: inputs may have any number or boolean type, also different ones; results are rounded to the
    type of `data`.
    Example: I32 `data` with limits of f32 are computed in f32.

    Differs from the page: `levels` may be below 2: 1 gives NaN between the limits, smaller ones do not round there.
    Example: 0.3 between 0 and 1 with `levels` -1 is 0.3.

    Differs from the page: limits may have more dimensions than `data`, each of length 1. Example: `data` [] with
    limits [1] is [].
    """

    traits = (Elementwise(),)
    float_inputs = (0, 1, 2, 3, 4)

    levels: int
    auto_broadcast: str
    auto_broadcast_axis: int

    def infer(
        self,
        data: TensorInfo,
        input_low: TensorInfo,
        input_high: TensorInfo,
        output_low: TensorInfo,
        output_high: TensorInfo,
    ) -> TensorInfo:
        """Return the type and shape of `data`."""
        limits = (input_low, input_high, output_low, output_high)
        element_type = note_types({"data": data, **dict(zip(_NAMES, limits, strict=True))}, "float")
        if self.levels < 2:
            note_departure("levels", f"levels is {self.levels}; the specification wants at least 2")
        for name, limit in zip(_NAMES, limits, strict=True):
            self._check_shape(name, data.shape, limit.shape)
        return TensorInfo(element_type, data.shape)

    def _check_shape(self, name: str, data: PartialShape, limit: PartialShape) -> None:
        if self.auto_broadcast == "numpy" and data.ndim is not None and limit.ndim is not None:
            extra = limit.ndim - data.ndim
            if extra > 0 and all(dim == 1 for dim in limit[:extra]):
                note_departure(name, f"{name} {limit} has more dimensions than data {data}")
                limit = PartialShape(limit[extra:])
        axis = self.auto_broadcast_axis if self.auto_broadcast == "pdpd" else -1
        try:
            merged = broadcast_by(self.auto_broadcast, data, limit, axis)
        except ShapeError as fault:
            raise ShapeError(name, f"{name} {limit} cannot be broadcast to data {data}") from fault
        if not merged.compatible(data):
            raise ShapeError(name, f"{name} {limit} cannot be broadcast to data {data}: it would become {merged}")

    @property
    def steps(self) -> int:
        """How many steps there are between the limits: `levels - 1`, in OpenVINO a number of 64 bits without a sign."""
        return (self.levels - 1) % 2**64

    def fitted(self, limits: Sequence[Array], rank: int) -> list[Array]:
        """Return limits in shapes that NumPy broadcasts to data of a rank, without raising it."""
        if self.auto_broadcast == "pdpd":
            limits = [expand_pdpd(limit, rank, self.auto_broadcast_axis) for limit in limits]
        return [limit.reshape(limit.shape[max(limit.ndim - rank, 0) :]) for limit in limits]

    def evaluate(
        self, data: Array, input_low: Array, input_high: Array, output_low: Array, output_high: Array
    ) -> Array:
        """Return the quantized elements."""
        low, high, out_low, out_high = self.fitted([input_low, input_high, output_low, output_high], data.ndim)
        steps = data.dtype.type(self.steps)
        quantized = np.asarray((data - low) / (high - low))
        quantized *= steps
        np.rint(quantized, out=quantized)
        quantized /= steps
        quantized *= out_high - out_low
        quantized += out_low
        quantized = np.where(data <= np.minimum(low, high), out_low, quantized)
        return np.where(data > np.maximum(low, high), out_high, quantized)
