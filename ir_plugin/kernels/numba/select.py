"""Elements of one array or the other, by a mask that may be repeated: a choice without a jump for each element.

NumPy's `where` takes three times as long where a mask is not to be foreseen (`python -m benchmarks.kernels`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.jit import compiled, kernel_factory, read_only
from ir_plugin.kernels.numpy.movement import as_numbers, in_order
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.tensors import Array

Kernel: TypeAlias = Callable[..., None]


def _choose(mask: Array, then: Array, otherwise: Array, output: Array, first: int, last: int) -> None:
    """Fill the elements [first, last) of an output; a mask of fewer is repeated, an array of one element is all."""
    start = first
    while start < last:
        at = start % len(mask)
        count = min(last - start, len(mask) - at)
        chosen, target = mask[at : at + count], output[start : start + count]
        if len(then) == 1:
            value, values = then[0], otherwise[start : start + count]
            for k in range(count):
                target[k] = value if chosen[k] else values[k]
        elif len(otherwise) == 1:
            values, value = then[start : start + count], otherwise[0]
            for k in range(count):
                target[k] = values[k] if chosen[k] else value
        else:
            left, right = then[start : start + count], otherwise[start : start + count]
            for k in range(count):
                target[k] = left[k] if chosen[k] else right[k]
        start += count


@kernel_factory(*((item,) for item in keys.MACHINE_WORDS))
def kernel(item: int) -> Kernel:
    """Return the kernel for elements of `item` bytes, which are copied as unsigned numbers."""
    number = f"u{item}"
    chooser: Kernel = compiled(
        f"void({read_only(1, 'b1')}, {read_only(1, number)}, {read_only(1, number)}, {number}[::1], i8, i8)"
    )(_choose)
    return chooser


def choose(run: Kernel, mask: Array, then: Array, otherwise: Array, output: Array, pool: ThreadPool) -> None:
    """Fill an output whose last axes are the mask's; `then` and `otherwise` have its shape, or one has one element."""
    parts = shares(output.size, pool, output.size, policy.SELECT_PART_MIN_ELEMENTS)
    chosen = in_order(mask).reshape(-1)
    numbers = [as_numbers(array) for array in (then, otherwise, output)]
    pool.run(lambda part: run(chosen, *numbers, *parts[part]), len(parts))


@register(keys.SELECT)
def select_kernel(item: int) -> Callable[[Array, Array, Array, Array, ThreadPool], None]:
    """Return a function that fills an output by a mask from two arrays of elements of `item` bytes."""
    return partial(choose, kernel(item))
