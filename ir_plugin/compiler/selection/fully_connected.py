"""Selects the kernel of a product with compressed weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ir_plugin.compiler.compressed_ops import BatchedMatMulCompressed, FullyConnectedCompressed
from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.epilogue import split_for_jobs
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import BoundOperation, Execute, Kernel, Options, StaticKernel
from ir_plugin.compiler.selection.matmul import execute_rows, select_dense
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numpy import dynamic_quantization, grouped_codes
from ir_plugin.kernels.numpy.dynamic_quantization import DynamicWeights, dynamic_weights
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
from ir_plugin.kernels.numpy.products import Product, apply_stages
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor


@selects(FullyConnectedCompressed)
def select_fully_connected(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a product with compressed weights, which expands them block by block."""
    data, shape = op.inputs[0] if op.inputs else None, op.outputs[0].shape
    if data is None or not shape or 0 in shape:
        return None
    if data.element_type.name != "f32" or op.outputs[0].element_type.name != "f32":
        return None
    operation = attributes(op, FullyConnectedCompressed)
    weights = operation.weights
    split = split_for_jobs(op.epilogue, shape, -1, options)
    compiled, dense = _forms(operation, split.stages, options)
    if dense is not None:
        return select_dense(op, options, data, dense)
    make_product = _followed(_plain(operation, options), split.rows) if compiled is None else compiled

    def make(pool: ThreadPool) -> Execute:
        return with_unfused(execute_rows(make_product(pool), shape[-1], split), split, op, options, pool)

    variant = f"{weights.element_type.name} weights{'' if compiled is None else ', numba'}"
    values = [data, *split.row_values, *split.unfused_values]
    return StaticKernel(values, make, variant=variant, uses_spin_pool=compiled is not None)


def _forms(
    operation: FullyConnectedCompressed, stages: Sequence[EpilogueStage], options: Options
) -> tuple[Callable[[ThreadPool], Product] | None, Array | None]:
    """Return the compiled form of a product and its stages, or else weights in f32 if all plans expand them once."""
    weights, transposed, build = operation.weights, operation.transposed, options.kernels.build
    dynamic = _dynamic(operation, options)
    if dynamic is not None:
        return build(keys.DYNAMIC_PRODUCT, dynamic, stages), None
    compiled = build(keys.COMPRESSED_PRODUCT, weights, transposed, stages, options.weight_cache.derived)
    return compiled, None if compiled is not None else _expanded(weights, transposed, options)


def _dynamic(operation: FullyConnectedCompressed, options: Options) -> DynamicWeights | None:
    """Return the weights for data quantized to i8 by groups, where the configuration asks for it and they allow it."""
    group_size, derived = options.dynamic_group, options.weight_cache.derived
    return dynamic_weights(operation.weights, operation.transposed, group_size, derived) if group_size else None


def _plain(operation: FullyConnectedCompressed, options: Options) -> Callable[[ThreadPool], Product]:
    """Return a factory of NumPy's product with compressed weights."""
    dynamic = _dynamic(operation, options)
    if dynamic is not None:
        return partial(dynamic_quantization.product, dynamic)
    return _matrix(operation.weights, operation.transposed, options)


def _matrix(weights: CompressedTensor, transposed: bool, options: Options) -> Callable[[ThreadPool], Product]:
    """Return a factory of NumPy's product with a compressed matrix."""
    derived = options.weight_cache.derived
    return lambda pool: grouped_codes.product(weights, transposed, pool, derived)


def _expanded(weights: CompressedTensor, transposed: bool, options: Options) -> Array | None:
    """Return weights [K, N] in f32 that all plans expand once, or None where they stay compressed."""
    is_small_half = weights.is_plain_half and weights.size <= policy.HALF_EXPANDED_MAX_ELEMENTS
    if not is_small_half:
        return None

    def expanded() -> list[Array]:
        values = np.empty(weights.shape, np.float32)
        weights.expand(0, weights.codes_shape[0], values)
        return [values]

    (values,) = options.weight_cache.derived(("f32", weights.key), [weights.codes], expanded)
    return values.T if transposed else values


def _followed(make: Callable[[ThreadPool], Product], epilogue: Rows | None) -> Callable[[ThreadPool], Product]:
    """Return a factory of a product followed by an epilogue."""

    def followed(pool: ThreadPool) -> Product:
        product = make(pool)

        def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
            product(data, output, operands)
            apply_stages(epilogue, output, 0, len(output), operands)

        return run

    return make if epilogue is None else followed


def open_product(
    operation: FullyConnectedCompressed, stages: Sequence[EpilogueStage], rows: Rows | None, options: Options
) -> tuple[Callable[[ThreadPool], Product], bool]:
    """Return a factory of the product of any number of rows and its stages, and whether it is compiled.

    `rows` applies the stages where it is not.
    """
    compiled, dense = _forms(operation, stages, options)
    if compiled is not None:
        return compiled, True
    plain = _plain(operation, options) if dense is None else lambda _: partial(_multiply, dense)
    return _followed(plain, rows), False


def bind_batched(op: Op, options: Options) -> BoundOperation | None:
    """Return the evaluation of products with a batch of compressed matrices by compiled jobs."""
    operation, derived = attributes(op, BatchedMatMulCompressed), options.weight_cache.derived
    matrices = [operation.weights.at(position) for position in range(operation.weights.shape[0])]
    build, is_transposed = options.kernels.build, operation.transposed
    make = [build(keys.COMPRESSED_PRODUCT, matrix, is_transposed, (), derived) for matrix in matrices]
    is_compiled = None not in make
    plain = [_matrix(matrix, is_transposed, options) for matrix in matrices]

    def bind(pool: ThreadPool) -> BatchedMatMulCompressed:
        return operation.bound([(compiled or otherwise)(pool) for compiled, otherwise in zip(make, plain, strict=True)])

    return BoundOperation(bind, f"{operation.weights.element_type.name} weights", is_compiled)


def _multiply(weights: Array, data: Array, output: Array, _: Sequence[Array]) -> None:
    np.matmul(data, weights, out=output)
