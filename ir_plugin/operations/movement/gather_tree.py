"""GatherTree: reconstruct beams from steps and parents. Specification: movement/GatherTree-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, TensorInfo


class GatherTree(Operation, version=1):
    """Walk each beam of each batch from its last step to its first along `parent_idx`, and collect `step_ids`.

    `step_ids` and `parent_idx` have the shape [steps, batch, beams], `max_seq_len` the shape [batch]. Steps after
    the first `end_token` of a beam, or beyond its length, are `end_token`. A parent outside [0, beams-1] is an error.
    Specification: movement/GatherTree-1.
    """

    def infer(
        self, step_ids: TensorInfo, parent_idx: TensorInfo, max_seq_len: TensorInfo, end_token: TensorInfo
    ) -> TensorInfo:
        """Return the type and shape of the ids."""
        require_type("step_ids", step_ids, "number")
        element_type = merge_types(step_ids, parent_idx, max_seq_len, end_token)
        require_rank("step_ids", step_ids.shape, 3)
        require_rank("parent_idx", parent_idx.shape, 3)
        require_rank("max_seq_len", max_seq_len.shape, 1)
        require_rank("end_token", end_token.shape, 0)
        shape = step_ids.shape.merge(parent_idx.shape)
        if shape is None:
            raise ShapeError(
                "parent_idx", f"parent_idx {parent_idx.shape} and step_ids {step_ids.shape} differ; they must be equal"
            )
        if shape.dims is not None and max_seq_len.shape.dims is not None:
            batch = shape[1].merge(max_seq_len.shape[0])
            if batch is None:
                raise ShapeError(
                    "max_seq_len", f"max_seq_len {max_seq_len.shape} is not as long as the batch {shape[1]} of step_ids"
                )
            shape = shape.replace(1, batch)
        return TensorInfo(element_type, shape)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the ranges of the parents and of the lengths."""
        return {1: Range.below(inputs.length(0, 2)), 2: Range(1, inputs.length(0, 0))}

    def evaluate(self, step_ids: Array, parent_idx: Array, max_seq_len: Array, end_token: Array) -> Array:
        """Return the ids along each beam."""
        steps, batch, beams = step_ids.shape
        result = np.full_like(step_ids, end_token)
        rows = np.arange(batch)[:, None]
        parents = np.broadcast_to(np.arange(beams), (batch, beams))
        for level in range(steps - 1, -1, -1):
            active = np.broadcast_to((max_seq_len > level)[:, None], (batch, beams))
            _check_parents(parents, active, beams, level)
            active_parents = np.where(active, parents, 0).astype(np.int64)
            result[level] = np.where(active, step_ids[level][rows, active_parents], end_token)
            parents = np.where(active, parent_idx[level][rows, active_parents], parents)
        ended = np.logical_or.accumulate(result == end_token, axis=0)
        return np.where(ended, end_token, result)


def _check_parents(parents: Array, active: Array, beams: int, level: int) -> None:
    wrong = active & ~((parents >= 0) & (parents < beams))
    if wrong.any():
        row, beam = np.argwhere(wrong)[0].tolist()
        raise EvaluationError(
            f"parent_idx leads to beam {parents[row, beam]} at step {level} of batch {row}, beam {beam}; "
            f"allowed are [0, {beams - 1}]"
        )
