"""RegionYolo: the activations of a YOLO head. Specification: detection/RegionYolo-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import normalize_axis, require_rank
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class RegionYolo(Operation, version=1):
    """Sigmoids of centers, objectness and classes of each region; with `do_softmax` a softmax of the classes.

    `data` is [N, regions · (coords + 1 + classes), H, W]. Without `do_softmax` there are as many regions as `mask` has
    elements, channels after theirs are left out, and the shape stays; with it there are `num` regions, later channels
    are unchanged, and the axes from `axis` to `end_axis` are flattened. `anchors` do not matter here.

    Differs from the page: `do_softmax` is false where it is not written. Example: without it, the output for data of
    [1, 16, 2, 2] keeps four dimensions.
    """

    anchors: tuple[float, ...]
    axis: int
    coords: int
    classes: int
    end_axis: int
    num: int
    do_softmax: bool
    mask: tuple[int, ...]

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the shape with as many channels as the regions have, or with flattened axes."""
        require_type("data", data, "float")
        require_rank("data", data.shape, 4)
        for name, value in (("coords", self.coords), ("classes", self.classes), ("num", self.regions)):
            if value < 0:
                raise ShapeError(name, f"{name} is {value}; it must not be negative")
        if data.shape.dims is None:
            return data.with_shape(None)
        channels = self.regions * self.region_size
        if not data.shape[1].compatible(Dimension(channels, -1)):
            raise ShapeError(
                "data",
                f"data {data.shape} has {data.shape[1]} channels; {self.regions} regions of coords + 1 + classes = "
                f"{self.region_size} have {channels}",
            )
        if not self.do_softmax:
            return data.with_shape(data.shape.replace(1, channels))
        axis, end = normalize_axis("axis", self.axis, 4), normalize_axis("end_axis", self.end_axis, 4)
        if axis > end:
            raise ShapeError("end_axis", f"end_axis {self.end_axis} is before axis {self.axis}")
        flat = data.shape[axis : end + 1].size
        return data.with_shape(data.shape[:axis] + PartialShape([flat]) + data.shape[end + 1 :])

    @property
    def regions(self) -> int:
        """The number of regions that are computed for each cell of the grid."""
        return self.num if self.do_softmax else len(self.mask)

    @property
    def region_size(self) -> int:
        """The channels of a region: its coordinates, its confidence and its classes."""
        return self.coords + 1 + self.classes

    def evaluate(self, data: Array) -> Array:
        """Return the activations."""
        batches, _, height, width = data.shape
        used = self.regions * self.region_size
        result = np.array(data if self.do_softmax else data[:, :used])
        regions = result[:, :used].reshape(batches, self.regions, self.region_size, height, width)
        scores = regions[:, :, self.coords :]
        for part in (regions[:, :, : min(self.coords, 2)], scores[:, :, :1] if self.do_softmax else scores):
            _squash(part)
        if not self.do_softmax:
            return regions.reshape(batches, used, height, width)
        scores[:, :, 1:] = _softmax(scores[:, :, 1:])
        result[:, :used] = regions.reshape(batches, used, height, width)
        axis, end = self.axis % 4, self.end_axis % 4
        return result.reshape(*data.shape[:axis], _count(data.shape[axis : end + 1]), *data.shape[end + 1 :])


def _count(lengths: tuple[int, ...]) -> int:
    return int(np.prod(lengths, dtype=np.int64))


def _squash(data: Array) -> None:
    """Apply the sigmoid in place."""
    np.negative(data, out=data)
    np.exp(data, out=data)
    data += 1
    np.reciprocal(data, out=data)


def _softmax(classes: Array) -> Array:
    """Return the softmax over the third axis."""
    raised = np.exp(classes - classes.max(axis=2, keepdims=True, initial=-np.inf))
    result: Array = raised / raised.sum(axis=2, keepdims=True)
    return result
