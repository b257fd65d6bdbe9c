# ruff: noqa: ARG001 - numba reads the names and the number of arguments
"""Products of rows with packed weights: tiles of the result stay in registers while the depth goes by.

LLVM keeps the sums of a loop nest in memory, so the innermost part is written in its own instructions; all around it
is plain Python. BLAS packs both factors in every call, this packs the weights once: [128, 768] x [768, 3072] at 150
GFLOP/s on two Zen 3 cores, where OpenBLAS takes 120 to 131 and OpenVINO 135.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from threadpoolctl import threadpool_info

from ir_plugin.kernels.compiled.jit import compiled, given
from ir_plugin.kernels.post import Rows
from ir_plugin.kernels.products import Product, apply_stages
from ir_plugin.kernels.team import Team, split
from ir_plugin.tensors import Array


def _lanes() -> int:
    """Return how many floats a register of this processor holds; raises ImportError where BLAS is left to do the work.

    That is without fused multiply-add, and where BLAS has kernels for wider registers: those were not measured.
    """
    wide = ("SkylakeX", "Cooperlake", "SapphireRapids")
    if any(library.get("architecture") in wide for library in threadpool_info()):
        raise ImportError("BLAS has kernels for AVX-512")
    features = binding.get_host_cpu_features()
    if platform.machine().lower() in ("x86_64", "amd64") and not features.get("fma", False):
        raise ImportError("the processor has no fused multiply-add")
    return 16 if features.get("avx512f", False) else 8


ROWS, VECTORS, LANES = 4, 3, _lanes()
"""A tile is 4 rows of 3 registers: 12 sums, 3 weights and 1 factor fill the 16 registers of AVX2."""
WIDTH = VECTORS * LANES
"""Columns of a panel of weights."""
DEPTH = 768
"""Rows of a panel that are used for all rows of the data at once: 72 KB of the second-level cache."""
_UNROLLED = 4

_TOOLS: Any = cgutils
_INT, _FLOAT = ir.IntType(64), ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


def _number(value: int) -> Any:
    return ir.Constant(_INT, value)


class _Tile:
    """Emits the instructions of one tile: sums, from `start` on, of products of data rows with a panel."""

    def __init__(self, builder: Any, rows: int, arguments: Sequence[Any]) -> None:
        self.builder = builder
        self.data, self.data_step, self.panel, self.output, self.output_step, _, self.start, self.start_step = arguments
        self.rows = rows
        vector = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        self.fma = _TOOLS.get_or_insert_function(builder.module, vector, f"llvm.fma.v{LANES}f32")
        self.sums = [[_TOOLS.alloca_once(builder, _VECTOR) for _ in range(VECTORS)] for _ in range(rows)]

    def _at(self, base: Any, step: Any, row: int, vector: int, type: Any = _VECTOR) -> Any:
        offset = self.builder.add(self.builder.mul(step, _number(row)), _number(4 * LANES * vector))
        return self.builder.inttoptr(self.builder.add(base, offset), type.as_pointer())

    def begin(self) -> None:
        """Load the sums."""
        for row, sums in enumerate(self.sums):
            for vector, total in enumerate(sums):
                pointer = self._at(self.start, self.start_step, row, vector)
                self.builder.store(self.builder.load(pointer, align=4), total)

    def add(self, index: Any) -> None:
        """Add the products of one column of the data with one row of the panel."""
        builder = self.builder
        panel = builder.add(self.panel, builder.mul(index, _number(4 * WIDTH)))
        column = builder.add(self.data, builder.mul(index, _number(4)))
        weights = [builder.load(self._at(panel, _number(0), 0, vector), align=4) for vector in range(VECTORS)]
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        for row, sums in enumerate(self.sums):
            factor = builder.load(self._at(column, self.data_step, row, 0, _FLOAT), align=4)
            spread = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
            spread = builder.shuffle_vector(spread, ir.Constant(_VECTOR, ir.Undefined), lanes)
            for total, weight in zip(sums, weights, strict=True):
                builder.store(builder.call(self.fma, [spread, weight, builder.load(total)]), total)

    def end(self) -> None:
        """Store the sums."""
        for row, sums in enumerate(self.sums):
            for vector, total in enumerate(sums):
                pointer = self._at(self.output, self.output_step, row, vector)
                self.builder.store(self.builder.load(total), pointer, align=4)


def _tile_of(rows: int) -> Any:
    """Return the function of addresses and steps in bytes that computes a tile of so many rows."""

    @intrinsic
    def tile(
        _context: Any, data: Any, data_step: Any, panel: Any, output: Any, output_step: Any, depth: Any, start: Any,
        start_step: Any,
    ) -> Any:  # fmt: skip
        def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
            made, depth = _Tile(builder, rows, arguments), arguments[5]
            made.begin()
            whole = builder.and_(depth, _number(-_UNROLLED))
            with _TOOLS.for_range_slice(builder, _number(0), whole, _number(_UNROLLED)) as (index, _):
                for offset in range(_UNROLLED):
                    made.add(builder.add(index, _number(offset)))
            with _TOOLS.for_range_slice(builder, whole, depth, _number(1)) as (index, _):
                made.add(index)
            made.end()
            return context.get_dummy_value()

        return types.void(*[types.intp] * 8), generate

    return tile


_one, _two, _three, _four = (_tile_of(rows) for rows in range(1, ROWS + 1))
_ADDRESSES = ", ".join(["i8"] * 9)


@compiled(f"void({_ADDRESSES})")
def _rows_of_tiles(
    rows: int, data: int, data_step: int, panel: int, output: int, output_step: int, depth: int, start: int,
    start_step: int,
) -> None:  # fmt: skip
    for _ in range(rows // ROWS):
        _four(data, data_step, panel, output, output_step, depth, start, start_step)
        data, output, start = data + ROWS * data_step, output + ROWS * output_step, start + ROWS * start_step
    left = rows % ROWS
    if left == 3:
        _three(data, data_step, panel, output, output_step, depth, start, start_step)
    elif left == 2:
        _two(data, data_step, panel, output, output_step, depth, start, start_step)
    elif left == 1:
        _one(data, data_step, panel, output, output_step, depth, start, start_step)


@compiled(f"void(Array(f4, 2, 'A', True), {given(3)}, {given(2)}, f4[:, :])")
def multiply(data: Array, panels: Array, start: Array, output: Array) -> None:
    """Fill rows [M, N] with data [M, K] x panels [P, K, WIDTH] + start [P, WIDTH], where WIDTH P covers N.

    The elements of a row of data and of output are neighbours in memory; rows may be apart.
    """
    rows, width = output.shape
    spare = np.empty((rows if width % WIDTH else 0, WIDTH), np.float32)
    depth = panels.shape[1]
    for number in range(panels.shape[0]):
        column = number * WIDTH
        inside = column + WIDTH <= width
        target = output.ctypes.data + 4 * column if inside else spare.ctypes.data
        step = output.strides[0] if inside else 4 * WIDTH
        origin, origin_step = start.ctypes.data + 4 * column, 0
        panel, source = panels.ctypes.data + 4 * column * depth, data.ctypes.data
        for first in range(0, depth, DEPTH):
            count = min(DEPTH, depth - first)
            _rows_of_tiles(
                rows, source + 4 * first, data.strides[0], panel + 4 * WIDTH * first, target, step, count, origin,
                origin_step,
            )  # fmt: skip
            origin, origin_step = target, step
        if not inside:
            for row in range(rows):
                for place in range(width - column):
                    output[row, column + place] = spare[row, place]


def packed(weights: Array) -> Array:
    """Return weights [K, N] as panels [P, K, WIDTH], the last one filled up with zeros."""
    depth, width = weights.shape
    count = -(-width // WIDTH)
    panels = np.zeros((count, depth, WIDTH), np.float32)
    for number in range(count):
        part = weights[:, number * WIDTH : (number + 1) * WIDTH]
        panels[number, :, : part.shape[1]] = part
    return panels


def start_of(bias: Array | None, panels: Array) -> Array:
    """Return a bias of N numbers, or none, as the sums that tiles begin with."""
    start = np.zeros((len(panels), WIDTH), np.float32)
    if bias is not None:
        start.reshape(-1)[: bias.size] = bias
    return start


FEW_ROWS = 8
"""Rows below which a product is bound by reading the weights, which BLAS does without packing them."""

SHARED_WORK = 2**22
"""Multiplications from which on threads share a product: some 100 µs of one thread's work."""

ROWS_A_THREAD = 48
"""Rows a thread from which on threads share the rows, and apply fused stages to theirs; below, they share the columns.

Sharing columns alone is 3 % faster for 128 rows and 17 % for 49, but the stages then wait for all threads.
"""

BLOCK_ROWS = 128
"""Rows that meet a panel together."""


def with_weights(panels: Array, start: Array, width: int, rows: int, post: Rows | None, team: Team) -> Product:
    """Return the product of so many rows with packed weights of `width` columns, from `start` on, and fused stages."""
    shared = team.size if rows * panels.size // WIDTH * WIDTH >= SHARED_WORK else 1
    if shared == 1 or rows >= ROWS_A_THREAD * shared:
        return _sharing_rows(panels, start, rows, post, team, shared)
    return _sharing_columns(panels, start, width, rows, post, team)


def _sharing_rows(panels: Array, start: Array, rows: int, post: Rows | None, team: Team, shared: int) -> Product:
    parts = [(begin * ROWS, min(end * ROWS, rows)) for begin, end in split(-(-rows // ROWS), shared)]

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        data = _readable(data)

        def part(number: int) -> None:
            begin, end = parts[number]
            for first in range(begin, end, BLOCK_ROWS):
                last = min(first + BLOCK_ROWS, end)
                multiply(data[first:last], panels, start, output[first:last])
                apply_stages(post, output, first, last, operands)

        team.run(part, len(parts))

    return run


def _sharing_columns(panels: Array, start: Array, width: int, rows: int, post: Rows | None, team: Team) -> Product:
    parts, stage_parts = split(len(panels), team.size), split(rows, team.size)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        data = _readable(data)

        def product(number: int) -> None:
            begin, end = parts[number]
            target = output[:, begin * WIDTH : min(end * WIDTH, width)]
            multiply(data, panels[begin:end], start[begin:end], target)

        team.run(product, len(parts))
        if post is not None:
            team.run(lambda number: apply_stages(post, output, *stage_parts[number], operands), len(stage_parts))

    return run


def _readable(data: Array) -> Array:
    """Return rows of neighbouring elements, as `multiply` reads them."""
    return (
        data if data.strides[1] == data.itemsize and data.flags.aligned else np.require(data, requirements=["C", "A"])
    )
