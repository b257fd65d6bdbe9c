"""ScaledDotProductAttention. Specification: sequence/ScaledDotProductAttention-13."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import is_kind, merge_types, require_type
from ir_plugin.operations.shapes import broadcast, scalar_of
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo
from ir_plugin.tensors.cached_rows import as_floats


class ScaledDotProductAttention(Operation, version=13):
    """softmax(query · keyᵀ · scale + mask) · value, with query [N, …, L, E], key [N, …, S, E] and value [N, …, S, Ev].

    `scale` is 1 / √E by default. The mask is broadcast to [N, …, L, S] and added, or for booleans masks positions that
    are false; a scalar mask means none, and `causal` replaces the mask by one that masks positions after the query's
    own. A `sink` [N, …, L, 1] adds one column to the softmax, which is dropped afterwards. Rows that are masked
    completely are NaN. Shapes before the last two dimensions are broadcast.

    OpenVINO's CPU differs: where a cache of a state holds earlier positions, `causal` counts them; the page masks from
    the first key on.
    Example: a query after three cached positions sees the first key only; the CPU lets it see all four.
    """

    needs_values = (4,)

    causal: bool

    def infer(
        self,
        query: TensorInfo,
        key: TensorInfo,
        value: TensorInfo,
        attention_mask: TensorInfo | None = None,
        scale: TensorInfo | None = None,
        sink: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the type of `query` and the shape [N, …, L, Ev]."""
        element_type = merge_types(query, key, value)
        for part, tensor in (("query", query), ("key", key), ("value", value)):
            require_type(part, tensor, "float")
            if tensor.shape.ndim is not None and tensor.shape.ndim < 3:
                raise ShapeError(part, f"{part} has the shape {tensor.shape}; its rank must be 3 or more")
        check_equal("key", key.shape[-1], "query", query.shape[-1], "the last dimension")
        source = check_equal("value", value.shape[-2], "key", key.shape[-2], "dimension -2")
        self._check_scale(query, scale)
        self._check_sink(query, sink)
        batch = query.shape[:-2]
        for part, tensor in (("key", key), ("value", value)):
            if tensor.shape.dims is not None:
                batch = broadcast(batch, tensor.shape[:-2], ("query", part))
        scores = batch + PartialShape([query.shape[-2], source])
        scores = self._masked(query, scores, attention_mask)
        return TensorInfo(element_type, None if scores.dims is None else scores[:-1] + PartialShape([value.shape[-1]]))

    def _masked(self, query: TensorInfo, scores: PartialShape, mask: TensorInfo | None) -> PartialShape:
        if mask is None or self.causal:
            return scores
        if not is_kind(mask.element_type, "boolean"):
            merge_types(query, mask, part="attention_mask")
        if mask.shape.ndim is None or mask.shape.ndim == 0:
            return scores
        if mask.shape.ndim == 1:
            raise ShapeError("attention_mask", f"attention_mask has the shape {mask.shape}; its rank must be 2 or more")
        if scores.dims is not None and not mask.shape[-1].contains(1) and not mask.shape[-1].compatible(scores[-1]):
            raise ShapeError(
                "attention_mask", f"attention_mask ends with {mask.shape[-1]}, key has {scores[-1]} positions"
            )
        return broadcast(scores, mask.shape, ("the scores", "attention_mask"))

    def _check_scale(self, query: TensorInfo, scale: TensorInfo | None) -> None:
        if scale is None:
            return
        merge_types(query, scale, part="scale")
        scalar_of("scale", scale)
        if scale.shape.ndim is not None and scale.shape.ndim > 1:
            raise ShapeError("scale", f"scale has the shape {scale.shape}; it must be a scalar or have one dimension")

    def _check_sink(self, query: TensorInfo, sink: TensorInfo | None) -> None:
        if sink is None:
            return
        merge_types(query, sink, part="sink")
        if sink.shape.dims is None or query.shape.dims is None:
            return
        expected = [*query.shape[:-1], Dimension(1)]
        fits = len(sink.shape) == len(expected) and all(
            dim.contains(1) or dim.compatible(expected_dim)
            for dim, expected_dim in zip(sink.shape, expected, strict=True)
        )
        if not fits:
            raise ShapeError("sink", f"sink has the shape {sink.shape}; it must fit [{','.join(map(str, expected))}]")

    def evaluate(
        self,
        query: Array,
        key: Array,
        value: Array,
        attention_mask: Array | None = None,
        scale: Array | None = None,
        sink: Array | None = None,
    ) -> Array:
        """Return the attention; keys and values of u8 are packed rows of a cache."""
        key, value = as_floats(key), as_floats(value)
        factor = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale.reshape(()))
        scores = (query * query.dtype.type(factor)) @ key.swapaxes(-1, -2)
        mask = attention_mask
        if self.causal:
            mask = np.tri(*scores.shape[-2:], dtype=np.bool_)
        if mask is not None and mask.ndim:
            bias = np.where(mask, 0, -np.inf).astype(scores.dtype) if mask.dtype == np.bool_ else mask
            scores = scores + bias
        return self.weights(scores, sink) @ value

    def weights(self, scores: Array, sink: Array | None) -> Array:
        """Return the weights of the values, which may overwrite the scores."""
        return softmax(scores, sink)


def check_equal(part: str, dim: Dimension, reference: str, reference_dim: Dimension, quantity: str) -> Dimension:
    """Return the length that two inputs agree on; raises if they differ."""
    merged = dim.merge(reference_dim)
    if merged is None:
        raise ShapeError(part, f"{quantity} of {part} is {dim}, and {reference_dim} in {reference}")
    return merged


def softmax(scores: Array, sink: Array | None) -> Array:
    """Return the softmax along the last axis, in place, with `sink` included in the sum."""
    highest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    if sink is not None:
        highest = np.maximum(highest, sink)
    scores -= highest
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - highest)
    scores /= total
    return scores
