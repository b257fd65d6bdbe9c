"""PriorBoxClustered: default boxes of given sizes around the cells of a grid.

Specification: detection/PriorBoxClustered-1.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.detection import priors
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, TensorInfo


class PriorBoxClustered(Operation, version=1):
    """Boxes of each `width` and `height` (in pixels of the image) around each cell of a grid of `output_size`.

    The centers are `step_w` and `step_h` pixels apart; `step` replaces one that is 0, and where all are 0, the centers
    fill the image. The first is at `offset` steps. The output is [2, 4·n] in f32:
    corners (x, y, x, y) in fractions of the image, cut to [0, 1] with `clip`, and variances. `image_size`, optional by
    the page, is needed.

    Differs from the page: where only one of `step_w` and `step_h` is 0 without a `step`, the centers of its axis are 0.
    Example: `step_h` 8 alone puts all boxes of a row around the left edge.

    Differs from the page: `image_size` may have more than two values, which are not read.
    Example: `image_size` [30, 50, 1] is [30, 50].
    """

    traits = (ValueInputs((0, 1)),)
    needs_values = (0,)
    width: tuple[float, ...]
    height: tuple[float, ...]
    clip: bool
    step: float
    step_w: float
    step_h: float
    offset: float
    variance: tuple[float, ...]

    def infer(self, output_size: TensorInfo, image_size: TensorInfo | None = None) -> TensorInfo:
        """Return [2, 4 · height · width · number of sizes]."""
        if len(self.width) != len(self.height):
            raise ShapeError("height", f"height has {len(self.height)} values, width has {len(self.width)}")
        return priors.infer(output_size, image_size, self.variance, len(self.width))

    def evaluate(self, output_size: Array, image_size: Array) -> Array:
        """Return corners and variances."""
        rows, columns = (int(length) for length in output_size)
        step_w, step_h = self.step_w or self.step, self.step_h or self.step
        if step_w == step_h == 0:
            step_w, step_h = image_size[1] / columns, image_size[0] / rows
        x, y = priors.centers(columns, step_w, self.offset), priors.centers(rows, step_h, self.offset)
        sizes = np.stack([self.width, self.height], axis=-1)
        return priors.output(priors.boxes(x, y, sizes, np.zeros(2), image_size, self.clip), self.variance)
