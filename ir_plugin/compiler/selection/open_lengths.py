"""Kernels of ops whose lengths only a run decides: they allocate their outputs, and serve inputs of all lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ir_plugin.compiler.compressed_ops import FullyConnectedCompressed
from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.passes.rms_norm_fusion import RmsNorm
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.epilogue import rows_of
from ir_plugin.compiler.selection.fully_connected import open_product
from ir_plugin.compiler.selection.kernel import Allocate, Followed, Kernel, OpenExecute, OpenKernel, Options
from ir_plugin.compiler.selection.normalization import absorbed, mvn_axes
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.keys import GemmKernels
from ir_plugin.kernels.numpy import products, rows
from ir_plugin.kernels.numpy.elementwise import binary, can_follow, unary
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.activation.elu import Elu
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import HSigmoid, HSwish, Sigmoid
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.arithmetic.unary import Erf, Tanh
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.normalization.mvn import MVN, MVN2
from ir_plugin.operations.table import OperationTable
from ir_plugin.tensors import Array

_SLOW_UFUNCS = (Gelu, Swish, Sigmoid, HSwish, HSigmoid, Tanh, Erf, Elu)
"""Unary operations that take several passes over memory, or a long one, without a kernel."""


def select_open(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an op of f32 with an output of unknown lengths, but with known widths of rows."""
    output = op.outputs[0]
    if output.shape is not None or output.element_type.name != "f32" or len(op.outputs) != 1:
        return None
    data = op.inputs[0] if op.inputs else None
    if data is None or data.element_type.name != "f32" or data.constant is not None or not rank_of(data):
        return None
    select = _SELECTORS.get(op.operation)
    if select is not None:
        return select(op, data, options)
    return _unary(op, data, options) if op.is_a(*_SLOW_UFUNCS) else None


class _OpenEpilogue:
    """Elementwise ops fused into an output of rows of known width; operands may have any lengths that broadcast."""

    def __init__(self, epilogue: Sequence[EpilogueOp], width: int, options: Options) -> None:
        self.epilogue = list(epilogue)
        self.values = [item.operand for item in epilogue if item.operand is not None and item.operand.constant is None]
        self.stages = self._stages()
        self.rows: Rows | None = rows_of(self.stages, width, options)
        """Applies all ops to rows where every operand has the shape of the output."""
        self._width = width

    def _stages(self) -> list[EpilogueStage]:
        positions = {value: number for number, value in enumerate(self.values)}
        return [
            EpilogueStage(item.operation)
            if item.operand is None
            else EpilogueStage(
                item.operation,
                positions[item.operand] if item.operand.constant is None else item.operand.constant,
                item.operand_first,
            )
            for item in self.epilogue
        ]

    def as_rows(self, shape: tuple[int, ...], operands: Sequence[Array]) -> list[Array] | None:
        """Return operands as rows; None where one has to broadcast to the shape, or broadcasts the output."""
        if any(array.shape != shape for array in operands):
            return None
        return [array.reshape(-1, self._width) for array in operands]

    def broadcast(self, output: Array, operands: Sequence[Array], allocate: Allocate) -> Array:
        """Apply all ops, one after the other, to the output or to the larger array that it broadcasts to."""
        left = iter(operands)
        for item in self.epilogue:
            if item.operand is None:
                function = unary(item.operation)
                if function is not None:
                    function(output)
                continue
            operand = next(left) if item.operand.constant is None else item.operand.constant
            shape = np.broadcast_shapes(output.shape, operand.shape)
            target = output if shape == output.shape else allocate(shape)
            binary(item.operation, item.operand_first)(output, operand, out=target)
            output = target
        return output


def _by_rows(
    run: products.Product, bare: products.Product, width: int | None, epilogue: _OpenEpilogue, out_width: int | None
) -> OpenExecute:
    """Return the function that allocates an output whose rows `run` fills with the epilogue, and `bare` without."""

    def execute(inputs: Sequence[Array], allocate: Allocate) -> Array:
        data, operands = inputs[0], inputs[1:]
        own = width or data.shape[-1]
        if data.shape[-1] != own:
            raise ValueError(f"rows of {data.shape[-1]} elements are multiplied by a matrix of {own} rows")
        output = allocate((*data.shape[:-1], out_width or own))
        if output.size == 0 or own == 0:
            output.fill(0)
            return epilogue.broadcast(output, operands, allocate)
        matrix, target = data.reshape(-1, own), output.reshape(-1, output.shape[-1])
        rows = epilogue.as_rows(output.shape, operands)
        if rows is None:
            bare(matrix, target, [])
            return epilogue.broadcast(output, operands, allocate)
        run(matrix, target, rows)
        return output

    return execute


def _weights_of(op: Op) -> Array | None:
    """Return the constant matrix [K, N] of f32 by which rows of known width are multiplied."""
    data, factor = (*op.inputs, None, None)[:2]
    if not op.is_a(MatMul) or data is None or factor is None or factor.constant is None or factor.constant.ndim != 2:
        return None
    product, rank = attributes(op, MatMul), rank_of(data) or 0
    if product.transpose_a or rank < 2 or factor.element_type.name != "f32" or 0 in factor.constant.shape:
        return None
    weights: Array = factor.constant.T if product.transpose_b else factor.constant
    return weights if static_length(data, rank - 1) in (None, len(weights)) else None


def _product(op: Op, data: Value, options: Options) -> Kernel | None:
    """Return the product of rows with weights that are packed once."""
    weights = _weights_of(op)
    if weights is None:
        return None
    depth, width = weights.shape
    bias, rest = _bias_and_rest(op.epilogue, width)
    epilogue, gemm = _OpenEpilogue(rest, width, options), options.kernels.find(keys.GEMM)
    if gemm is not None and width < gemm.panel_width // 2:
        gemm = None

    def make(pool: ThreadPool) -> OpenExecute:
        product = _by_blas(weights, bias, options) if gemm is None else _packed(weights, bias, gemm, pool, options)
        return _by_rows(product(epilogue.stages), product([]), depth, epilogue, width)

    variant = "open, numba" if gemm is not None else "open"
    return OpenKernel([data, *epilogue.values], make, variant=variant)


def _compressed(op: Op, data: Value, options: Options) -> Kernel | None:
    """Return the product of rows with compressed weights."""
    operation = attributes(op, FullyConnectedCompressed)
    depth, width = operation.sizes
    epilogue = _OpenEpilogue(op.epilogue, width, options)
    make_product, is_compiled = open_product(operation, epilogue.stages, epilogue.rows, options)
    make_bare = open_product(operation, (), None, options)[0] if epilogue.stages else make_product

    def make(pool: ThreadPool) -> OpenExecute:
        return _by_rows(make_product(pool), make_bare(pool), depth, epilogue, width)

    variant = f"{operation.weights.element_type.name} weights, open{', numba' if is_compiled else ''}"
    return OpenKernel([data, *epilogue.values], make, variant=variant, uses_spin_pool=is_compiled)


def _bias_and_rest(epilogue: Sequence[EpilogueOp], width: int) -> tuple[Array, list[EpilogueOp]]:
    """Split an epilogue: return the bias [width] that it adds first, or zeros, and the remaining ops."""
    first = epilogue[0].operand if epilogue and epilogue[0].operation.is_a(Add) else None
    if first is None or first.constant is None:
        return np.zeros(width, np.float32), list(epilogue)
    return np.broadcast_to(first.constant.reshape(-1), (width,)), list(epilogue[1:])


def _packed(
    weights: Array, bias: Array, gemm: GemmKernels, pool: ThreadPool, options: Options
) -> Callable[[Sequence[EpilogueStage]], products.Product]:
    """Return a factory of products with packed weights, for fused stages."""
    (panels,) = options.weight_cache.derived("panels", [weights], lambda: [gemm.packed(weights)])
    start = gemm.start_of(bias, panels)
    return lambda stages: gemm.with_weights(panels, start, weights.shape[1], stages, pool)


def _by_blas(weights: Array, bias: Array, options: Options) -> Callable[[Sequence[EpilogueStage]], products.Product]:
    """Return a factory of BLAS products with weights in C order, for fused stages."""
    (ordered,) = options.weight_cache.derived("in order", [weights], lambda: [np.ascontiguousarray(weights)])

    def product(stages: Sequence[EpilogueStage]) -> products.Product:
        rows = rows_of(stages, len(bias), options)

        def run(matrix: Array, target: Array, operands: Sequence[Array]) -> None:
            np.matmul(matrix, ordered, out=target)
            np.add(target, bias, out=target)
            if rows is not None:
                rows(target, 0, operands)

        return run

    return product


def _row_axes(op: Op, data: Value) -> tuple[int, MVN | MVN2] | None:
    """Return the width of the rows that an op normalizes, and the operation; None where they are not the last axis."""
    operation, rank = op.operation, rank_of(data) or 0
    if not op.is_a(MVN, RmsNorm) or not isinstance(operation, (MVN, MVN2)):
        return None
    if rank < 2 or mvn_axes(op, operation, rank) != [rank - 1]:
        return None
    width = static_length(data, rank - 1)
    return None if not width else (width, operation)


def _normalization(op: Op, data: Value, options: Options) -> Kernel | None:
    """Return the normalization of rows of known width."""
    normalized = _row_axes(op, data)
    if normalized is None:
        return None
    width, operation = normalized
    centred, variance = not isinstance(operation, RmsNorm), operation.normalize_variance
    inside = isinstance(operation, MVN2) or operation.eps_mode.lower() == "inside_sqrt"
    stages, kernel = list(op.epilogue), options.kernels.find(keys.NORMALIZATION)
    scale, offset = absorbed(stages if kernel else [], (0,) * ((rank_of(data) or 1) - 1) + (width,), -1, width)
    epilogue = _OpenEpilogue(stages, width, options)

    def of(stages: Rows | None, pool: ThreadPool) -> rows.RowKernel:
        if kernel is not None:
            compiled = kernel((operation.eps, inside, variance, centred), scale, offset, pool)
            return compiled if stages is None else Followed(compiled, None, stages)
        if not centred:
            return rows.root_mean(width, operation.eps, stages, pool)
        return rows.normalized(width, operation.eps, inside, variance, stages, pool)

    def make(pool: ThreadPool) -> OpenExecute:
        return _by_rows(of(epilogue.rows, pool), of(None, pool), width, epilogue, None)

    return OpenKernel([data, *epilogue.values], make, variant="open, numba" if kernel else "open")


def _softmax(op: Op, data: Value, options: Options) -> Kernel | None:
    """Return the softmax along the last axis."""
    rank, kernel = rank_of(data) or 0, options.kernels.find(keys.SOFTMAX_ROWS)
    if op.epilogue or rank < 2 or attributes(op, Softmax).axis % rank != rank - 1:
        return None
    epilogue = _OpenEpilogue([], 1, options)

    def make(pool: ThreadPool) -> OpenExecute:
        plain = (kernel or rows.softmax)(pool)
        return _by_rows(plain, plain, None, epilogue, None)

    return OpenKernel([data], make, variant="open, numba" if kernel else "open")


def _unary(op: Op, data: Value, options: Options) -> Kernel | None:
    """Return a function of elements, of which blocks pass through the cache once."""
    if op.epilogue or len(op.inputs) != 1 or not can_follow(op.operation, 1, op.outputs[0].dtype):
        return None
    stages = rows_of([EpilogueStage(op.operation)], 2, options)

    def make(pool: ThreadPool) -> OpenExecute:
        def block(matrix: Array, target: Array, first: int, operands: Sequence[Array]) -> None:
            np.copyto(target, matrix)
            if stages is not None:
                stages(target, first, operands)

        kernel = rows.in_blocks(block, pool, policy.ELEMENTWISE_SHARED_MIN_ELEMENTS)

        def execute(inputs: Sequence[Array], allocate: Allocate) -> Array:
            data = inputs[0]
            output = allocate(data.shape)
            if output.size:
                width = data.shape[-1]
                kernel(data.reshape(-1, width), output.reshape(-1, width), [])
            return output

        return execute

    return OpenKernel([data], make, variant="open")


_SELECTORS: OperationTable[Callable[[Op, Value, Options], Kernel | None]] = OperationTable(
    {
        FullyConnectedCompressed: _compressed,
        MatMul: _product,
        MVN: _normalization,
        RmsNorm: _normalization,
        Softmax: _softmax,
    }
)
