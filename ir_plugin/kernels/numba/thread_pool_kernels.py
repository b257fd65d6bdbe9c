"""Compiled kernels for thread pools of any kind; each module is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from ir_plugin.kernels.numba.availability import Lazy, compiled_kernel
from ir_plugin.kernels.provider import KernelProvider

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numpy.attention import Attention, FewQueries, Sizes, ZeroedRows
    from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
    from ir_plugin.kernels.numpy.recurrent import MakeSteps
    from ir_plugin.kernels.numpy.scatter import Writing
    from ir_plugin.kernels.provider import (
        FakeQuantizeKernels,
        GemmKernels,
        ResizeKernels,
        RowKernels,
        Shape,
    )
    from ir_plugin.kernels.thread_pool import ThreadPool
    from ir_plugin.operations.boxes import Suppression
    from ir_plugin.operations.convolution.sampling import Convolver
    from ir_plugin.operations.detection.regions import Aligner
    from ir_plugin.tensors import Array

Compiled = TypeVar("Compiled")
_Lines: TypeAlias = "Callable[[Array, Array, Array, Array, int, int], None]"
_Select: TypeAlias = "Callable[[Array, Array, Array, Array, ThreadPool], None]"
_MakeWriting: TypeAlias = "Callable[[ThreadPool], Writing]"


def for_pools(make: Callable[[SpinPool], Compiled]) -> Callable[[ThreadPool], Compiled]:
    """Return a function of spin pools with the type that the interface declares: its callers ask `is_spin_pool`."""
    return cast("Callable[[ThreadPool], Compiled]", make)


class ThreadPoolKernels(KernelProvider):
    """The kernels of NumbaKernels that need no spin pool; `KernelProvider` describes the members."""

    @Lazy
    def attention(self) -> Callable[[Sizes, float, ThreadPool, ZeroedRows], Attention]:
        from ir_plugin.kernels.numba.attention import attention

        return attention

    @Lazy
    def few_queries(self) -> FewQueries:
        from ir_plugin.kernels.numba.cached_attention import few_queries

        return few_queries

    @Lazy
    def aligner(self) -> Callable[[ThreadPool], Aligner]:
        from ir_plugin.kernels.numba.roi_align import CompiledAligner

        return CompiledAligner

    @Lazy
    def convolver(self) -> Callable[[ThreadPool], Convolver]:
        from ir_plugin.kernels.numba.deformable import CompiledConvolver

        return CompiledConvolver

    @Lazy
    def epilogue_rows(self) -> Callable[[Sequence[EpilogueStage], int], Rows | None]:
        from ir_plugin.kernels.numba.epilogue import compiled_rows

        return compiled_rows

    @Lazy
    def fake_quantize(self) -> FakeQuantizeKernels:
        from ir_plugin.kernels.numba import fake_quantize

        return fake_quantize

    @Lazy
    def gemm(self) -> GemmKernels:
        from ir_plugin.kernels.numba.gemm import blocked

        return blocked

    @Lazy
    def grid_sample(self) -> Callable[[Array, Array, str, str, bool, Array, ThreadPool], None]:
        from ir_plugin.kernels.numba.grid_sample import sample

        return sample

    @Lazy
    def recurrent_steps(self) -> MakeSteps:
        from ir_plugin.kernels.numba.recurrent import compiled_steps

        return compiled_steps

    @Lazy
    def resize(self) -> ResizeKernels:
        from ir_plugin.kernels.numba import resize

        return resize

    @Lazy
    def rows(self) -> RowKernels:
        from ir_plugin.kernels.numba import rows

        return rows

    @Lazy
    def sums_of_levels(self) -> Callable[[Array, Array], None]:
        from ir_plugin.kernels.numba.quantized_rows import sums_of_levels

        return cast("Callable[[Array, Array], None]", sums_of_levels)

    @Lazy
    def suppression(self) -> Callable[[ThreadPool], Suppression]:
        from ir_plugin.kernels.numba.non_max_suppression import CompiledSuppression

        return CompiledSuppression

    @Lazy
    def transposed_depthwise(self) -> Callable[[Array, Array, Array, Array, int, int], None]:
        from ir_plugin.kernels.numba.transposed_convolution import depthwise

        return cast("_Lines", depthwise)

    def select(self, itemsize: int) -> _Select | None:
        return compiled_kernel(self._select, itemsize)

    @Lazy
    def _select(self) -> Callable[[int], _Select]:
        from ir_plugin.kernels.numba.select import choose, kernel

        return lambda itemsize: partial(choose, kernel(itemsize))

    def scatter_elements(
        self, element: str, index: str, reduction: str, data: Shape, indices: Shape, axis: int, wrap: bool
    ) -> _MakeWriting | None:
        return compiled_kernel(self._scatter_elements, element, index, reduction, data, indices, axis, wrap)

    @Lazy
    def _scatter_elements(self) -> Callable[[str, str, str, Shape, Shape, int, bool], _MakeWriting]:
        from ir_plugin.kernels.numba import scatter

        def make(
            element: str, index: str, reduction: str, data: Shape, indices: Shape, axis: int, wrap: bool
        ) -> _MakeWriting:
            code = scatter.CODES.get(reduction)
            kernel = scatter.kernel(code is not None, element, index)
            return lambda pool: scatter.scatter_elements(kernel, code, data, indices, axis, wrap, pool)

        return make

    def scatter_tuples(
        self, single: bool, element: str, index: str, reduction: str, data: Shape, indices: Shape, wrap: bool
    ) -> _MakeWriting | None:
        return compiled_kernel(self._scatter_tuples, single, element, index, reduction, data, indices, wrap)

    @Lazy
    def _scatter_tuples(self) -> Callable[[bool, str, str, str, Shape, Shape, bool], _MakeWriting]:
        from ir_plugin.kernels.numba import scatter

        def make(
            single: bool, element: str, index: str, reduction: str, data: Shape, indices: Shape, wrap: bool
        ) -> _MakeWriting:
            kernels, code = scatter.tuple_kernels(single, element, index), scatter.TUPLE_CODES[reduction]
            return lambda pool: scatter.scatter_tuples(kernels, code, data, indices, wrap, pool)

        return make
