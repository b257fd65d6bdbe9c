"""Selects kernels whose work is compiled jobs of a spin pool, where numba is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any, TypeAlias

from ir_plugin.compiler.selection.kernel import Options, SplitEpilogue
from ir_plugin.compiler.selection.provider import compiled_module
from ir_plugin.compiler.selection.winograd_cost import NUMBA, winograd_size
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.movement import move
from ir_plugin.kernels.numpy.pooling import Pooling
from ir_plugin.kernels.numpy.rows import RowKernel
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

Copies: TypeAlias = "Callable[[Sequence[Array]], bool]"
"""Fills the last array from the others, or returns that it cannot."""


@cache
def has_spin_pool() -> bool:
    """Return whether a spin pool can be compiled here."""
    return compiled_module("runtime.spin_pool") is not None


def spin_pool_of(threads: int) -> ThreadPool | None:
    """Return a spin pool of so many threads, or None if it cannot be compiled."""
    module = compiled_module("runtime.spin_pool") if has_spin_pool() else None
    return None if module is None else module.SpinPool(threads)


def spin_convolution(
    name: str, geometry: Geometry, weights: Array, split: SplitEpilogue, options: Options
) -> tuple[str, Callable[[ThreadPool], Run]] | None:
    """Return the name of a convolution's kernel and what binds it to a spin pool, or None if it has none.

    In two threads it takes .5 to .9 of the time of NumPy's forms, and less for small convolutions, where waking a
    thread takes as long as the work.
    """
    known = name in ("pointwise", "unfolded", "grouped pointwise", "grouped") or name.startswith("winograd")
    usable = known and weights.dtype == "float32" and options.uses_numba and has_spin_pool()
    epilogue = compiled_module("epilogue") if usable else None
    encoded = None if epilogue is None else epilogue.encode_epilogue(split.stages, geometry.channels)
    if encoded is None:
        return None
    plain = weights[0] if weights.ndim == 5 and len(weights) == 1 else weights
    size = 0 if name.startswith("grouped") else winograd_size(geometry, options.winograd, NUMBA)
    direct = compiled_module("direct_convolution")
    if direct is None:
        return None
    if size:
        winograd: Any = compiled_module("winograd")
        return f"winograd {size}, numba", winograd.winograd(geometry, plain, encoded, size)
    kind = "direct" if name == "unfolded" or name.startswith("winograd") else name
    return f"{kind}, numba", direct.convolution(geometry, plain, encoded)


def spin_concat(rows: int, widths: Sequence[int], pool: ThreadPool) -> Copies | None:
    """Return the concatenation of rows, or None if the pool is no spin pool."""
    module = _for_spin_pool("concat", pool)
    return None if module is None else module.Concat(rows, widths, pool)


def spin_pooling(sizes: Sequence[Any], pool: ThreadPool) -> Pooling | None:
    """Return the pooling of these sizes, those of `kernels.numba.pooling`, or None if the pool is no spin pool."""
    module = _for_spin_pool("pooling", pool)
    return None if module is None else module.Pool(*sizes, pool)


def spin_lrn(
    rows: int,
    width: int,
    factors: tuple[float, float, float],
    reach: int,
    stages: Sequence[EpilogueStage],
    pool: ThreadPool,
) -> RowKernel | None:
    """Return a local response normalization by alpha, beta and bias, and its epilogue; None as `spin_chain`."""
    epilogue, module = _for_spin_pool("epilogue", pool), _for_spin_pool("lrn", pool)
    encoded = None if epilogue is None else epilogue.encode_epilogue(stages, width)
    return None if module is None or encoded is None else module.Lrn(rows, width, factors, reach, encoded, pool)


def spin_product(
    rows: int, weights: Array, stages: Sequence[EpilogueStage], options: Options
) -> Callable[[ThreadPool], RowKernel] | None:
    """Return what binds the product of rows with weights [K, N], and an epilogue, to a spin pool, or None."""
    if weights.dtype != "float32" or not options.uses_numba or not has_spin_pool():
        return None
    epilogue, tiles = compiled_module("epilogue"), compiled_module("direct_convolution")
    encoded = None if epilogue is None else epilogue.encode_epilogue(stages, weights.shape[1])
    return None if tiles is None or encoded is None else tiles.product(rows, weights, encoded)


def mover(source: Array, target: Array, pool: ThreadPool) -> Callable[[], None]:
    """Return the copy of one array to another in another order, whose places in memory stay the same."""
    module = _for_spin_pool("transpose", pool)
    if module is None or not module.can_transpose(source, target):
        return lambda: move(source, target)
    made: Callable[[], None] = module.Transpose(source, target, pool)
    return made


def spin_chain(rows: int, width: int, stages: Sequence[EpilogueStage], pool: ThreadPool) -> RowKernel | None:
    """Return an epilogue on rows, or None if the pool is no spin pool or the kernel does not know all of its ops."""
    epilogue, module = _for_spin_pool("epilogue", pool), _for_spin_pool("epilogue_chain", pool)
    encoded = None if epilogue is None else epilogue.encode_epilogue(stages, width)
    return None if module is None or encoded is None else module.Chain(rows, width, encoded, pool)


def _for_spin_pool(name: str, pool: ThreadPool) -> ModuleType | None:
    return compiled_module(name) if pool.is_spin_pool else None
