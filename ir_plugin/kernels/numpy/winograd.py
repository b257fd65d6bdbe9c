"""Winograd convolution F(m, 3): 3x3 convolutions of stride 1 with fewer multiplications.

Tiles of m x m outputs are computed from tiles of (m + 2) x (m + 2) inputs. Data and filters are transformed along both
axes, multiplied as (m + 2)² matrix products, and transformed back. All slices are contiguous in the channels, so that
the transforms are sums of whole lines. The rounding error of m = 4 is some ten times that of a direct sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.numpy.movement import move
from ir_plugin.kernels.numpy.pads import Pads
from ir_plugin.kernels.numpy.products import stage_rows
from ir_plugin.kernels.thread_pool import Scratch, ThreadPool, split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**21
"""Bytes of transformed data in one block, where the filters are small."""

_FILTERS = {
    2: ((1, 0, 0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0, 0, 1)),
    4: (
        (1 / 4, 0, 0), (-1 / 6, -1 / 6, -1 / 6), (-1 / 6, 1 / 6, -1 / 6),
        (1 / 24, 1 / 12, 1 / 6), (1 / 24, -1 / 12, 1 / 6), (0, 0, 1),
    ),
}  # fmt: skip

Lines: TypeAlias = "Array | Sequence[Array]"


_TRANSFORMED_AT_ONCE = 2**18
"""Numbers of f64 that filters become at once: 2 MB."""


def transformed_filters(weights: Array, size: int) -> Array:
    """Return filters [O, C, 3, 3] as matrices [(m + 2)², C, O]."""
    matrix = np.array(_FILTERS[size], np.float64)
    both = np.kron(matrix, matrix)
    outputs, channels = weights.shape[:2]
    transformed = np.empty((len(both), channels, outputs), weights.dtype)
    step = max(_TRANSFORMED_AT_ONCE // (len(both) * outputs), 1)
    for first in range(0, channels, step):
        taps = np.ascontiguousarray(weights[:, first : first + step]).reshape(outputs, -1)
        columns = taps.T.astype(np.float64).reshape(-1, 9, outputs)
        transformed[:, first : first + step] = np.matmul(both, columns).transpose(1, 0, 2)
    return transformed


def _data_2(d: Lines, out: Lines) -> None:
    np.subtract(d[0], d[2], out=out[0])
    np.add(d[1], d[2], out=out[1])
    np.subtract(d[2], d[1], out=out[2])
    np.subtract(d[1], d[3], out=out[3])


def _back_2(m: Lines, out: Lines) -> None:
    np.add(m[0], m[1], out=out[0])
    np.add(out[0], m[2], out=out[0])
    np.subtract(m[1], m[2], out=out[1])
    np.subtract(out[1], m[3], out=out[1])


def _data_4(d: Lines, out: Lines) -> None:
    far = d[4] - d[2]
    near = d[3] - d[1]
    np.multiply(near, 2, out=out[3])
    np.subtract(far, out[3], out=out[4])
    np.add(far, out[3], out=out[3])
    np.subtract(d[0], d[2], out=out[0])
    np.multiply(out[0], 4, out=out[0])
    np.add(out[0], far, out=out[0])
    np.multiply(near, -4, out=out[5])
    np.add(out[5], d[5], out=out[5])
    np.subtract(out[5], d[3], out=out[5])
    np.multiply(d[2], 4, out=far)
    np.subtract(d[4], far, out=far)
    np.multiply(d[1], 4, out=near)
    np.subtract(d[3], near, out=near)
    np.add(far, near, out=out[1])
    np.subtract(far, near, out=out[2])


def _back_4(m: Lines, out: Lines) -> None:
    plus, minus = m[1] + m[2], m[1] - m[2]
    wide, apart = m[3] + m[4], m[3] - m[4]
    np.add(m[0], plus, out=out[0])
    np.add(out[0], wide, out=out[0])
    np.multiply(apart, 2, out=apart)
    np.add(minus, apart, out=out[1])
    np.multiply(wide, 4, out=wide)
    np.add(plus, wide, out=out[2])
    np.multiply(apart, 4, out=apart)
    np.add(minus, apart, out=out[3])
    np.add(out[3], m[5], out=out[3])


_TRANSFORMS: dict[int, tuple[Callable[[Lines, Lines], None], Callable[[Lines, Lines], None]]] = {
    2: (_data_2, _back_2),
    4: (_data_4, _back_4),
}


class _Tiles:
    """The tiles of one convolution, and its padded data."""

    def __init__(self, geometry: Geometry, filters: Array, size: int, epilogue: Rows | None) -> None:
        self.geometry, self.filters, self.size, self.epilogue = geometry, filters, size, epilogue
        self.width = size + 2
        self.data, self.back = _TRANSFORMS[size]
        height, width = geometry.output
        self.rows, self.columns = -(-height // size), -(-width // size)
        channels = geometry.data[3]
        top, left = geometry.begin
        lines, pixels = (top, top + geometry.data[1]), (left, left + geometry.data[2])
        shape = (1, self.rows * size + 2, self.columns * size + 2, channels)
        self.pads = Pads(shape, filters.dtype, lines, pixels)
        self.padded_width = shape[2]
        self.channels, self.outputs = channels, filters.shape[2]

    def pad(self, image: Array, padded: Array, start: int, end: int) -> None:
        """Copy the lines from `start` to before `end` of an image into the padded buffer."""
        top, left = self.geometry.begin
        move(image[start:end], padded[top + start : top + end, left : left + image.shape[1]])

    def forward(self, padded: Array, first: int, count: int, lines: Array, target: Array) -> None:
        """Transform `count` rows of tiles into `target` [w, w, rows, columns, C]."""
        size, width = self.size, self.width
        top = first * size
        lines_in = [padded[top + i : top + i + (count - 1) * size + 1 : size] for i in range(width)]
        self.data(lines_in, lines[:, :count])
        for i in range(width):
            line = lines[i, :count]
            across = [line[:, j : j + (self.columns - 1) * size + 1 : size] for j in range(width)]
            self.data(across, target[i])

    def backward(self, product: Array, first: int, count: int, half: Array, output: Array) -> None:
        """Transform `count` rows of tiles of `product` [w, w, rows, columns, O] back into the output [H, W, O]."""
        size, width = self.size, self.width
        self.back(product, half[:, :, :count])
        height, wide = self.geometry.output
        exact = height % size == 0 and wide % size == 0
        rows = count * size
        if exact:
            image = output[first * size : first * size + rows]
        else:
            image = np.empty((rows, self.columns * size, self.outputs), product.dtype)
        for p in range(size):
            columns = [image[p::size, q::size] for q in range(size)]
            self.back([half[p, j, :count] for j in range(width)], columns)
        if not exact:
            covered = output[first * size : min(first * size + rows, height)]
            covered[...] = image[: len(covered), :wide]

    def finish(self, output: Array, first: int, count: int, start: int, operands: Sequence[Array]) -> None:
        """Apply the epilogue to the lines of `count` rows of tiles."""
        if self.epilogue is not None:
            height, wide = self.geometry.output
            lines = max(stage_rows(self.outputs, output.itemsize) // wide, 1)
            end = min((first + count) * self.size, height)
            for line in range(first * self.size, end, lines):
                block = output[line : min(line + lines, end)].reshape(-1, self.outputs)
                self.epilogue(block, start + line * wide, operands)


class _Blocks:
    """The kernel for small filters: each thread transforms and multiplies its own rows of tiles."""

    def __init__(self, tiles: _Tiles, pool: ThreadPool) -> None:
        width, dtype = tiles.width, tiles.filters.dtype
        line_bytes = width * width * tiles.columns * (tiles.channels + tiles.outputs) * dtype.itemsize
        parts = split(tiles.rows, pool.size)
        count = max(min(BLOCK_BYTES // line_bytes, max(end - start for start, end in parts)), 1)
        self._tiles, self._pool, self._parts, self._rows = tiles, pool, parts, count
        self.scratch = Scratch(
            pool,
            dtype,
            tiles.pads.scratch_shape,
            (len(parts), width, count, tiles.padded_width, tiles.channels),
            (len(parts), width * width * count * tiles.columns * tiles.channels),
            (len(parts), width * width * count * tiles.columns * tiles.outputs),
            (len(parts), tiles.size, width, count, tiles.columns, tiles.outputs),
        )

    def run(self, padded: Array, output: Array, start: int, operands: Sequence[Array]) -> None:
        """Fill the output [H, W, O] of a sample, whose rows of channels begin at `start` for the epilogue."""
        _, *buffers = self.scratch.arrays()

        def part(number: int) -> None:
            begin, end = self._parts[number]
            for first in range(begin, end, self._rows):
                rows = min(self._rows, end - first)
                self._compute([buffer[number] for buffer in buffers], padded, output, first, rows)
                self._tiles.finish(output, first, rows, start, operands)

        self._pool.run(part, len(self._parts))

    def _compute(self, buffers: Sequence[Array], padded: Array, output: Array, first: int, rows: int) -> None:
        """Compute some rows of tiles in the buffers of a thread: lines, data, product and half."""
        tiles, (lines, data, product, half) = self._tiles, buffers
        matrices, count = tiles.width * tiles.width, rows * tiles.columns
        shape = (tiles.width, tiles.width, rows, tiles.columns)
        block_data = data[: matrices * count * tiles.channels].reshape(matrices, count, -1)
        block_product = product[: matrices * count * tiles.outputs].reshape(matrices, count, -1)
        tiles.forward(padded, first, rows, lines, block_data.reshape(*shape, -1))
        np.matmul(block_data, tiles.filters, out=block_product)
        tiles.backward(block_product.reshape(*shape, -1), first, rows, half, output)


class _Phases:
    """The kernel for large filters: threads share the tiles, then the products, then the tiles again."""

    def __init__(self, tiles: _Tiles, pool: ThreadPool) -> None:
        width, rows = tiles.width, tiles.rows
        self._tiles, self._pool = tiles, pool
        self.scratch = Scratch(
            pool,
            tiles.filters.dtype,
            tiles.pads.scratch_shape,
            (width, rows, tiles.padded_width, tiles.channels),
            (width, width, rows, tiles.columns, tiles.channels),
            (width, width, rows, tiles.columns, tiles.outputs),
            (tiles.size, width, rows, tiles.columns, tiles.outputs),
        )
        self._parts, self._matrices = split(rows, pool.size), split(width * width, pool.size)

    def run(self, padded: Array, output: Array, start: int, operands: Sequence[Array]) -> None:
        """Fill the output [H, W, O] of a sample, whose rows of channels begin at `start` for the epilogue."""
        tiles = self._tiles
        _, lines, data, product, half = self.scratch.arrays()
        shape = tiles.width * tiles.width, tiles.rows * tiles.columns, -1

        def forward(number: int) -> None:
            begin, end = self._parts[number]
            tiles.forward(padded, begin, end - begin, lines[:, begin:end], data[:, :, begin:end])

        def multiply(number: int) -> None:
            chosen = slice(*self._matrices[number])
            np.matmul(data.reshape(shape)[chosen], tiles.filters[chosen], out=product.reshape(shape)[chosen])

        def backward(number: int) -> None:
            begin, end = self._parts[number]
            tiles.backward(product[:, :, begin:end], begin, end - begin, half[:, :, begin:end], output)
            tiles.finish(output, begin, end - begin, start, operands)

        self._pool.run(forward, len(self._parts))
        self._pool.run(multiply, len(self._matrices))
        self._pool.run(backward, len(self._parts))


def winograd(
    geometry: Geometry,
    weights: Array,
    epilogue: Rows | None,
    pool: ThreadPool,
    derived: Derived = underived,
    *,
    size: int,
) -> Run:
    """Return the kernel of a convolution by F(size, 3); `weights` are [O, C, 3, 3], stride and dilation 1."""
    (filters,) = derived(("winograd filters", size), [weights], lambda: [transformed_filters(weights, size)])
    tiles = _Tiles(geometry, filters, size, epilogue)
    is_large = filters.nbytes > policy.WINOGRAD_PHASES_MIN_FILTER_BYTES
    kernel = _Phases(tiles, pool) if is_large else _Blocks(tiles, pool)
    parts = split(geometry.data[1], pool.size)
    area = geometry.output[0] * geometry.output[1]

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        (padded,) = tiles.pads.buffer(kernel.scratch.arrays()[0])
        for sample in range(geometry.data[0]):
            image = data[sample]

            def pad(number: int, image: Array = image) -> None:
                tiles.pad(image, padded, *parts[number])

            pool.run(pad, len(parts))
            kernel.run(padded, output[sample], sample * area, operands)

    return run
