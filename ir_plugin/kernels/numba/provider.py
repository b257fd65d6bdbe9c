"""The provider of compiled kernels, which imports each module when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from types import ModuleType
from typing import TYPE_CHECKING

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numba.availability import ENCODE, Compiling, Lazy, OnSpinPool, WithEpilogue
from ir_plugin.kernels.provider import KernelProvider

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
    from ir_plugin.kernels.numpy.convolution import Geometry, Run
    from ir_plugin.kernels.numpy.epilogue import EpilogueStage
    from ir_plugin.kernels.numpy.quantization import Levels, QuantizedEpilogue, SumsEpilogue
    from ir_plugin.kernels.numpy.rows import RowKernel
    from ir_plugin.kernels.thread_pool import ThreadPool
    from ir_plugin.tensors import Array


def _import_attention() -> ModuleType:
    from ir_plugin.kernels.numba import attention

    return attention


def _import_broadcast() -> ModuleType:
    from ir_plugin.kernels.numba import broadcast

    return broadcast


def _import_cached_attention() -> ModuleType:
    from ir_plugin.kernels.numba import cached_attention

    return cached_attention


def _import_concat() -> ModuleType:
    from ir_plugin.kernels.numba import concat

    return concat


def _import_deformable() -> ModuleType:
    from ir_plugin.kernels.numba import deformable

    return deformable


def _import_depthwise() -> ModuleType:
    from ir_plugin.kernels.numba import depthwise

    return depthwise


def _import_direct_convolution() -> ModuleType:
    from ir_plugin.kernels.numba import direct_convolution

    return direct_convolution


def _import_epilogue() -> ModuleType:
    from ir_plugin.kernels.numba import epilogue

    return epilogue


def _import_epilogue_chain() -> ModuleType:
    from ir_plugin.kernels.numba import epilogue_chain

    return epilogue_chain


def _import_fake_quantize() -> ModuleType:
    from ir_plugin.kernels.numba import fake_quantize

    return fake_quantize


def _import_finite() -> ModuleType:
    from ir_plugin.kernels.numba import finite

    return finite


def _import_gather() -> ModuleType:
    from ir_plugin.kernels.numba import gather

    return gather


def _import_batched() -> ModuleType:
    from ir_plugin.kernels.numba.gemm import batched

    return batched


def _import_blocked() -> ModuleType:
    from ir_plugin.kernels.numba.gemm import blocked

    return blocked


def _import_compressed() -> ModuleType:
    from ir_plugin.kernels.numba.gemm import compressed

    return compressed


def _import_dynamic_products() -> ModuleType:
    from ir_plugin.kernels.numba.gemm import dynamic_products

    return dynamic_products


def _import_packed_weights() -> ModuleType:
    from ir_plugin.kernels.numba.gemm import packed_weights

    return packed_weights


def _import_grid_sample() -> ModuleType:
    from ir_plugin.kernels.numba import grid_sample

    return grid_sample


def _import_group_normalization() -> ModuleType:
    from ir_plugin.kernels.numba import group_normalization

    return group_normalization


def _import_integer_convolution() -> ModuleType:
    from ir_plugin.kernels.numba import integer_convolution

    return integer_convolution


def _import_loop_copies() -> ModuleType:
    from ir_plugin.kernels.numba import loop_copies

    return loop_copies


def _import_lrn() -> ModuleType:
    from ir_plugin.kernels.numba import lrn

    return lrn


def _import_means() -> ModuleType:
    from ir_plugin.kernels.numba import means

    return means


def _import_non_max_suppression() -> ModuleType:
    from ir_plugin.kernels.numba import non_max_suppression

    return non_max_suppression


def _import_padding() -> ModuleType:
    from ir_plugin.kernels.numba import padding

    return padding


def _import_pooling() -> ModuleType:
    from ir_plugin.kernels.numba import pooling

    return pooling


def _import_quantized_rows() -> ModuleType:
    from ir_plugin.kernels.numba import quantized_rows

    return quantized_rows


def _import_recurrent() -> ModuleType:
    from ir_plugin.kernels.numba import recurrent

    return recurrent


def _import_recurrent_job() -> ModuleType:
    from ir_plugin.kernels.numba import recurrent_job

    return recurrent_job


def _import_resize() -> ModuleType:
    from ir_plugin.kernels.numba import resize

    return resize


def _import_roi_align() -> ModuleType:
    from ir_plugin.kernels.numba import roi_align

    return roi_align


def _import_rows() -> ModuleType:
    from ir_plugin.kernels.numba import rows

    return rows


def _import_job_table() -> ModuleType:
    from ir_plugin.kernels.numba.runtime import job_table

    return job_table


def _import_spin_pool() -> ModuleType:
    from ir_plugin.kernels.numba.runtime import spin_pool

    return spin_pool


def _import_transposed() -> ModuleType:
    from ir_plugin.kernels.numba.runtime import transposed

    return transposed


def _import_scatter() -> ModuleType:
    from ir_plugin.kernels.numba import scatter

    return scatter


def _import_select() -> ModuleType:
    from ir_plugin.kernels.numba import select

    return select


def _import_small_operations() -> ModuleType:
    from ir_plugin.kernels.numba import small_operations

    return small_operations


def _import_transpose() -> ModuleType:
    from ir_plugin.kernels.numba import transpose

    return transpose


def _import_transposed_convolution() -> ModuleType:
    from ir_plugin.kernels.numba import transposed_convolution

    return transposed_convolution


def _import_winograd() -> ModuleType:
    from ir_plugin.kernels.numba import winograd

    return winograd


class NumbaKernels(KernelProvider):
    """Kernels that numba compiles; `KernelProvider` describes the members."""

    aligner = Lazy(_import_roi_align, "CompiledAligner")
    attention = Lazy(_import_attention, "attention")
    convolver = Lazy(_import_deformable, "CompiledConvolver")
    copied = Lazy(_import_transposed, "copied")
    epilogue_rows = Lazy(_import_epilogue, "compiled_rows")
    fake_quantize = Lazy(_import_fake_quantize)
    few_queries = Lazy(_import_cached_attention, "few_queries")
    gemm = Lazy(_import_blocked)
    grid_sample = Lazy(_import_grid_sample, "sample")
    merged_groups = Lazy(_import_packed_weights, "merged_groups")
    recurrent = Lazy(_import_recurrent_job, "Recurrent")
    recurrent_steps = Lazy(_import_recurrent, "compiled_steps")
    resize = Lazy(_import_resize)
    rows = Lazy(_import_rows)
    sums_of_levels = Lazy(_import_quantized_rows, "sums_of_levels")
    suppression = Lazy(_import_non_max_suppression, "CompiledSuppression")
    transposed_depthwise = Lazy(_import_transposed_convolution, "depthwise")

    batched_product = OnSpinPool(_import_batched, "batched")
    broadcast = OnSpinPool(_import_broadcast, "broadcast")
    concat = OnSpinPool(_import_concat, "RowConcatenation")
    finite_check = OnSpinPool(_import_finite, "FiniteCheck")
    job_table = OnSpinPool(_import_job_table, "CompiledJobTable")
    loop_copies = OnSpinPool(_import_loop_copies, "LoopCopies")
    means = OnSpinPool(_import_means, "Means")
    normalization = OnSpinPool(_import_rows, "Normalization")
    padding = OnSpinPool(_import_padding, "padding")
    pooling = OnSpinPool(_import_pooling, "Pool")
    small_operation = OnSpinPool(_import_small_operations, "small_operation")
    softmax_rows = OnSpinPool(_import_rows, "SoftmaxRows")
    transpose = OnSpinPool(_import_transpose, "transpose")

    chain = WithEpilogue(_import_epilogue_chain, "Chain", lambda _rows, width: width)
    group_normalization = WithEpilogue(
        _import_group_normalization, "GroupedNormalization", lambda _samples, _rows, factors: factors[2].size
    )
    lrn = WithEpilogue(_import_lrn, "Lrn", lambda _rows, width, *_: width)

    compressed_product = Compiling(_import_compressed, "product")
    dynamic_product = Compiling(_import_dynamic_products, "product")
    gather = Compiling(_import_gather, "gather_kernel")
    scatter_elements = Compiling(_import_scatter, "elements_kernel")
    scatter_tuples = Compiling(_import_scatter, "tuples_kernel")
    select = Compiling(_import_select, "select_kernel")

    _spin_pool = Lazy(_import_spin_pool, "SpinPool")
    _encodable_stages = Lazy(_import_epilogue, "encodable_stages")
    _depthwise = Lazy(_import_depthwise, "Depthwise")
    _direct_convolution = Lazy(_import_direct_convolution, "convolution")
    _integer_convolution = Lazy(_import_integer_convolution, "integer_convolution")
    _product = Lazy(_import_direct_convolution, "product")
    _quantized_chain = Lazy(_import_quantized_rows, "QuantizedChain")
    _winograd = Lazy(_import_winograd, "winograd")

    @property
    def has_spin_pool(self) -> bool:
        return self._spin_pool is not None

    def spin_pool(self, threads: int) -> ThreadPool | None:
        return self._spin_pool(threads) if self.has_spin_pool else None

    def job_stages(self, stages: Sequence[EpilogueStage]) -> int:
        count = self._encodable_stages if self.has_spin_pool else None
        return len(stages) if count is None else count(stages)

    def _encoded(self, stages: Sequence[EpilogueStage], width: int) -> EncodedEpilogue | None:
        """Return epilogue stages encoded for jobs, or None where a stage is not supported or jobs cannot be run."""
        encode = ENCODE.load() if self.has_spin_pool else None
        return None if encode is None else encode(stages, width)

    def depthwise_convolution(
        self, weights: Array, stages: Sequence[EpilogueStage]
    ) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        encoded, make = self._encoded(stages, weights.shape[-1]), self._depthwise
        if encoded is None or make is None:
            return None
        return lambda geometry: lambda pool: make(geometry, weights, encoded, pool)

    def direct_convolution(
        self, weights: Array, stages: Sequence[EpilogueStage], derived: Derived = underived
    ) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        encoded, make = self._encoded(stages, prod(weights.shape[:-3])), self._direct_convolution
        return None if encoded is None or make is None else make(weights, encoded, derived)

    def winograd(
        self, weights: Array, stages: Sequence[EpilogueStage], size: int, derived: Derived = underived
    ) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        encoded, make = self._encoded(stages, len(weights)), self._winograd
        return None if encoded is None or make is None else make(weights, encoded, size, derived)

    def integer_convolution(
        self, geometry: Geometry, weights: Array, zero: int, epilogue: SumsEpilogue, derived: Derived = underived
    ) -> Callable[[ThreadPool], Run] | None:
        encoded, make = self._encoded(epilogue.rest.stages, geometry.channels), self._integer_convolution
        arguments = geometry, weights, zero, epilogue, encoded, derived
        return None if encoded is None or make is None else make(*arguments)

    def product(
        self, rows: int, weights: Array, stages: Sequence[EpilogueStage], derived: Derived = underived
    ) -> Callable[[ThreadPool], RowKernel] | None:
        if weights.dtype != "float32":
            return None
        encoded, make = self._encoded(stages, weights.shape[1]), self._product
        return None if encoded is None or make is None else make(rows, weights, encoded, derived)

    def quantized_chain(
        self, shape: tuple[int, int], data: Levels | None, epilogue: QuantizedEpilogue, pool: ThreadPool
    ) -> RowKernel | None:
        encoded = self._encoded(epilogue.stages, shape[1]) if pool.is_spin_pool else None
        make = self._quantized_chain
        return None if encoded is None or make is None else make(shape, data, epilogue, encoded, pool)


NUMBA: KernelProvider = NumbaKernels()
