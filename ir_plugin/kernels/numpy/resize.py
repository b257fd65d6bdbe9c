"""Resizing as weighted sums along one axis after the other, on arrays viewed as [outer, length, inner]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

Resize: TypeAlias = "Callable[[Array, Array], None]"
"""Fills an output in C order from data."""


@dataclass(frozen=True)
class Sums:
    """Along `axis`, output i is the sum over k of `weights[i, k]` times the input at `positions[i, k]`."""

    axis: int
    positions: Array
    weights: Array

    def matrix(self, length: int) -> Array:
        """Return the sums as a matrix [outputs, length]."""
        matrix = np.zeros((len(self.positions), length), self.weights.dtype)
        rows = np.broadcast_to(np.arange(len(self.positions))[:, None], self.positions.shape)
        np.add.at(matrix, (rows, self.positions), self.weights)
        return matrix


def resized(shape: Sequence[int], steps: Sequence[Sums], pool: ThreadPool) -> Resize:
    """Return the kernel that resizes an array of this shape along one axis after the other."""
    shapes = shapes_between(shape, steps)
    runs = [along(before, step, pool) for before, step in zip(shapes, steps, strict=False)]
    between = [np.empty(step_shape, steps[0].weights.dtype) for step_shape in shapes[1:-1]]

    def run(data: Array, output: Array) -> None:
        sources = [np.ascontiguousarray(data), *between]
        for resize, source, target in zip(runs, sources, [*between, output], strict=True):
            resize(source, target)

    return run


def along(shape: Sequence[int], sums: Sums, pool: ThreadPool) -> Resize:
    """Return the kernel of the sums along one axis that suits its length and the size of its rows."""
    outer, length, inner = prod(shape[: sums.axis]), shape[sums.axis], prod(shape[sums.axis + 1 :])
    if is_product(shape, sums):
        return _by_product(outer, length, inner, sums, pool)
    if inner < policy.RESIZE_ROWS_MIN_ELEMENTS:
        return _by_elements(outer, length, inner, sums)
    return (_by_rows if inner >= policy.RESIZE_ROW_SUMS_MIN_ELEMENTS else _by_picking)(outer, length, inner, sums)


def is_product(shape: Sequence[int], sums: Sums) -> bool:
    """Return whether the sums are the product with a matrix, of which most elements are 0."""
    taps, inner = sums.positions.shape[1], prod(shape[sums.axis + 1 :])
    few = taps <= policy.RESIZE_ROW_SUMS_MAX_TAPS and inner >= policy.RESIZE_ROW_SUMS_MIN_ELEMENTS
    return shape[sums.axis] <= policy.RESIZE_MATRIX_MAX_LENGTH_PER_TAP * taps and not few


def shapes_between(shape: Sequence[int], steps: Sequence[Sums]) -> list[tuple[int, ...]]:
    """Return the shapes before each step and after the last."""
    shapes = [tuple(shape)]
    for step in steps:
        before = shapes[-1]
        shapes.append((*before[: step.axis], len(step.positions), *before[step.axis + 1 :]))
    return shapes


def _by_product(outer: int, length: int, inner: int, sums: Sums, pool: ThreadPool) -> Resize:
    matrix = sums.matrix(length)
    count = len(matrix)
    threads = pool.size if outer * count * length * inner >= policy.SHARED_MIN_MULTIPLICATIONS else 1
    by_outer = inner == 1 or outer >= threads
    parts = split(outer if by_outer else inner, threads)
    transposed = np.ascontiguousarray(matrix.T)

    def run(data: Array, output: Array) -> None:
        source, target = data.reshape(outer, length, inner), output.reshape(outer, count, inner)

        def part(number: int) -> None:
            block = slice(*parts[number])
            if inner == 1:
                np.matmul(source[block, :, 0], transposed, out=target[block, :, 0])
            elif by_outer:
                np.matmul(matrix, source[block], out=target[block])
            else:
                np.matmul(matrix, source[:, :, block], out=target[:, :, block])

        pool.run(part, len(parts))

    return run


def _by_rows(outer: int, length: int, inner: int, sums: Sums) -> Resize:
    """Return the kernel that sums whole rows, one output after the other."""
    taps = [
        [(int(position), weight) for position, weight in zip(*row_taps, strict=True) if weight != 0]
        for row_taps in zip(sums.positions, sums.weights, strict=True)
    ]
    product = np.empty(inner, sums.weights.dtype)

    def run(data: Array, output: Array) -> None:
        source, target = data.reshape(outer, length, inner), output.reshape(outer, len(taps), inner)
        for image, rows in zip(source, target, strict=True):
            for row_taps, row in zip(taps, rows, strict=True):
                if not row_taps:
                    row[...] = 0
                    continue
                np.multiply(image[row_taps[0][0]], row_taps[0][1], out=row)
                for position, weight in row_taps[1:]:
                    np.multiply(image[position], weight, out=product)
                    np.add(row, product, out=row)

    return run


def _by_picking(outer: int, length: int, inner: int, sums: Sums) -> Resize:
    """Return the kernel that picks the rows of each tap for all outputs at once, and sums them."""
    picks = [np.ascontiguousarray(column) for column in sums.positions.T]
    weights = [np.ascontiguousarray(column)[:, None] for column in sums.weights.T]
    product = np.empty((len(sums.positions), inner), sums.weights.dtype)

    def run(data: Array, output: Array) -> None:
        source, target = data.reshape(outer, length, inner), output.reshape(outer, -1, inner)
        for image, rows in zip(source, target, strict=True):
            _add_picked(image, picks, weights, rows, product, 0)

    return run


def _by_elements(outer: int, length: int, inner: int, sums: Sums) -> Resize:
    """Return the kernel that picks the elements of each tap for a block of lines at once, and sums them."""
    within = np.arange(inner)
    picks = [(column[:, None] * inner + within).reshape(-1) for column in sums.positions.T]
    weights = [np.repeat(column, inner) for column in sums.weights.T]
    width = len(picks[0])
    step = max(2**16 // width, 1)
    product = np.empty((step, width), sums.weights.dtype)

    def run(data: Array, output: Array) -> None:
        source, target = data.reshape(outer, length * inner), output.reshape(outer, width)
        for first in range(0, outer, step):
            block = target[first : first + step]
            _add_picked(source[first : first + step], picks, weights, block, product[: len(block)], 1)

    return run


def _add_picked(
    source: Array, picks: Sequence[Array], weights: Sequence[Array], target: Array, product: Array, axis: int
) -> None:
    np.take(source, picks[0], axis=axis, out=target, mode="clip")
    np.multiply(target, weights[0], out=target)
    for pick, weight in zip(picks[1:], weights[1:], strict=True):
        np.take(source, pick, axis=axis, out=product, mode="clip")
        np.multiply(product, weight, out=product)
        np.add(target, product, out=target)
