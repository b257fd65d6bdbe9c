"""Small kernels that are jobs, of which a table of jobs should have as many as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ir_plugin.kernels.numba.availability import Lazy
from ir_plugin.kernels.numba.thread_pool_kernels import ThreadPoolKernels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ir_plugin.kernels.jobs import Job, JobTable
    from ir_plugin.kernels.numba.broadcast import Broadcast
    from ir_plugin.kernels.numba.finite import FiniteCheck
    from ir_plugin.kernels.numba.gemm.batched import Batched
    from ir_plugin.kernels.numba.means import Means
    from ir_plugin.kernels.numba.rows import Normalization, Softmax
    from ir_plugin.kernels.numba.runtime.job_table import CompiledJobTable
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numba.small_operations import SmallOperation
    from ir_plugin.kernels.thread_pool import ThreadPool
    from ir_plugin.tensors import Array


def spin_pool_of(pool: ThreadPool) -> SpinPool | None:
    """Return a pool as the spin pool that it is, or None."""
    return cast("SpinPool", pool) if pool.is_spin_pool else None


class JobKernels(ThreadPoolKernels):
    """Kernels that only a spin pool runs; `KernelProvider` describes the members."""

    def job_table(self, jobs: Sequence[Job], pool: ThreadPool) -> JobTable | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._job_table) is None:
            return None
        return make(jobs, spin_pool)

    @Lazy
    def _job_table(self) -> type[CompiledJobTable]:
        from ir_plugin.kernels.numba.runtime.job_table import CompiledJobTable

        return CompiledJobTable

    def softmax_rows(self, rows: int, width: int, pool: ThreadPool) -> Softmax | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._softmax_rows) is None:
            return None
        return make(rows, width, spin_pool)

    @Lazy
    def _softmax_rows(self) -> type[Softmax]:
        from ir_plugin.kernels.numba.rows import Softmax

        return Softmax

    def normalization(
        self, rows: int, options: tuple[float, bool, bool, bool], scale: Array, offset: Array, pool: ThreadPool
    ) -> Normalization | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._normalization) is None:
            return None
        return make(rows, options, scale, offset, spin_pool)

    @Lazy
    def _normalization(self) -> type[Normalization]:
        from ir_plugin.kernels.numba.rows import Normalization

        return Normalization

    def means(self, samples: int, rows: int, columns: int, factor: float, pool: ThreadPool) -> Means | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._means) is None:
            return None
        return make(samples, rows, columns, factor, spin_pool)

    @Lazy
    def _means(self) -> type[Means]:
        from ir_plugin.kernels.numba.means import Means

        return Means

    def broadcast(
        self, type: str, exchanged: bool, left: Array, right: Array, output: Array, pool: ThreadPool
    ) -> Broadcast | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._broadcast) is None:
            return None
        return make(type, exchanged, left, right, output, spin_pool)

    @Lazy
    def _broadcast(self) -> Callable[[str, bool, Array, Array, Array, SpinPool], Broadcast | None]:
        from ir_plugin.kernels.numba.broadcast import broadcast

        return broadcast

    def small_operation(
        self, type: str, operands: Sequence[Array], output: Array, pool: ThreadPool
    ) -> SmallOperation | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._small_operation) is None:
            return None
        return make(type, operands, output, spin_pool)

    @Lazy
    def _small_operation(self) -> Callable[[str, Sequence[Array], Array, SpinPool], SmallOperation | None]:
        from ir_plugin.kernels.numba.small_operations import small_operation

        return small_operation

    def batched_product(self, left: Array, right: Array, output: Array, pool: ThreadPool) -> Batched | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._batched_product) is None:
            return None
        return make(left, right, output, spin_pool)

    @Lazy
    def _batched_product(self) -> Callable[[Array, Array, Array, SpinPool], Batched | None]:
        from ir_plugin.kernels.numba.gemm.batched import batched

        return batched

    def finite_check(self, pool: ThreadPool) -> FiniteCheck | None:
        spin_pool = spin_pool_of(pool)
        if spin_pool is None or (make := self._finite_check) is None:
            return None
        return make(spin_pool)

    @Lazy
    def _finite_check(self) -> type[FiniteCheck]:
        from ir_plugin.kernels.numba.finite import FiniteCheck

        return FiniteCheck
