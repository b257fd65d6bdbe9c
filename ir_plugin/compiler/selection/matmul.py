"""Selects the kernel of a product of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import prod

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, runs_along, split_epilogue, split_for_jobs
from ir_plugin.compiler.selection.in_turn import InTurn, following, with_unfused
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    MakeMover,
    OnArrays,
    OnViews,
    Options,
    StaticKernel,
    movers,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numpy import products
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.tensors import Array


@selects(MatMul)
def select_matmul(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a MatMul, with packed weights where the second operand is constant."""
    a, b, output = op.inputs[0], op.inputs[1], op.outputs[0]
    if a is None or b is None or a.shape is None or b.shape is None or not output.shape:
        return None
    if output.element_type.name not in ("f32", "f64") or len(a.shape) < 2 or len(b.shape) < 2 or 0 in output.shape:
        return None
    product = attributes(op, MatMul)
    left, right = product.transpose_a, product.transpose_b
    if b.constant is not None and len(b.shape) == 2 and not left:
        return select_dense(op, options, a, b.constant.T if right else b.constant)
    return _batched(op, options, a, b, (left, right))


def select_dense(op: Op, options: Options, data: Value, weights: Array) -> Kernel:
    """Return the kernel of a product of rows with constant weights [K, N]."""
    return _compiled(op, options, data, weights) or _with_weights(op, options, data, weights)


def _batched(op: Op, options: Options, a: Value, b: Value, transposed: tuple[bool, bool]) -> Kernel:
    shape = op.outputs[0].shape or ()
    split = split_epilogue(op.epilogue, shape, -1, options)

    def factors(inputs: Sequence[Array]) -> tuple[Array, Array]:
        left, right = (_swapped(array, swap) for array, swap in zip(inputs[:2], transposed, strict=True))
        return left, right

    def make(pool: ThreadPool) -> Execute:
        def otherwise(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            products.batched(*factors(inputs), outputs[0], pool)

        def compiled(inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None] | None:
            left, right = factors(inputs)
            return options.kernels.build(keys.BATCHED_PRODUCT, left, right, outputs[0], pool)

        return InTurn([OnArrays(compiled, otherwise), *following(split, op.outputs[0], False, options, pool, 2)])

    values = [a, b, *split.row_values, *split.unfused_values]
    return StaticKernel(values, make, variant="batched", uses_spin_pool=_spins(op, options))


def _spins(op: Op, options: Options) -> bool:
    return op.outputs[0].element_type.name == "f32" and options.has_spin_pool


def _compiled(op: Op, options: Options, data: Value, weights: Array) -> Kernel | None:
    """Return the compiled product, whose weights are packed once, where BLAS packs them in each call."""
    shape = op.outputs[0].shape or ()
    rows, width = prod(shape[:-1]), shape[-1]
    kernel = options.kernels.find(keys.GEMM) if weights.dtype == np.float32 else None
    if kernel is None or (rows >= policy.GEMM_PACKED_MIN_ROWS and width < kernel.panel_width // 2):
        return None
    bias, epilogue = _bias_first(op.epilogue, shape, weights.dtype)
    split, by_spin_pool = split_for_jobs(epilogue, shape, -1, options), _by_spin_pool(op, options, weights)

    def make(pool: ThreadPool) -> Execute:
        product = by_spin_pool(pool)
        if product is not None:
            return product
        (panels,) = options.weight_cache.derived("panels", [weights], lambda: [kernel.packed(weights)])
        start = kernel.start_of(bias, panels)
        packed = execute_rows(kernel.with_weights(panels, start, width, split.stages, pool), width, split)
        return with_unfused(packed, split, op, options, pool)

    values = [data, *split.row_values, *split.unfused_values]
    return StaticKernel(values, make, variant="packed, numba", uses_spin_pool=_spins(op, options))


def _by_spin_pool(op: Op, options: Options, weights: Array) -> Callable[[ThreadPool], Execute | None]:
    """Return a factory of the product with its epilogue; it takes a spin pool, and returns None for another pool."""
    shape = op.outputs[0].shape or ()
    split = split_for_jobs(op.epilogue, shape, -1, options)
    derived = options.weight_cache.derived
    product = cache(lambda: options.kernels.build(keys.PRODUCT, prod(shape[:-1]), weights, split.stages, derived))

    def make(pool: ThreadPool) -> Execute | None:
        bind = product() if pool.is_spin_pool else None
        if bind is None:
            return None
        rows = execute_rows(bind(pool), shape[-1], split, movers(options, pool))
        return with_unfused(rows, split, op, options, pool)

    return make


def _bias_first(
    epilogue: Sequence[EpilogueOp], shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> tuple[Array, list[EpilogueOp]]:
    """Split an epilogue: return the sum of the bias vectors that it adds first, and the remaining stages."""
    bias, rest = np.zeros(shape[-1], dtype), list(epilogue)
    while rest and _is_bias(rest[0], shape):
        operand = rest.pop(0).operand
        bias += operand.constant.reshape(-1) if operand is not None and operand.constant is not None else 0
    return bias, rest


def _is_bias(epilogue: EpilogueOp, shape: tuple[int, ...]) -> bool:
    operand = epilogue.operand
    constant = None if operand is None else operand.constant
    return epilogue.operation.is_a(Add) and constant is not None and runs_along(constant.shape, shape, -1)


def _with_weights(op: Op, options: Options, data: Value, weights: Array) -> Kernel:
    shape = op.outputs[0].shape or ()
    bias, epilogue = _bias_first(op.epilogue, shape, weights.dtype)
    split, rows = split_epilogue(epilogue, shape, -1, options), prod(shape[:-1])

    @lru_cache(maxsize=8)
    def packed(threads: int) -> Sequence[Array]:
        columns = products.columns_of(weights.shape, rows, threads)
        what = ("columns", *columns)
        return options.weight_cache.derived(what, [weights], lambda: products.packed(weights, columns))

    def make(pool: ThreadPool) -> Execute:
        added = bias if len(epilogue) < len(op.epilogue) else None
        run = products.with_weights(weights, rows, split.rows, pool, added, packed(pool.size))
        return with_unfused(execute_rows(run, shape[-1], split), split, op, options, pool)

    return StaticKernel([data, *split.row_values, *split.unfused_values], make, variant="packed")


def execute_rows(
    run: products.Product, width: int, split: SplitEpilogue, make_mover: MakeMover | None = None
) -> Execute:
    """Return the step around a product of rows."""
    count = len(split.row_values)

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        operands = [array.reshape(-1, width) for array in inputs[1 : 1 + count]]
        return inputs[0].reshape(-1, inputs[0].shape[-1]), outputs[0].reshape(-1, width), operands

    return OnViews(run, views, make_mover)


def _swapped(array: Array, transposed: bool) -> Array:
    return array.swapaxes(-1, -2) if transposed else array
