"""Elements of one array or the other, by a mask that may be repeated: a choice without a jump for each element.

NumPy's `where` takes long where a mask is not to be foreseen: 4.9 million f32 by a random one 22.8 ms, here 6.9, in two
threads 3.9.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ir_plugin.kernels.compiled.gather import as_numbers
from ir_plugin.kernels.compiled.jit import compiled, given
from ir_plugin.kernels.team import Team, shares
from ir_plugin.tensors import Array

SMALL_ELEMENTS = 2**17
"""Elements that a thread does at least, of those that share them."""


def _choose(mask: Array, then: Array, otherwise: Array, output: Array, first: int, last: int) -> None:
    """Fill the elements [first, last) of an output; a mask of fewer is repeated, an array of one element is all."""
    start = first
    while start < last:
        at = start % len(mask)
        count = min(last - start, len(mask) - at)
        chosen, target = mask[at : at + count], output[start : start + count]
        if len(then) == 1:
            one, others = then[0], otherwise[start : start + count]
            for k in range(count):
                target[k] = one if chosen[k] else others[k]
        elif len(otherwise) == 1:
            ones, other = then[start : start + count], otherwise[0]
            for k in range(count):
                target[k] = ones[k] if chosen[k] else other
        else:
            ones, others = then[start : start + count], otherwise[start : start + count]
            for k in range(count):
                target[k] = ones[k] if chosen[k] else others[k]
        start += count


@cache
def kernel(item: int) -> Callable[..., None]:
    """Return the kernel for elements of so many bytes, which are looked at as unsigned numbers."""
    number = f"u{item}"
    made: Callable[..., None] = compiled(
        f"void({given(1, 'b1')}, {given(1, number)}, {given(1, number)}, {number}[::1], i8, i8)"
    )(_choose)
    return made


def choose(mask: Array, then: Array, otherwise: Array, output: Array, team: Team) -> None:
    """Fill an output whose last axes are the mask's; `then` and `otherwise` have its shape, or one has one element."""
    run = kernel(output.itemsize)
    parts = shares(output.size, team, output.size, SMALL_ELEMENTS)
    chosen = np.require(mask, requirements=["C", "A"]).reshape(-1)
    numbers = [as_numbers(array) for array in (then, otherwise, output)]
    team.run(lambda part: run(chosen, *numbers, *parts[part]), len(parts))
