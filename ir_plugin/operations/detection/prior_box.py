"""PriorBox: default boxes around the cells of a grid. Specification: detection/PriorBox-8, PriorBox-1."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import TypeAlias

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.detection import priors
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, TensorInfo

Pairs: TypeAlias = "list[tuple[float, float]]"


class PriorBox(Operation, version=8):
    """Boxes of several sizes and shapes (in pixels of the image) around each cell of a grid of `output_size`.

    The centers are `step` pixels apart, the first at `offset` steps, or spread over the image where `step` is 0 (the
    page leaves the factor out). A cell has, for each `min_size`, a square of that size, one of the geometric
    mean with `max_size`, and one of each `aspect_ratio` (and its inverse with `flip`); or, for each `fixed_size`,
    density² boxes for each `fixed_ratio`, or for each aspect ratio. Without `scale_all_sizes`, sizes and steps are
    fractions of the image's height, max_size is ignored, and only the first size has all shapes. The output is
    [2, 4·n] in f32: corners (x, y, x, y) in fractions of the image, cut to [0, 1] with `clip`, and variances.

    OpenVINO counts a different number of boxes than it writes, and overwrites some, where fixed_size comes with a
    min_size or with fixed_ratio of another length than the aspect ratios, and where scale_all_sizes is false and
    max_size is set. It cuts the boxes of fixed_size to [0, 1] without `clip` too.

    Differs from the page: `image_size` may have more than two values, which are not read.
    Example: `image_size` [30, 50, 1] is [30, 50].
    """

    traits = (ValueInputs((0, 1)),)
    needs_values = (0,)
    min_size: tuple[float, ...]
    max_size: tuple[float, ...]
    aspect_ratio: tuple[float, ...]
    flip: bool
    clip: bool
    step: float
    offset: float
    variance: tuple[float, ...]
    scale_all_sizes: bool
    fixed_ratio: tuple[float, ...]
    fixed_size: tuple[float, ...]
    density: tuple[float, ...]
    min_max_aspect_ratios_order: bool

    def infer(self, output_size: TensorInfo, image_size: TensorInfo | None = None) -> TensorInfo:
        """Return [2, 4 · height · width · boxes of a cell]."""
        if self.fixed_size and len(self.density) != len(self.fixed_size):
            raise ShapeError(
                "density", f"density has {len(self.density)} values, fixed_size has {len(self.fixed_size)}"
            )
        for name in ("min_size", "max_size", "aspect_ratio", "fixed_size", "fixed_ratio"):
            values: tuple[float, ...] = getattr(self, name)
            if not all(0 < value < inf for value in values):
                raise ShapeError(name, f"{name} is {list(values)}; every value must be positive and finite")
        if self.scale_all_sizes and len(self.max_size) > len(self.min_size):
            counts = f"max_size has {len(self.max_size)} values, min_size {len(self.min_size)}"
            raise ShapeError("max_size", f"{counts}; each of max_size belongs to one of min_size")
        if not all(1 <= density < 2**31 for density in self.density):
            raise ShapeError(
                "density", f"density is {list(self.density)}; every value must be at least 1 and below 2^31"
            )
        return priors.infer(output_size, image_size, self.variance, self._count())

    def _count(self) -> int:
        """Return the number of boxes of one cell."""
        if not self.fixed_size:
            return len(self._cell(1)[0])
        return sum(int(density) ** 2 for density in self.density) * len(self._fixed_ratios())

    def evaluate(self, output_size: Array, image_size: Array) -> Array:
        """Return corners and variances."""
        height, width = (int(length) for length in output_size)
        unit = 1.0 if self.scale_all_sizes else float(image_size[0])
        steps, offset = [self.step * unit] * 2, self.offset
        if self.step == 0:
            steps, offset = [image_size[0] / height, image_size[1] / width], 0.5
        sizes, shifts = self._cell(unit)
        x, y = priors.centers(width, steps[1], offset), priors.centers(height, steps[0], offset)
        corners = priors.boxes(x, y, np.array(sizes), np.array(shifts), image_size, self.clip)
        return priors.output(corners, self.variance)

    def _cell(self, unit: float) -> tuple[Pairs, Pairs]:
        """Return sizes and shifts (x, y) of the boxes of one cell."""
        if self.fixed_size:
            return self._fixed()
        sizes: Pairs = []
        for number, size in enumerate(self.min_size):
            square: Pairs = [(size * unit, size * unit)]
            shaped = [
                (size * unit * sqrt(ratio), size * unit / sqrt(ratio))
                for ratio in self._ratios()
                if self.scale_all_sizes
            ]
            mean: Pairs = []
            if self.scale_all_sizes and number < len(self.max_size):
                mean = [(sqrt(size * self.max_size[number]),) * 2]
            sizes += square + (mean + shaped if self.min_max_aspect_ratios_order else shaped + mean)
        if not self.scale_all_sizes and self.min_size:
            first = self.min_size[0] * unit
            sizes += [(first * sqrt(ratio), first / sqrt(ratio)) for ratio in self._ratios()]
        return sizes, [(0, 0)] * len(sizes)

    def _ratios(self) -> list[float]:
        """Return the aspect ratios, each once, without 1."""
        ratios: list[float] = []
        for ratio in self.aspect_ratio:
            for candidate in (ratio, 1 / ratio) if self.flip else (ratio,):
                if all(abs(candidate - present) >= 1e-6 for present in [1.0, *ratios]):
                    ratios.append(candidate)
        return ratios

    def _fixed_ratios(self) -> Sequence[float]:
        return self.fixed_ratio or [1.0, *self._ratios()]

    def _fixed(self) -> tuple[Pairs, Pairs]:
        """Return sizes and shifts of density² boxes for each size and ratio."""
        sizes: Pairs = []
        shifts: Pairs = []
        for size, density in zip(self.fixed_size, self.density, strict=True):
            count = int(density)
            apart = int(size / count)
            offsets = [-size / 2 + apart / 2 + apart * index for index in range(count)]
            for ratio in self._fixed_ratios():
                sizes += [(size * sqrt(ratio), size / sqrt(ratio))] * count**2
                shifts += [(x, y) for y in offsets for x in offsets]
        return sizes, shifts


class PriorBox1(PriorBox, version=1):
    """As PriorBox-8, but the box of max_size always precedes the boxes of the aspect ratios."""

    min_max_aspect_ratios_order = True
