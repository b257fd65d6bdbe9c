"""Operations on compressed weights, which only a pass creates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ir_plugin.kernels.numpy.compressed import product
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.operations.base import Operation, compute
from ir_plugin.operations.context import STANDARD, Context
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor


class FullyConnectedCompressed(Operation):
    """Multiply rows by a compressed matrix [N, K] if `transposed`, otherwise [K, N]."""

    type = "FullyConnectedCompressed"
    is_internal = True

    weights: CompressedTensor
    transposed: bool

    @property
    def sizes(self) -> tuple[int, int]:
        """The lengths K of rows of the data and N of rows of the output."""
        first, second = self.weights.shape
        return (second, first) if self.transposed else (first, second)

    def evaluate(self, data: Array) -> Array:
        """Return the products, of f32."""
        depth, width = self.sizes
        _require_depth(data, depth)
        rows = np.ascontiguousarray(data.reshape(prod(data.shape[:-1]), depth), np.float32)
        output = np.empty((len(rows), width), np.float32)
        product(self.weights, self.transposed)(rows, output, ())
        return output.reshape(*data.shape[:-1], width)


def _require_depth(data: Array, depth: int) -> None:
    """Raise unless the rows of data have as many columns as the matrix that they are multiplied by has rows."""
    if data.shape[-1] != depth:
        raise ValueError(f"matrices of {data.shape[-1]} columns cannot be multiplied by matrices of {depth} rows")


class BatchedMatMulCompressed(Operation):
    """Multiply matrices by the compressed ones of a tensor [E, N, K] if `transposed`, otherwise [E, K, N]."""

    type = "BatchedMatMulCompressed"
    is_internal = True

    weights: CompressedTensor
    transposed: bool
    products: Sequence[Product] = ()
    """The compiled product for each matrix, shared by the request's threads; empty for NumPy in the calling thread."""

    def bound(self, products: Sequence[Product]) -> BatchedMatMulCompressed:
        """Return a copy whose evaluation is these products."""
        bound = copy(self)
        bound.products = products
        return bound

    def evaluate(self, data: Array) -> Array:
        """Return the products, of f32."""
        count, width = self.weights.shape[0], self.weights.shape[1 if self.transposed else 2]
        lead, depth = np.broadcast_shapes(data.shape[:-2], (count,)), data.shape[-1]
        _require_depth(data, self.weights.shape[2 if self.transposed else 1])
        matrices = np.broadcast_to(data, (*lead, *data.shape[-2:]))
        output = np.empty((*lead, data.shape[-2], width), np.float32)
        for position, run in enumerate(self.products or self._plain_products()):
            rows = np.ascontiguousarray(matrices[..., position, :, :]).reshape(-1, depth)
            target = output[..., position, :, :]
            products = target if target.ndim == 2 else np.empty((len(rows), width), np.float32)
            run(rows, products, ())
            if products is not target:
                target[...] = products.reshape(target.shape)
        return output

    def _plain_products(self) -> list[Product]:
        return [product(self.weights.at(position), self.transposed) for position in range(self.weights.shape[0])]


class RoutedMatMulCompressed(BatchedMatMulCompressed):
    """Multiply matrices by the compressed ones of a tensor, but for rows whose routing weights are 0."""

    type = "RoutedMatMulCompressed"

    def evaluate(self, data: Array, routing: Array) -> Array:  # type: ignore[override] # as many inputs as an op has
        """Return the products [E, T, N], of which rows that are not routed are 0."""
        count, width = self.weights.shape[0], self.weights.shape[1 if self.transposed else 2]
        products = self.products or self._plain_products()
        _require_depth(data, self.weights.shape[2 if self.transposed else 1])

        def multiplied(expert: int, rows: Array) -> Array:
            results = np.empty((len(rows), width), np.float32)
            products[expert](np.ascontiguousarray(rows), results, ())
            return results

        return routed_products(data, routing, (count, width), multiplied)


class RoutedMatMul(Operation):
    """Multiply matrices by a batch of others, but for rows whose routing weights are 0."""

    type = "RoutedMatMul"
    is_internal = True

    product: MatMul

    def evaluate(self, data: Array, weights: Array, routing: Array) -> Array:
        """Return the products [E, T, N], of which rows that are not routed are 0."""
        count, width = len(weights), weights.shape[1 if self.product.transpose_b else 2]

        def multiplied(expert: int, rows: Array) -> Array:
            matrix = np.require(weights[expert], requirements="A")
            results: Array = rows @ (matrix.T if self.product.transpose_b else matrix)
            return results

        return routed_products(data, routing, (count, width), multiplied)


def routed_products(
    data: Array, routing: Array, experts: tuple[int, int], multiplied: Callable[[int, Array], Array]
) -> Array:
    """Return the products [E, T, N] of each expert with its rows, by number and width of the experts; others are 0."""
    count, width = experts
    output = np.zeros((count, data.shape[1], width), np.float32)
    for expert, rows in routed_rows(routing, count, data.shape[1]):
        output[expert, rows] = multiplied(expert, data[expert if len(data) > 1 else 0, rows])
    return output


def routed_rows(routing: Array, count: int, rows: int) -> Iterator[tuple[int, Array]]:
    """Yield each expert that has rows, and those; all rows where they have no weight each."""
    if routing.size != count * rows:
        yield from ((position, np.arange(rows)) for position in range(count))
        return
    is_routed = routing.reshape(count, rows) != 0
    for position in np.flatnonzero(is_routed.any(axis=1)):
        yield int(position), np.flatnonzero(is_routed[position])


class GatherCompressed(Operation):
    """Gather along the first axis of a compressed tensor, of which only the gathered positions are expanded."""

    type = "GatherCompressed"
    is_internal = True
    widen = False
    wants_context = True

    weights: CompressedTensor
    gather: Operation
    dtype: np.dtype[Any]

    @cached_property
    def _numbers(self) -> Array:
        return np.arange(1, self.weights.shape[0] + 1, dtype=np.int32)

    def evaluate(self, indices: Array, context: Context = STANDARD) -> Array:
        """Return the slices, with zeros where an index is out of range; the Gather itself decides what is an error."""
        positions = self._positions(indices, context)
        flat, shape = positions.reshape(-1), self.weights.shape[1:]
        slices = np.empty((flat.size, prod(shape)), np.float32)
        is_missing = flat < 0
        self.weights.expand_at(np.where(is_missing, 0, flat), slices)
        slices[is_missing] = 0
        return slices.reshape(*positions.shape, *shape).astype(self.dtype, copy=False)

    def _positions(self, indices: Array, context: Context) -> Array:
        """Return positions of the first axis, -1 where an index is out of range."""
        if indices.size and indices.min() >= 0 and indices.max() < self.weights.shape[0]:
            return indices
        numbers = compute(self.gather, [self._numbers, indices, np.zeros((), np.int64)], context)[0]
        return numbers.astype(np.int64) - 1
