"""PriorBoxClustered: default boxes of given sizes around the cells of a grid.

Specification: detection/PriorBoxClustered-1.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.detection import priors
from ir_plugin.tensors import Array, TensorInfo


class PriorBoxClustered(Operation, version=1):
    """Boxes of each `width` and `height` (in pixels of the image) around each cell of a grid of `output_size`.

    The centers are `step_w` and `step_h` pixels apart; `step` replaces one that is 0, and where it is 0 too, the
    centers fill the image (OpenVINO keeps a single 0). The first is at `offset` steps. The output is [2, 4·n] in f32:
    corners (x, y, x, y) in fractions of the image, cut to [0, 1] with `clip`, and variances. `image_size`, optional by
    the page, is needed.
    """

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
        step_w = self.step_w or self.step or image_size[1] / columns
        step_h = self.step_h or self.step or image_size[0] / rows
        x, y = priors.centers(columns, step_w, self.offset), priors.centers(rows, step_h, self.offset)
        sizes = np.stack([self.width, self.height], axis=-1)
        return priors.output(priors.boxes(x, y, sizes, np.zeros(2), image_size, self.clip), self.variance)
