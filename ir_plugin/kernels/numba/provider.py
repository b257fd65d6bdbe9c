"""The provider of compiled kernels, which imports each module when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.numba.availability import Lazy, compiled_kernel
from ir_plugin.kernels.numba.job_kernels import JobKernels, spin_pool_of
from ir_plugin.kernels.numba.thread_pool_kernels import for_pools

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.concat import Concat
    from ir_plugin.kernels.numba.depthwise import Depthwise
    from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
    from ir_plugin.kernels.numba.epilogue_chain import Chain
    from ir_plugin.kernels.numba.group_normalization import GroupNormalization
    from ir_plugin.kernels.numba.lrn import Lrn
    from ir_plugin.kernels.numba.pooling import Pool
    from ir_plugin.kernels.numba.quantized_rows import QuantizedChain
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numpy.convolution import Geometry, Run
    from ir_plugin.kernels.numpy.dynamic_quantization import DynamicWeights
    from ir_plugin.kernels.numpy.epilogue import EpilogueStage
    from ir_plugin.kernels.numpy.gather import Taking
    from ir_plugin.kernels.numpy.products import Product
    from ir_plugin.kernels.numpy.quantization import Levels, QuantizedEpilogue, SumsEpilogue
    from ir_plugin.kernels.numpy.rows import RowKernel
    from ir_plugin.kernels.provider import (
        GatherArguments,
        KernelProvider,
    )
    from ir_plugin.kernels.thread_pool import ThreadPool
    from ir_plugin.tensors import Array
    from ir_plugin.tensors.compressed import CompressedTensor

Compiled = TypeVar("Compiled")
_MakeRun: TypeAlias = "Callable[[ThreadPool], Run]"
_MakeConvolution: TypeAlias = "Callable[[Geometry], _MakeRun]"
_BindConvolution: TypeAlias = "Callable[[Geometry], Callable[[SpinPool], Run]]"
_MakeTaking: TypeAlias = "Callable[[ThreadPool], Taking]"


class NumbaKernels(JobKernels):
    """Kernels that numba compiles; `KernelProvider` describes the members."""

    @property
    def has_spin_pool(self) -> bool:
        return self._spin_pool is not None

    def spin_pool(self, threads: int) -> ThreadPool | None:
        make = self._spin_pool
        return None if make is None else make(threads)

    @Lazy
    def _spin_pool(self) -> type[SpinPool]:
        from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

        return SpinPool

    def job_stages(self, stages: Sequence[EpilogueStage]) -> int:
        count = self._encodable_stages if self.has_spin_pool else None
        return len(stages) if count is None else count(stages)

    @Lazy
    def _encodable_stages(self) -> Callable[[Sequence[EpilogueStage]], int]:
        from ir_plugin.kernels.numba.epilogue import encodable_stages

        return encodable_stages

    def _coded(self, stages: Sequence[EpilogueStage], width: int) -> EncodedEpilogue | None:
        """Return epilogue stages encoded for jobs, or None where a stage is not supported or jobs cannot be run."""
        encode = self._encode if self.has_spin_pool else None
        return None if encode is None else encode(stages, width)

    @Lazy
    def _encode(self) -> Callable[[Sequence[EpilogueStage], int], EncodedEpilogue | None]:
        from ir_plugin.kernels.numba.epilogue import encode_epilogue

        return encode_epilogue

    def chain(self, rows: int, width: int, stages: Sequence[EpilogueStage], pool: ThreadPool) -> RowKernel | None:
        spin_pool = spin_pool_of(pool)
        coded = None if spin_pool is None else self._coded(stages, width)
        if spin_pool is None or coded is None or (make := self._chain) is None:
            return None
        return make(rows, width, coded, spin_pool)

    @Lazy
    def _chain(self) -> type[Chain]:
        from ir_plugin.kernels.numba.epilogue_chain import Chain

        return Chain

    def concat(self, rows: int, widths: Sequence[int], pool: ThreadPool) -> Concat | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._concat) is None:
            return None
        return make(rows, widths, spin_pool)

    @Lazy
    def _concat(self) -> type[Concat]:
        from ir_plugin.kernels.numba.concat import Concat

        return Concat

    def depthwise_convolution(self, weights: Array, stages: Sequence[EpilogueStage]) -> _MakeConvolution | None:
        coded = self._coded(stages, weights.shape[-1])
        if coded is None or (make := self._depthwise) is None:
            return None
        return lambda geometry: for_pools(lambda spin_pool: make(geometry, weights, coded, spin_pool))

    @Lazy
    def _depthwise(self) -> type[Depthwise]:
        from ir_plugin.kernels.numba.depthwise import Depthwise

        return Depthwise

    def direct_convolution(
        self, weights: Array, stages: Sequence[EpilogueStage], derived: Derived = underived
    ) -> _MakeConvolution | None:
        coded = self._coded(stages, prod(weights.shape[:-3]))
        if coded is None or (make := self._direct_convolution) is None:
            return None
        bind = make(weights, coded, derived)
        return lambda geometry: for_pools(bind(geometry))

    @Lazy
    def _direct_convolution(self) -> Callable[[Array, EncodedEpilogue, Derived], _BindConvolution]:
        from ir_plugin.kernels.numba.direct_convolution import convolution

        return convolution

    def winograd(
        self, weights: Array, stages: Sequence[EpilogueStage], size: int, derived: Derived = underived
    ) -> _MakeConvolution | None:
        coded = self._coded(stages, len(weights))
        if coded is None or (make := self._winograd) is None:
            return None
        bind = make(weights, coded, size, derived)
        return lambda geometry: for_pools(bind(geometry))

    @Lazy
    def _winograd(self) -> Callable[[Array, EncodedEpilogue, int, Derived], _BindConvolution]:
        from ir_plugin.kernels.numba.winograd import winograd

        return winograd

    def gather(self, type: str, itemsize: int, index: str, arguments: GatherArguments) -> _MakeTaking | None:
        return compiled_kernel(self._gather if self.has_spin_pool else None, type, itemsize, index, arguments)

    @Lazy
    def _gather(self) -> Callable[[str, int, str, GatherArguments], _MakeTaking]:
        from ir_plugin.kernels.numba import gather

        def make(type: str, itemsize: int, index: str, arguments: GatherArguments) -> _MakeTaking:
            kernel, (data, indices, wrap, axis, batch) = gather.kernel(type, itemsize, index), arguments
            if type == "GatherElements":
                return for_pools(lambda pool: gather.gather_elements(kernel, data, indices, axis, wrap, pool))
            if type == "Gather":
                return for_pools(lambda pool: gather.gather(kernel, data, indices, axis, batch, wrap, pool))
            return for_pools(lambda pool: gather.gather_tuples(kernel, data, indices, batch, wrap, pool))

        return make

    def integer_convolution(
        self,
        geometry: Geometry,
        weights: Array,
        zero: int,
        epilogue: SumsEpilogue,
        derived: Derived = underived,
    ) -> _MakeRun | None:
        coded = self._coded(epilogue.rest.stages, geometry.channels)
        if coded is None or (make := self._integer_convolution) is None:
            return None
        return for_pools(make(geometry, weights, zero, epilogue, coded, derived))

    @Lazy
    def _integer_convolution(self) -> Callable[..., Callable[[SpinPool], Run]]:
        from ir_plugin.kernels.numba.integer_convolution import integer_convolution

        return integer_convolution

    def quantized_chain(
        self, shape: tuple[int, int], data: Levels | None, epilogue: QuantizedEpilogue, pool: ThreadPool
    ) -> QuantizedChain | None:
        spin_pool = spin_pool_of(pool)
        coded = None if spin_pool is None else self._coded(epilogue.stages, shape[1])
        if spin_pool is None or coded is None or (make := self._quantized_chain) is None:
            return None
        return make(shape, data, epilogue, coded, spin_pool)

    @Lazy
    def _quantized_chain(self) -> type[QuantizedChain]:
        from ir_plugin.kernels.numba.quantized_rows import QuantizedChain

        return QuantizedChain

    def lrn(
        self,
        rows: int,
        width: int,
        factors: tuple[float, float, float],
        reach: int,
        stages: Sequence[EpilogueStage],
        pool: ThreadPool,
    ) -> Lrn | None:
        spin_pool = spin_pool_of(pool)
        coded = None if spin_pool is None else self._coded(stages, width)
        if spin_pool is None or coded is None or (make := self._lrn) is None:
            return None
        return make(rows, width, factors, reach, coded, spin_pool)

    @Lazy
    def _lrn(self) -> type[Lrn]:
        from ir_plugin.kernels.numba.lrn import Lrn

        return Lrn

    def group_normalization(
        self,
        samples: int,
        rows: int,
        factors: tuple[int, float, Array, Array],
        stages: Sequence[EpilogueStage],
        pool: ThreadPool,
    ) -> GroupNormalization | None:
        spin_pool = spin_pool_of(pool)
        coded = None if spin_pool is None else self._coded(stages, factors[2].size)
        if spin_pool is None or coded is None or (make := self._group_normalization) is None:
            return None
        return make(samples, rows, factors, coded, spin_pool)

    @Lazy
    def _group_normalization(self) -> type[GroupNormalization]:
        from ir_plugin.kernels.numba.group_normalization import GroupNormalization

        return GroupNormalization

    def pooling(
        self,
        samples: int,
        lines: Sequence[int],
        pixels: Sequence[int],
        channels: int,
        factors: Array | None,
        pool: ThreadPool,
    ) -> Pool | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._pooling) is None:
            return None
        return make(samples, lines, pixels, channels, factors, spin_pool)

    @Lazy
    def _pooling(self) -> type[Pool]:
        from ir_plugin.kernels.numba.pooling import Pool

        return Pool

    def compressed_product(
        self, tensor: CompressedTensor, transposed: bool, derived: Derived = underived
    ) -> Callable[[ThreadPool], Product] | None:
        return compiled_kernel(self._compressed_product, tensor, transposed, derived)

    @Lazy
    def _compressed_product(
        self,
    ) -> Callable[[CompressedTensor, bool, Derived], Callable[[ThreadPool], Product] | None]:
        from ir_plugin.kernels.numba.gemm.compressed import product

        return product

    def dynamic_product(self, weights: DynamicWeights) -> Callable[[ThreadPool], Product] | None:
        return compiled_kernel(self._dynamic_product, weights)

    @Lazy
    def _dynamic_product(self) -> Callable[[DynamicWeights], Callable[[ThreadPool], Product]]:
        from ir_plugin.kernels.numba.gemm.dynamic_products import product

        return product

    def product(
        self, rows: int, weights: Array, stages: Sequence[EpilogueStage], derived: Derived = underived
    ) -> Callable[[ThreadPool], RowKernel] | None:
        coded = self._coded(stages, weights.shape[1]) if weights.dtype == "float32" else None
        if coded is None or (make := self._product) is None:
            return None
        return for_pools(make(rows, weights, coded, derived))

    @Lazy
    def _product(self) -> Callable[[int, Array, EncodedEpilogue, Derived], Callable[[SpinPool], RowKernel]]:
        from ir_plugin.kernels.numba.direct_convolution import product

        return product

    @Lazy
    def copied(self) -> Callable[[Array], Array]:
        from ir_plugin.kernels.numba.runtime.transposed import copied

        return copied

    def transpose(self, source: Array, target: Array, pool: ThreadPool) -> Callable[[], None] | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._transpose) is None:
            return None
        return make(source, target, spin_pool)

    @Lazy
    def _transpose(self) -> Callable[[Array, Array, SpinPool], Callable[[], None] | None]:
        from ir_plugin.kernels.numba.runtime.transposed import can_transpose
        from ir_plugin.kernels.numba.transpose import Transpose

        return lambda source, target, pool: Transpose(source, target, pool) if can_transpose(source, target) else None


NUMBA: KernelProvider = NumbaKernels()
