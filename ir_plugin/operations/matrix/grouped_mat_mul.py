"""GroupedMatMul: products of matrices, group by group. Specification: matrix/GroupedMatMul-17."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class GroupedMatMul(Operation, version=17):
    """The products of groups of rows with a matrix each, as in mixtures of experts.

    * `mat_a` [T, K], `mat_b` [G, N, K]: rows `offsets[g - 1]` to `offsets[g]` of `mat_a` with the transpose of matrix
      g: [T, N];
    * `mat_a` [G, M, K], `mat_b` [G, N, K], no offsets: [G, M, N];
    * `mat_a` [K, T], `mat_b` [T, N]: columns of `mat_a` with rows of `mat_b`: [G, K, N].

    The published page gives `mat_b` as [G, K, N]; OpenVINO 2026.4 reads and writes [G, N, K], as here, and refuses the
    third case. Offsets rise from 0 and end with T; anything else is an error.
    """

    def infer(self, mat_a: TensorInfo, mat_b: TensorInfo, offsets: TensorInfo | None = None) -> TensorInfo:
        """Return the common type and the shape of the products."""
        require_type("mat_a", mat_a, "number")
        require_type("mat_b", mat_b, "number")
        merged = merge_types(mat_a, mat_b)
        require_rank("mat_a", mat_a.shape, 2, 3)
        require_rank("mat_b", mat_b.shape, 2, 3)
        if offsets is not None:
            require_type("offsets", offsets, "i32", "i64")
            require_rank("offsets", offsets.shape, 1)
        if mat_a.shape.dims is None or mat_b.shape.dims is None:
            return TensorInfo(merged, None)
        if len(mat_a.shape) == 3:
            return TensorInfo(merged, _batched(mat_a.shape, mat_b.shape))
        if offsets is None:
            raise ShapeError("offsets", f"offsets are needed for mat_a {mat_a.shape} and mat_b {mat_b.shape}")
        groups = offsets.shape[0] if offsets.shape.dims is not None else Dimension()
        if len(mat_b.shape) == 2:
            _require_equal("mat_b", mat_a.shape[1], mat_b.shape[0])
            return TensorInfo(merged, PartialShape([groups, mat_a.shape[0], mat_b.shape[1]]))
        _require_equal("mat_b", mat_a.shape[1], mat_b.shape[2])
        _require_equal("offsets", mat_b.shape[0], groups)
        return TensorInfo(merged, PartialShape([mat_a.shape[0], mat_b.shape[1]]))

    def evaluate(self, mat_a: Array, mat_b: Array, offsets: Array | None = None) -> Array:
        """Return the products."""
        if mat_a.ndim == 3 or offsets is None:
            return np.asarray(np.matmul(mat_a, mat_b.swapaxes(-1, -2)))
        total = mat_a.shape[0] if mat_b.ndim == 3 else mat_a.shape[1]
        ends = _ends(offsets, total)
        spans = list(zip([0, *ends], ends, strict=False))
        if mat_b.ndim == 2:
            parts = [mat_a[:, start:end] @ mat_b[start:end] for start, end in spans]
            return np.stack(parts) if parts else np.zeros((0, len(mat_a), mat_b.shape[1]), mat_a.dtype)
        result: Array = np.zeros((total, mat_b.shape[1]), mat_a.dtype)
        for matrix, (start, end) in zip(mat_b, spans, strict=True):
            np.matmul(mat_a[start:end], matrix.T, out=result[start:end])
        return result


def _batched(a: PartialShape, b: PartialShape) -> PartialShape:
    require_rank("mat_b", b, 3)
    _require_equal("mat_b", a[2], b[2])
    groups = a[0].merge(b[0])
    if groups is None:
        raise ShapeError("mat_b", f"mat_a has {a[0]} groups, mat_b {b[0]}")
    return PartialShape([groups, a[1], b[1]])


def _require_equal(part: str, left: Dimension, right: Dimension) -> None:
    if left.merge(right) is None:
        raise ShapeError(part, f"{part} has a dimension of {right}; it must be {left}")


def _ends(offsets: Array, total: int) -> list[int]:
    ends = [int(offset) for offset in offsets]
    for group, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if not start <= end <= total:
            raise EvaluationError(f"offsets[{group}] is {end}, outside the allowed range [{start}, {total}]")
    if (ends[-1] if ends else 0) != total:
        raise EvaluationError(f"the offsets {ends} end before the {total} rows do")
    return ends
