"""Selects the kernel of a product with compressed weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ir_plugin.compiler.compressed_ops import FullyConnectedCompressed
from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import BoundOperation, Execute, Kernel, Options, split_epilogue
from ir_plugin.compiler.selection.matmul import execute_rows, select_dense
from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy import compressed
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.numpy.products import Product, apply_stages
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor


def select_fully_connected(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a product with compressed weights, which expands them block by block."""
    data, shape = op.inputs[0] if op.inputs else None, op.outputs[0].shape
    if op.type != "FullyConnectedCompressed" or data is None or not shape or 0 in shape:
        return None
    if data.element_type.name != "f32" or op.outputs[0].element_type.name != "f32":
        return None
    operation = attributes(op, FullyConnectedCompressed)
    weights, transposed = operation.weights, operation.transposed
    compiled, dense = _forms(operation, options)
    if dense is not None:
        return select_dense(op, options, data, dense)
    split = split_epilogue(op.epilogue, shape, -1, options)

    def make(pool: ThreadPool) -> Execute:
        run = compressed.product(weights, transposed, pool) if compiled is None else compiled(pool)
        return execute_rows(_then(run, split.rows), shape[-1], split)

    variant = f"{weights.element_type.name} weights{'' if compiled is None else ', numba'}"
    values = [data, *split.row_values, *split.unfused_values]
    return Kernel(values, make, variant=variant, uses_spin_pool=compiled is not None)


def _forms(
    operation: FullyConnectedCompressed, options: Options
) -> tuple[Callable[[ThreadPool], Product] | None, Array | None]:
    """Return the compiled form of a product, or else its weights in f32 where all plans expand them once."""
    weights, transposed = operation.weights, operation.transposed
    compiled = options.kernels.compressed_product(weights, transposed, options.weight_cache.derived)
    return compiled, None if compiled is not None else _expanded_half(weights, transposed, options)


def _expanded_half(weights: CompressedTensor, transposed: bool, options: Options) -> Array | None:
    """Return weights [K, N] of f16 or bf16 that all plans expand once, or None where they stay compressed."""
    is_half = weights.is_plain_half and weights.size <= policy.HALF_EXPANDED_MAX_ELEMENTS
    if not is_half:
        return None

    def expanded() -> list[Array]:
        values = np.empty(weights.shape, np.float32)
        weights.expand(0, weights.codes_shape[0], values)
        return [values]

    (values,) = options.weight_cache.derived(("f32", weights.key), [weights.codes], expanded)
    return values.T if transposed else values


def _then(product: Product, epilogue: Rows | None) -> Product:
    """Return a product followed by an epilogue."""

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        product(data, output, operands)
        apply_stages(epilogue, output, 0, len(output), operands)

    return run if epilogue is not None else product


def bind_fully_connected(op: Op, options: Options) -> BoundOperation | None:
    """Return the evaluation of a product with compressed weights by compiled jobs, for rows of unknown number."""
    if op.epilogue:
        return None
    operation = attributes(op, FullyConnectedCompressed)
    weights, (compiled, dense) = operation.weights, _forms(operation, options)
    if dense is not None:
        return BoundOperation(lambda _: operation.bound(partial(_multiply, dense)), "packed")
    make = partial(compressed.product, weights, operation.transposed) if compiled is None else compiled
    return BoundOperation(
        lambda pool: operation.bound(make(pool)), f"{weights.element_type.name} weights", compiled is not None
    )


def _multiply(weights: Array, data: Array, output: Array, _: Sequence[Array]) -> None:
    np.matmul(data, weights, out=output)
