"""Attention head by head: keys and values packed, scores in the first-level cache between both products."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.gemm.blocked import WIDTH, multiply
from ir_plugin.kernels.numba.rows import exponentials
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import bound
from ir_plugin.kernels.numba.runtime.strided import STRIDED, strided, strided_at
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, filled, struct
from ir_plugin.kernels.numpy.attention import Sizes, ZeroedRows
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

_ROWS = 32
"""Rows of scores that are computed and used at once."""

_NO_MASK = np.zeros((1, 1, 1, 1), np.float32)
_ANY = "Array(f4, 4, 'A', True)"
_NUMBERS, _FLAGS = 1, 2
"""What a mask has: numbers to add to the scores, or whether a score counts."""
_NO_ROWS, _MASKED_ROWS, _NAN_ROWS = int(ZeroedRows.NONE), int(ZeroedRows.MASKED), int(ZeroedRows.NAN)


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


@compiled("void(Array(b1, 2, 'A', True), f4[:,::1])")
def _exclude(flags: Array, scores: Array) -> None:
    for row in range(scores.shape[0]):
        for position in range(scores.shape[1]):
            addend = np.float32(0) if flags[row, position] else np.float32(-np.inf)
            scores[row, position] += addend


@compiled("b1(f4[::1])")
def _is_masked(scores: Array) -> bool:
    """Return whether all scores are negative infinity."""
    position = 0
    while position < len(scores) and scores[position] == np.float32(-np.inf):
        position += 1
    return position == len(scores)


@compiled("void(f4[:,::1], f4[::1], i8)")
def _exponentials(scores: Array, factors: Array, zeroed: int) -> None:
    """Compute exponentials of rows as `rows.exponentials` does, and set zeroed rows to 0."""
    if zeroed == _NO_ROWS:
        exponentials(scores, factors)
        return
    for row in range(len(scores)):
        is_zeroed = zeroed == _MASKED_ROWS and _is_masked(scores[row])
        exponentials(scores[row : row + 1], factors[row : row + 1])
        if is_zeroed or (zeroed == _NAN_ROWS and np.isnan(factors[row])):
            scores[row] = np.float32(0)
            factors[row] = np.float32(1)


@compiled(f"void({_ANY}, {_ANY}, {_ANY}, {_ANY}, Array(b1, 4, 'A', True), i8, f4, i8, f4[:,:,:,:], i8, i8)")
def _attend(
    query: Array, key: Array, value: Array, mask: Array, flags: Array, masked: int, scale: float, zeroed: int,
    output: Array, begin: int, end: int,
) -> None:  # fmt: skip
    """Compute the heads [begin, end), counted through all samples; neighbours may share keys and values."""
    heads, queries, keys = query.shape[1], query.shape[2], key.shape[2]
    group = heads // key.shape[1]
    key_panels = np.zeros((-(-keys // WIDTH), key.shape[3], WIDTH), np.float32)
    value_panels = np.zeros((-(-value.shape[3] // WIDTH), keys, WIDTH), np.float32)
    start = np.zeros((max(len(key_panels), len(value_panels)), WIDTH), np.float32)
    scores, factors = np.empty((_ROWS, keys), np.float32), np.empty(_ROWS, np.float32)
    for number in range(begin, end):
        sample, head = number // heads, number % heads
        if number == begin or head % group == 0:
            _pack_keys(key[sample, head // group], scale, key_panels)
            _pack_values(value[sample, head // group], value_panels)
        for first in range(0, queries, _ROWS):
            count = min(_ROWS, queries - first)
            block, target = scores[:count], output[sample, head, first : first + count]
            multiply(query[sample, head, first : first + count], key_panels, start[: len(key_panels)], block)
            if masked == _NUMBERS:
                _add(mask[sample, head, first : first + count], block)
            elif masked == _FLAGS:
                _exclude(flags[sample, head, first : first + count], block)
            _exponentials(block, factors, zeroed)
            multiply(block, value_panels, start[: len(value_panels)], target)
            for row in range(count):
                for column in range(value.shape[3]):
                    target[row, column] *= factors[row]


ATTENTION = struct(
    "batch heads key_heads queries keys depth width masked zeroed parts",
    query=STRIDED, key=STRIDED, value=STRIDED, mask=STRIDED, output=STRIDED, scale=np.float32,
)  # fmt: skip
"""Shapes and arrays: query [batch, heads, queries, depth], value [batch, key_heads, keys, width], mask [.., queries,
keys] of the type that `masked` says, 0 for none. `zeroed` is one of `ZeroedRows`."""


@job
def _attend_heads(address: int, part: int) -> None:
    """Compute a part of the heads of all samples."""
    a = arguments_at(address, ATTENTION)
    batch, heads, shared, queries, keys = a.batch, a.heads, a.key_heads, a.queries, a.keys
    scores, none = (batch, heads, queries, keys), (1, 1, 1, 1)
    _attend(
        strided_at(a.query, (batch, heads, queries, a.depth), np.float32),
        strided_at(a.key, (batch, shared, keys, a.depth), np.float32),
        strided_at(a.value, (batch, shared, keys, a.width), np.float32),
        strided_at(a.mask, scores if a.masked == _NUMBERS else none, np.float32),
        strided_at(a.mask, scores if a.masked == _FLAGS else none, np.bool_),
        a.masked,
        a.scale,
        a.zeroed,
        strided_at(a.output, (batch, heads, queries, a.width), np.float32),
        bound(batch * heads, a.parts, part),
        bound(batch * heads, a.parts, part + 1),
    )


@register(keys.ATTENTION)
class JobAttention:
    """The attention that `kernels.numpy.attention` describes, whose heads the threads of a pool share."""

    def __init__(self, sizes: Sizes, scale: float, pool: ThreadPool, zeroed: ZeroedRows = ZeroedRows.NONE) -> None:
        heads = sizes.batch * sizes.heads
        shared = sizes.work >= policy.ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS
        parts = min(pool.size, heads) if shared else 1
        self._pool = pool
        self._arguments = filled(
            ATTENTION, batch=sizes.batch, heads=sizes.heads, key_heads=sizes.heads // sizes.group,
            queries=sizes.queries, keys=sizes.keys, depth=sizes.width, width=sizes.value_width, parts=parts,
            scale=scale, zeroed=int(zeroed), mask=strided(_NO_MASK),
        )  # fmt: skip
        self._job = Job(_attend_heads.address, address_of(self._arguments), parts)

    def __call__(self, query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> None:
        """Fill the output."""
        copies = self._write_addresses(query, key, value, mask, output)
        self._pool.call(self._job.function, self._job.arguments, self._job.parts)
        del copies

    def jobs(self, query: Array, key: Array, value: Array, mask: Array | None, output: Array) -> list[Job] | None:
        """Return the only job, or None where an array is copied in every run."""
        return None if self._write_addresses(query, key, value, mask, output) else [self._job]

    def _write_addresses(
        self, query: Array, key: Array, value: Array, mask: Array | None, output: Array
    ) -> list[Array]:
        """Write the addresses of arrays; return copies of some, which have to live as long as the job."""
        arrays = [query, key, value, *([] if mask is None else [mask])]
        readable = [_readable(array) for array in arrays]
        for name, array in zip(("query", "key", "value", "mask"), readable, strict=False):
            self._arguments[name] = strided(array)
        self._arguments["output"], self._arguments["masked"] = strided(output), _kind(mask)
        return [copy for array, copy in zip(arrays, readable, strict=True) if copy is not array]


def _kind(mask: Array | None) -> int:
    """Return the kind of a mask: 0 for none, else flags or numbers."""
    if mask is None:
        return 0
    return _FLAGS if mask.dtype == np.bool_ else _NUMBERS


def _readable(array: Array) -> Array:
    """Return an aligned array whose last dimension is contiguous, unless it is broadcast."""
    fits = array.strides[-1] in (array.itemsize, 0) and array.flags.aligned
    return array if fits else np.require(array, requirements=["C", "A"])
