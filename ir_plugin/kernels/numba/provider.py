"""The provider of compiled kernels, which imports each module when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
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


class NumbaKernels(KernelProvider):
    """Kernels that numba compiles; `KernelProvider` describes the members."""

    aligner = Lazy("roi_align", "CompiledAligner")
    attention = Lazy("attention", "attention")
    convolver = Lazy("deformable", "CompiledConvolver")
    copied = Lazy("runtime.transposed", "copied")
    epilogue_rows = Lazy("epilogue", "compiled_rows")
    fake_quantize = Lazy("fake_quantize")
    few_queries = Lazy("cached_attention", "few_queries")
    gemm = Lazy("gemm.blocked")
    grid_sample = Lazy("grid_sample", "sample")
    merged_groups = Lazy("gemm.packed_weights", "merged_groups")
    recurrent = Lazy("recurrent_job", "Recurrent")
    recurrent_steps = Lazy("recurrent", "compiled_steps")
    resize = Lazy("resize")
    rows = Lazy("rows")
    sums_of_levels = Lazy("quantized_rows", "sums_of_levels")
    suppression = Lazy("non_max_suppression", "CompiledSuppression")
    transposed_depthwise = Lazy("transposed_convolution", "depthwise")

    batched_product = OnSpinPool("gemm.batched", "batched")
    broadcast = OnSpinPool("broadcast", "broadcast")
    concat = OnSpinPool("concat", "Concat")
    finite_check = OnSpinPool("finite", "FiniteCheck")
    job_table = OnSpinPool("runtime.job_table", "CompiledJobTable")
    loop_copies = OnSpinPool("loop_copies", "LoopCopies")
    means = OnSpinPool("means", "Means")
    normalization = OnSpinPool("rows", "Normalization")
    padding = OnSpinPool("padding", "padding")
    pooling = OnSpinPool("pooling", "Pool")
    small_operation = OnSpinPool("small_operations", "small_operation")
    softmax_rows = OnSpinPool("rows", "Softmax")
    transpose = OnSpinPool("transpose", "transpose")

    chain = WithEpilogue("epilogue_chain", "Chain", lambda _rows, width: width)
    group_normalization = WithEpilogue(
        "group_normalization", "GroupNormalization", lambda _samples, _rows, factors: factors[2].size
    )
    lrn = WithEpilogue("lrn", "Lrn", lambda _rows, width, *_: width)

    compressed_product = Compiling("gemm.compressed", "product")
    dynamic_product = Compiling("gemm.dynamic_products", "product")
    gather = Compiling("gather", "gather_kernel")
    scatter_elements = Compiling("scatter", "elements_kernel")
    scatter_tuples = Compiling("scatter", "tuples_kernel")
    select = Compiling("select", "select_kernel")

    _spin_pool = Lazy("runtime.spin_pool", "SpinPool")
    _encodable_stages = Lazy("epilogue", "encodable_stages")
    _depthwise = Lazy("depthwise", "Depthwise")
    _direct_convolution = Lazy("direct_convolution", "convolution")
    _integer_convolution = Lazy("integer_convolution", "integer_convolution")
    _product = Lazy("direct_convolution", "product")
    _quantized_chain = Lazy("quantized_rows", "QuantizedChain")
    _winograd = Lazy("winograd", "winograd")

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
