"""Broadcast: replicate data to a target shape. Specification: movement/Broadcast-3, Broadcast-1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.movement.targets import dimensions_of
from ir_plugin.operations.shapes import broadcast, expand_pdpd, normalize_axis, require_rank, values_of
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class Broadcast(Operation, version=3):
    """Replicate `data` along axes of length 1 and along new axes to the shape `target_shape`.

    Mode numpy aligns the last axes. Mode bidirectional does too, and lets data be longer where the target has 1. Mode
    pdpd starts at `axis` of the target (-1 aligns the last axes). Mode explicit (none) maps them by `axes_mapping`.
    Specification: movement/Broadcast-3.
    """

    traits = (ValueInputs((1, 2)),)
    needs_values = (1, 2)
    widen = False
    carriers = (0,)

    mode: str
    axis: int

    def infer(self, data: TensorInfo, target_shape: TensorInfo, axes_mapping: TensorInfo | None = None) -> TensorInfo:
        """Return the type of `data` and the target shape."""
        require_type("target_shape", target_shape, "integer")
        require_rank("target_shape", target_shape.shape, 1)
        exact = values_of(target_shape)
        if exact is not None and min(exact, default=0) < 0:
            raise ShapeError("target_shape", f"target_shape is {list(exact)}; its values must be at least 0")
        dims = dimensions_of("target_shape", target_shape)
        target = PartialShape(dims)
        if self.mode == "bidirectional":
            return data.with_shape(broadcast(data.shape, target, ("data", "target_shape")))
        if self._is_explicit(axes_mapping is not None):
            self._check_mapping(data.shape, target, axes_mapping)
            return data.with_shape(target)
        if data.shape.dims is None or target.dims is None:
            return data.with_shape(target)
        return data.with_shape(self._aligned(data.shape, target))

    def _aligned(self, data: PartialShape, target: PartialShape) -> PartialShape:
        axis = self.first_axis() if self.mode == "pdpd" else -1
        start = len(target) - len(data) if axis == -1 else axis
        if axis != -1:
            while len(data) and data[-1] == 1:
                data = data[:-1]
        if start < 0 or start + len(data) > len(target):
            raise ShapeError(
                "target_shape", f"target_shape {target} has no room for data {data} from dimension {start} on"
            )
        for offset, dim in enumerate(data):
            _check_fit(dim, target[start + offset], (data, target))
        return target

    def _check_mapping(self, data: PartialShape, target: PartialShape, axes_mapping: TensorInfo | None) -> None:
        if axes_mapping is None:
            raise ShapeError("axes_mapping", f"axes_mapping is not connected; mode {self.mode} needs it")
        require_type("axes_mapping", axes_mapping, "integer")
        require_rank("axes_mapping", axes_mapping.shape, 1)
        axes = values_of(axes_mapping)
        count = axes_mapping.shape[0] if axes_mapping.shape.dims is not None else Dimension()
        if data.ndim is not None and not count.contains(data.ndim):
            raise ShapeError("axes_mapping", f"axes_mapping holds {count} values; data {data} has the rank {data.ndim}")
        if axes is None or target.dims is None:
            return
        for axis in axes:
            if normalize_axis("axes_mapping", axis, len(target)) != axis:
                raise ShapeError("axes_mapping", f"axes_mapping is {list(axes)}; its values must be at least 0")
        if list(axes) != sorted(set(axes)):
            raise ShapeError("axes_mapping", f"axes_mapping is {list(axes)}; its values must ascend")
        for axis, dim in zip(axes, data.dims or (), strict=False):
            _check_fit(dim, target[axis], (data, target))

    def _is_explicit(self, has_mapping: bool) -> bool:
        """Return whether `axes_mapping` says where the axes of data go."""
        del has_mapping
        return self.mode in ("explicit", "none")

    def first_axis(self) -> int:
        """Return the target axis where mode pdpd places the first axis of data."""
        return self.axis

    def evaluate(self, data: Array, target_shape: Array, axes_mapping: Array | None = None) -> Array:
        """Return a view of `data`."""
        target: Sequence[int] = target_shape.tolist()
        if axes_mapping is not None and self._is_explicit(True):
            lengths = [1] * len(target)
            for axis, length in zip(axes_mapping.tolist(), data.shape, strict=True):
                lengths[axis] = length
            data = data.reshape(lengths)
        elif self.mode == "bidirectional":
            target = np.broadcast_shapes(data.shape, tuple(target))
        elif self.mode == "pdpd":
            data = expand_pdpd(data, len(target), self.first_axis())
        try:
            return np.broadcast_to(data, target)
        except ValueError:
            raise EvaluationError(f"data of the shape {list(data.shape)} does not fit target_shape {target}") from None


class Broadcast1(Broadcast, version=1):
    """As Broadcast-3, but without mode bidirectional; `auto_broadcast_axis` is the axis of mode pdpd.

    Differs from the page: a `mode` that is not written is explicit, and explicit without `axes_mapping` is numpy.
    Example: [1, 2] with `target_shape` [2, 3], `axes_mapping` [0] and no `mode` gives [[1, 1, 1], [2, 2, 2]].

    Specification: movement/Broadcast-1.
    """

    auto_broadcast_axis: int
    axis = -1

    def inferred_attributes(self, *_: TensorInfo) -> Mapping[str, object]:
        """Return the mode; OpenVINO calls explicit none."""
        return {"mode": "none"} if self.mode == "explicit" else {}

    def _is_explicit(self, has_mapping: bool) -> bool:
        return has_mapping and super()._is_explicit(has_mapping)

    def first_axis(self) -> int:
        """Return the target axis where mode pdpd places the first axis of data."""
        return self.auto_broadcast_axis


def _check_fit(dim: Dimension, target_dim: Dimension, shapes: tuple[PartialShape, PartialShape]) -> None:
    if not dim.contains(1) and not target_dim.compatible(dim):
        raise ShapeError(
            "target_shape",
            f"a dimension {dim} of data {shapes[0]} cannot become {target_dim} of target_shape {shapes[1]}",
        )
