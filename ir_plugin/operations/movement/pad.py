"""Pad: extend or crop data at its edges. Specification: movement/Pad-12, Pad-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.movement.slicing import Interval, check_indices, intervals_of
from ir_plugin.operations.shapes import require_rank, values_of
from ir_plugin.operations.traits import DataInputs, ValueInputs
from ir_plugin.tensors import UNBOUNDED, Array, Dimension, PartialShape, TensorInfo


class Pad(Operation, version=12):
    """Add `pads_begin[i]` and `pads_end[i]` elements along axis i of `data`; negative pads crop.

    `pad_mode` constant fills with `pad_value` (default 0 or the empty string), edge repeats the outermost element,
    reflect and symmetric mirror the data without and with the outermost element. Specification: movement/Pad-12.
    """

    traits = (ValueInputs((1, 2)), DataInputs(1))
    needs_values = (1, 2)
    widen = False
    carriers = (0, 3)

    pad_mode: str

    def infer(
        self, data: TensorInfo, pads_begin: TensorInfo, pads_end: TensorInfo, pad_value: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the type of `data` and the padded shape."""
        require_type("pads_begin", pads_begin, "integer")
        require_type("pads_end", pads_end, "integer")
        if self.pad_mode != "constant" and data.element_type.kind == "string":
            raise ShapeError("pad_mode", f"pad_mode is {self.pad_mode}; strings can be padded in mode constant only")
        if pad_value is not None and self.pad_mode == "constant":
            require_rank("pad_value", pad_value.shape, 0)
            merge_types(data, pad_value, part="pad_value")
        count = check_indices(pads_begin=pads_begin, pads_end=pads_end)
        shape = data.shape
        if shape.dims is None:
            return data.with_shape(None)
        if count is not None and count != len(shape):
            raise ShapeError("pads_begin", f"pads_begin holds {count} values; data {shape} has the rank {len(shape)}")
        for part, pads in (("pads_begin", pads_begin), ("pads_end", pads_end)):
            self._check(part, values_of(pads), shape)
        begins, ends = intervals_of(pads_begin, len(shape)), intervals_of(pads_end, len(shape))
        return data.with_shape([_padded(*axis_pads) for axis_pads in zip(shape, begins, ends, strict=True)])

    def _check(self, part: str, pads: tuple[int, ...] | None, shape: PartialShape) -> None:
        for axis, pad in enumerate(pads or ()):
            longest = shape[axis].upper
            limit = {"reflect": longest - 1, "symmetric": longest, "edge": UNBOUNDED if longest else 0}
            most = limit.get(self.pad_mode, UNBOUNDED)
            if pad > 0 and pad > most:
                raise ShapeError(
                    part,
                    f"{part}[{axis}] is {pad}; in mode {self.pad_mode} dimension {axis} of data, {shape[axis]}, "
                    f"allows {max(most, 0)} at most",
                )

    def evaluate(self, data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None = None) -> Array:
        """Return the padded data."""
        begins, ends = pads_begin.tolist(), pads_end.tolist()
        if self.pad_mode == "constant":
            return _filled(data, begins, ends, pad_value)
        for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            if begin or end:
                length = data.shape[axis]
                positions = np.arange(-begin, max(length + end, -begin))
                data = np.take(data, _mirrored(positions, length, self.pad_mode), axis=axis)
        return data


class Pad1(Pad, version=1):
    """As Pad-12, but the page allows only pads of at least 0; negative pads crop here too, as in OpenVINO.

    Specification: movement/Pad-1.
    """


def _padded(dim: Dimension, begin: Interval, end: Interval) -> Dimension:
    if max(begin.lower, end.lower) >= UNBOUNDED:
        return Dimension()
    upper = UNBOUNDED if dim.upper == UNBOUNDED else dim.upper + begin.upper + end.upper
    return Dimension.between(dim.lower + begin.lower + end.lower, upper)


def _mirrored(positions: Array, length: int, mode: str) -> Array:
    """Return the source index of each position; positions outside the data are at most one length away."""
    if mode == "edge":
        return positions.clip(0, length - 1)
    skipped = 0 if mode == "symmetric" else 1
    reflected = np.where(positions < 0, -positions - 1 + skipped, positions)
    return np.where(reflected >= length, 2 * length - 1 - skipped - reflected, reflected)


def _filled(data: Array, begins: list[int], ends: list[int], value: Array | None) -> Array:
    lengths = [max(n + begin + end, 0) for n, begin, end in zip(data.shape, begins, ends, strict=True)]
    empty = "" if data.dtype == np.object_ else 0
    result = np.full(lengths, empty if value is None else value.item(), data.dtype)
    sources, targets = [], []
    for length, begin, total in zip(data.shape, begins, lengths, strict=True):
        first, last = max(-begin, 0), min(length, total - begin)
        sources.append(slice(first, max(first, last)))
        targets.append(slice(first + begin, max(first, last) + begin))
    if all(source.start < source.stop for source in sources):
        result[tuple(targets)] = data[tuple(sources)]
    return result
