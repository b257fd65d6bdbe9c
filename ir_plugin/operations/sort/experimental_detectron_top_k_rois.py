"""ExperimentalDetectronTopKROIs: select probable regions. Specification: sort/ExperimentalDetectronTopKROIs-6."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import descending
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import Array, TensorInfo


class ExperimentalDetectronTopKROIs(Operation, version=6):
    """Select the `max_rois` rows of `rois` [R, 4] with the highest `probabilities` [R]; the first of equal ones wins.

    If there are fewer, the output is padded with zeros.
    """

    traits = (Selects(),)

    max_rois: int

    def infer(self, rois: TensorInfo, probabilities: TensorInfo) -> TensorInfo:
        """Return [max_rois, 4]."""
        for name, tensor, rank in (("rois", rois, 2), ("probabilities", probabilities, 1)):
            require_type(name, tensor, "float")
            require_rank(name, tensor.shape, rank)
        element_type = merge_types(rois, probabilities, part="probabilities")
        if rois.shape.dims is not None and not rois.shape[1].compatible(4):
            raise ShapeError("rois", f"rois has the shape {rois.shape}; its second dimension must be 4")
        if not rois.shape[0].compatible(probabilities.shape[0]):
            raise ShapeError(
                "probabilities", f"rois {rois.shape} and probabilities {probabilities.shape} differ in length"
            )
        if self.max_rois < 0:
            raise ShapeError("max_rois", f"max_rois is {self.max_rois}; it must not be negative")
        return TensorInfo(element_type, [self.max_rois, 4])

    def evaluate(self, rois: Array, probabilities: Array) -> Array:
        """Return the rows."""
        order = descending(probabilities)[: self.max_rois]
        result = np.zeros((self.max_rois, 4), rois.dtype)
        result[: len(order)] = rois[order]
        return result
