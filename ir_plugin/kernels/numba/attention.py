"""Attention head by head: keys and values packed, scores in the first-level cache between both products."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.gemm.blocked import WIDTH, multiply
from ir_plugin.kernels.numba.rows import exponentials
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.last_arrays import LastArrays
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.strided import STRIDED, strided, strided_at
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.attention import Attention, Sizes
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

_ROWS = 32
"""Rows of scores that are computed and used at once."""

_NO_MASK = np.zeros((1, 1, 1, 1), np.float32)
_ANY = "Array(f4, 4, 'A', True)"


@compiled("void(Array(f4, 2, 'A', True), f4, f4[:,:,::1])")
def _pack_keys(key: Array, scale: float, panels: Array) -> None:
    for position in range(key.shape[0]):
        panel, lane = position // WIDTH, position % WIDTH
        for column in range(key.shape[1]):
            panels[panel, column, lane] = key[position, column] * scale


@compiled("void(Array(f4, 2, 'A', True), f4[:,:,::1])")
def _pack_values(value: Array, panels: Array) -> None:
    for panel in range(panels.shape[0]):
        first = panel * WIDTH
        count = min(value.shape[1] - first, WIDTH)
        for position in range(value.shape[0]):
            for lane in range(count):
                panels[panel, position, lane] = value[position, first + lane]


@compiled("void(Array(f4, 2, 'A', True), f4[:,::1])")
def _add(mask: Array, scores: Array) -> None:
    for row in range(scores.shape[0]):
        for position in range(scores.shape[1]):
            scores[row, position] += mask[row, position]


@compiled(f"void({_ANY}, {_ANY}, {_ANY}, {_ANY}, b1, f4, f4[:,:,:,:], i8, i8)")
def _attend(
    query: Array, key: Array, value: Array, mask: Array, masked: bool, scale: float, output: Array, begin: int, end: int
) -> None:
    """Compute the heads [begin, end), counted through all samples."""
    heads, queries, keys = query.shape[1], query.shape[2], key.shape[2]
    key_panels = np.zeros((-(-keys // WIDTH), key.shape[3], WIDTH), np.float32)
    value_panels = np.zeros((-(-value.shape[3] // WIDTH), keys, WIDTH), np.float32)
    start = np.zeros((max(len(key_panels), len(value_panels)), WIDTH), np.float32)
    scores, factors = np.empty((_ROWS, keys), np.float32), np.empty(_ROWS, np.float32)
    for number in range(begin, end):
        sample, head = number // heads, number % heads
        _pack_keys(key[sample, head], scale, key_panels)
        _pack_values(value[sample, head], value_panels)
        for first in range(0, queries, _ROWS):
            count = min(_ROWS, queries - first)
            block, target = scores[:count], output[sample, head, first : first + count]
            multiply(query[sample, head, first : first + count], key_panels, start[: len(key_panels)], block)
            if masked:
                _add(mask[sample, head, first : first + count], block)
            exponentials(block, factors)
            multiply(block, value_panels, start[: len(value_panels)], target)
            for row in range(count):
                for column in range(value.shape[3]):
                    target[row, column] *= factors[row]


ATTENTION = struct(
    "batch heads queries keys depth width masked parts",
    query=STRIDED, key=STRIDED, value=STRIDED, mask=STRIDED, output=STRIDED, scale=np.float32,
)  # fmt: skip
"""Shapes and arrays: query [batch, heads, queries, depth], value [batch, heads, keys, width], mask [.., queries, keys]
unless `masked` is 0."""


@job
def _attend_heads(address: int, part: int) -> None:
    """Compute a part of the heads of all samples."""
    a = arguments_at(address, ATTENTION)
    batch, heads, queries, keys = a.batch, a.heads, a.queries, a.keys
    masked = a.masked != 0
    _attend(
        strided_at(a.query, (batch, heads, queries, a.depth)),
        strided_at(a.key, (batch, heads, keys, a.depth)),
        strided_at(a.value, (batch, heads, keys, a.width)),
        strided_at(a.mask, (batch, heads, queries, keys) if masked else (1, 1, 1, 1)),
        masked,
        a.scale,
        strided_at(a.output, (batch, heads, queries, a.width)),
        bound(batch * heads, a.parts, part),
        bound(batch * heads, a.parts, part + 1),
    )


class JobAttention:
    """The attention that `kernels.numpy.attention` describes, as a job of a spin pool."""

    def __init__(self, sizes: Sizes, scale: float, spin_pool: SpinPool) -> None:
        heads = sizes.batch * sizes.heads
        shared = sizes.work >= policy.ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS
        parts = min(spin_pool.size, heads) if shared else 1
        self._spin_pool = spin_pool
        self._last = LastArrays()
        self._arguments = filled(
            ATTENTION, batch=sizes.batch, heads=sizes.heads, queries=sizes.queries, keys=sizes.keys,
            depth=sizes.width, width=sizes.value_width, parts=parts, scale=scale, mask=strided(_NO_MASK),
        )  # fmt: skip
        self._job = Job(_attend_heads.address, address_of(self._arguments), parts)

    def __call__(self, query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> None:
        """Fill the output."""
        referenced: list[Array] = []
        if not self._last.are(query, key, value, mask, output):
            referenced = self._write_addresses(query, key, value, mask, output)
        self._spin_pool.call(self._job.function, self._job.arguments, self._job.parts)
        del referenced

    def jobs(self, query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> list[Job] | None:
        """Return the only job, or None where an array is copied in every run."""
        self._write_addresses(query, key, value, mask, output)
        return [self._job] if self._last else None

    def _write_addresses(
        self, query: Array, key: Array, value: Array, mask: Array | None, output: Array
    ) -> list[Array]:
        """Write the addresses of arrays; return those that have to live as long as the job."""
        arrays = [query, key, value, *([] if mask is None else [mask])]
        readable = [_readable(array) for array in arrays]
        for name, array in zip(("query", "key", "value", "mask"), readable, strict=False):
            self._arguments[name] = strided(array)
        self._arguments["output"], self._arguments["masked"] = strided(output), mask is not None
        copied = any(array is not copy for array, copy in zip(arrays, readable, strict=True))
        self._last.set(*([] if copied else [query, key, value, mask, output]))
        return readable


def attention(sizes: Sizes, scale: float, pool: ThreadPool) -> Attention:
    """Return the function of query, key, value, mask and output that `kernels.numpy.attention` describes."""
    if isinstance(pool, SpinPool):
        return JobAttention(sizes, scale, pool)
    parts = split(
        sizes.batch * sizes.heads,
        pool.size if sizes.work >= policy.ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS else 1,
    )

    def run(query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> None:
        arrays = [_readable(array) for array in (query, key, value, _NO_MASK if mask is None else mask)]

        def part(number: int) -> None:
            _attend(*arrays, mask is not None, scale, output, *parts[number])

        pool.run(part, len(parts))

    return run


def _readable(array: Array) -> Array:
    """Return an array of aligned f32 whose last dimension is contiguous, unless it is broadcast."""
    fits = array.strides[-1] in (array.itemsize, 0) and array.flags.aligned
    return array if fits else np.require(array, requirements=["C", "A"])
