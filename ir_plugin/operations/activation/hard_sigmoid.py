"""HardSigmoid: a line limited to [0, 1]. Specification: activation/HardSigmoid-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, note_type
from ir_plugin.operations.elementwise import round_half_even
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, TensorInfo


class HardSigmoid(Operation, version=1):
    """max(0, min(1, alpha · x + beta)), with `alpha` and `beta` scalars.

    Differs from the page: inputs may be boolean; results are rounded.
    Example: True with `alpha` and `beta` true gives true.
    """

    traits = (Elementwise(),)

    def infer(self, data: TensorInfo, alpha: TensorInfo, beta: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        note_type("data", data, "number")
        require_rank("alpha", alpha.shape, 0)
        require_rank("beta", beta.shape, 0)
        return TensorInfo(merge_types(data, alpha, beta), data.shape)

    def evaluate(self, data: Array, alpha: Array, beta: Array) -> Array:
        """Return the function of every element."""
        result: Array = np.clip(alpha * data + beta, 0, 1)
        return round_half_even(result, data.dtype) if data.dtype.kind in "iu" else result
