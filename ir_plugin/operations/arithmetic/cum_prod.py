"""CumProd: products of all elements up to each one. ONNX's CumProd-26."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.arithmetic.cum_sum import Cumulative
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.tensors import TensorInfo


class CumProd(Cumulative, version="extension"):
    """Products along `axis` of the elements up to each one, or before it if `exclusive`.

    With `reverse` the products start at the end of the axis. Whole numbers wrap. An operation of ours, for ONNX.
    """

    needs_values = (1,)

    ufunc = np.multiply

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axis."""
        return {1: inputs.axes(0)}

    def infer(self, data: TensorInfo, axis: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("data", data, "number")
        return self._inferred(data, axis)
