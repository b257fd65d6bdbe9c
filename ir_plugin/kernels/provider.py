"""The interface of a provider of kernels, which kernel selection asks before it takes those of `kernels.numpy`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from ir_plugin.kernels.derived import Derived, underived
from ir_plugin.kernels.jobs import HasJobs, Job, JobTable, LoopCopies
from ir_plugin.kernels.numpy.attention import Attention, FewQueries, Sizes, ZeroedRows
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.dynamic_quantization import DynamicWeights
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
from ir_plugin.kernels.numpy.gather import Taking
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.numpy.quantization import Levels, QuantizedEpilogue, SumsEpilogue
from ir_plugin.kernels.numpy.recurrent import MakeSteps, Network
from ir_plugin.kernels.numpy.rows import RowKernel
from ir_plugin.kernels.numpy.scatter import Writing
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import Suppression
from ir_plugin.operations.convolution.sampling import Convolver
from ir_plugin.operations.detection.regions import Aligner
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor

Copies: TypeAlias = "Callable[[Sequence[Array]], bool]"
"""Fills the last array from the others, or returns that it cannot."""

Shape: TypeAlias = "tuple[int, ...]"


BindRecurrent: TypeAlias = "Callable[[Array, Sequence[Array], Sequence[Array], ThreadPool], Callable[[], None] | None]"
"""Returns what fills the outputs from the inputs [batch, time, depth] and the initial states; None unless it can.

The outputs are as in `kernels.numpy.recurrent.Sequences`.
"""


class GatherArguments(NamedTuple):
    """The shapes of data and indices, and the attributes of the three gathers."""

    data: Shape
    indices: Shape
    wrap: bool
    """Whether negative indices count from the end."""
    axis: int = 0
    batch: int = 0


class FakeQuantizeKernels(Protocol):
    """FakeQuantize of rows of f32."""

    def by_rows(self, data: Array, output: Array, limits: Array, steps: float, first: int, last: int) -> None:
        """Fill the rows [first, last) with one set of limits a row."""

    def by_columns(self, data: Array, output: Array, limits: Array, steps: float, first: int, last: int) -> None:
        """Fill the rows [first, last) with one set of limits a column."""


class GemmKernels(Protocol):
    """Products of rows of f32 with packed weights."""

    WIDTH: int
    """Columns of a panel."""

    def packed(self, weights: Array) -> Array:
        """Return weights [K, N] as panels."""

    def start_of(self, bias: Array | None, panels: Array) -> Array:
        """Return a bias as the sums that tiles begin with."""

    def with_weights(
        self, panels: Array, start: Array, width: int, rows: int, epilogue: Rows | None, pool: ThreadPool
    ) -> Product:
        """Return the product of so many rows with packed weights of `width` columns, and the epilogue."""


class ResizeKernels(Protocol):
    """Weighted sums along one axis."""

    def along(self, data: Array, output: Array, positions: Array, weights: Array, first: int, last: int) -> None:
        """Fill the rows [first, last) of an output [N, M, C] from data [N, L, C]."""

    def elements(self, data: Array, output: Array, positions: Array, weights: Array, first: int, last: int) -> None:
        """Fill the rows [first, last) of an output [N, M] from data [N, L]."""


class RowKernels(Protocol):
    """Softmax and normalization of rows of f32."""

    def softmax(self, data: Array, output: Array) -> None:
        """Fill rows with their softmax."""

    def normalize(
        self,
        data: Array,
        output: Array,
        eps: float,
        inside: bool,
        variance: bool,
        centred: bool,
        scale: Array,
        offset: Array,
    ) -> None:
        """Fill rows with their normalization, times a scale and plus an offset a column."""


class KernelProvider(Protocol):
    """Kernels that are asked for before NumPy's; a member is None, or returns None, where NumPy's serves."""

    @property
    def attention(self) -> Callable[[Sizes, float, ThreadPool, ZeroedRows], Attention] | None:
        """Makes attentions of f32 with a scale."""
        return None

    @property
    def few_queries(self) -> FewQueries | None:
        """Attention of few queries of f32 on cached keys."""
        return None

    @property
    def aligner(self) -> Callable[[ThreadPool], Aligner] | None:
        """Makes the loops of ROIAlign."""
        return None

    @property
    def convolver(self) -> Callable[[ThreadPool], Convolver] | None:
        """Makes the loops of DeformableConvolution."""
        return None

    @property
    def epilogue_rows(self) -> Callable[[Sequence[EpilogueStage], int], Rows | None] | None:
        """Makes the function that applies epilogue stages to rows of a width."""
        return None

    @property
    def fake_quantize(self) -> FakeQuantizeKernels | None:
        """FakeQuantize of f32."""
        return None

    @property
    def gemm(self) -> GemmKernels | None:
        """Products with packed weights."""
        return None

    @property
    def grid_sample(self) -> Callable[[Array, Array, str, str, bool, Array, ThreadPool], None] | None:
        """Fills the output of a GridSample from data, grid, mode, padding mode and `align_corners`."""
        return None

    @property
    def merged_groups(self) -> Callable[[int, int], int] | None:
        """Returns how many groups, of so many and so many outputs each, `direct_convolution` computes as one."""
        return None

    @property
    def recurrent(self) -> Callable[[Network], BindRecurrent] | None:
        """Makes what binds a recurrent network of f32 over full sequences to arrays."""
        return None

    @property
    def recurrent_steps(self) -> MakeSteps | None:
        """Makes the steps of a recurrent network of f32."""
        return None

    @property
    def resize(self) -> ResizeKernels | None:
        """Sums of f32 along an axis."""
        return None

    @property
    def rows(self) -> RowKernels | None:
        """Softmax and normalization of f32."""
        return None

    @property
    def sums_of_levels(self) -> Callable[[Array, Array], None] | None:
        """Adds each column of u8 rows to sums of i32."""
        return None

    @property
    def suppression(self) -> Callable[[ThreadPool], Suppression] | None:
        """Makes the loops that choose boxes."""
        return None

    @property
    def transposed_depthwise(self) -> Callable[[Array, Array, Array, Array, int, int], None] | None:
        """Fills the lines [first, last) of [H, W, C] from data, weights, output and steps."""
        return None

    def select(self, itemsize: int) -> Callable[[Array, Array, Array, Array, ThreadPool], None] | None:
        """Return what fills an output, by a mask, from two arrays of elements of so many bytes."""
        return None

    def scatter_elements(
        self, element: str, index: str, reduction: str, data: Shape, indices: Shape, axis: int, wrap: bool
    ) -> Callable[[ThreadPool], Writing] | None:
        """Return what makes the kernel of ScatterElementsUpdate for types such as "f4" and "i8"."""
        return None

    def scatter_tuples(
        self, single: bool, element: str, index: str, reduction: str, data: Shape, indices: Shape, wrap: bool
    ) -> Callable[[ThreadPool], Writing] | None:
        """Return what makes the kernel of ScatterNDUpdate for types such as "f4" and "i8"."""
        return None

    @property
    def has_spin_pool(self) -> bool:
        """Whether `spin_pool` returns one."""
        return False

    def spin_pool(self, threads: int) -> ThreadPool | None:
        """Return a pool of so many threads that runs the jobs which the methods below return."""
        return None

    def job_table(self, jobs: Sequence[Job], pool: ThreadPool) -> JobTable | None:
        """Return a table of jobs; None unless the pool is a spin pool."""
        return None

    def loop_copies(self, count: int, condition: Array | None, pool: ThreadPool) -> LoopCopies | None:
        """Return the job of a loop that makes so many copies in each iteration; None as for `job_table`.

        The job stops where the boolean `condition` is false.
        """
        return None

    def softmax_rows(self, rows: int, width: int, pool: ThreadPool) -> RowKernel | None:
        """Return the softmax of rows, in other memory than that of the data; None as for `chain`."""
        return None

    def normalization(
        self, rows: int, options: tuple[float, bool, bool, bool], scale: Array, offset: Array, pool: ThreadPool
    ) -> RowKernel | None:
        """Return `RowKernels.normalize` with eps, inside, variance and centred; None as for `chain`."""
        return None

    def group_normalization(
        self,
        samples: int,
        rows: int,
        factors: tuple[int, float, Array, Array],
        stages: Sequence[EpilogueStage],
        pool: ThreadPool,
    ) -> RowKernel | None:
        """Return the normalization of groups of channels, and stages; None as for `chain`.

        The factors are the number of groups, epsilon, and a factor and an addend for each channel.
        """
        return None

    def means(self, samples: int, rows: int, columns: int, factor: float, pool: ThreadPool) -> RowKernel | None:
        """Return the sums over the rows of data [samples, rows, columns], times a factor; None as for `chain`."""
        return None

    def broadcast(
        self, operation: Operation, exchanged: bool, left: Array, right: Array, output: Array, pool: ThreadPool
    ) -> Callable[[], None] | None:
        """Return a binary operation of arrays that keep their memory; None where there is none or as for `chain`."""
        return None

    def small_operation(
        self, operation: Operation, operands: Sequence[Array], output: Array, pool: ThreadPool
    ) -> Callable[[], None] | None:
        """Return an operation of booleans or integers that keep their memory; None as for `broadcast`."""
        return None

    def batched_product(self, left: Array, right: Array, output: Array, pool: ThreadPool) -> Callable[[], None] | None:
        """Return the product of batches of matrices that keep their memory; None as for `broadcast`."""
        return None

    def finite_check(self, pool: ThreadPool) -> HasJobs | None:
        """Return what has the job that stops a table unless an array is finite; None as for `chain`."""
        return None

    def job_stages(self, stages: Sequence[EpilogueStage]) -> int:
        """Return how many of the first epilogue stages jobs can apply; all where there are no jobs."""
        return len(stages)

    def chain(self, rows: int, width: int, stages: Sequence[EpilogueStage], pool: ThreadPool) -> RowKernel | None:
        """Return epilogue stages on rows of a width; None unless the pool is a spin pool and all are supported."""
        return None

    def concat(self, rows: int, widths: Sequence[int], pool: ThreadPool) -> Copies | None:
        """Return the copies of rows beside each other; None unless the pool is a spin pool."""
        return None

    def compressed_product(
        self, tensor: CompressedTensor, transposed: bool, derived: Derived = underived
    ) -> Callable[[ThreadPool], Product] | None:
        """Return what makes the product of rows with a compressed matrix, [N, K] if `transposed`, for a pool."""
        return None

    def dynamic_product(self, weights: DynamicWeights) -> Callable[[ThreadPool], Product] | None:
        """Return what makes, for a pool, the product of rows that are quantized to i8 by groups with such weights."""
        return None

    def depthwise_convolution(
        self, weights: Array, stages: Sequence[EpilogueStage]
    ) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        """Return what makes a depthwise convolution with weights [kh, kw, C], of any lengths, for a spin pool."""
        return None

    def direct_convolution(
        self, weights: Array, stages: Sequence[EpilogueStage], derived: Derived = underived
    ) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        """Return what makes a convolution without transforms, of any lengths, for a spin pool."""
        return None

    def winograd(
        self, weights: Array, stages: Sequence[EpilogueStage], size: int, derived: Derived = underived
    ) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        """Return what makes the convolution F(size, 3), of any lengths, for a spin pool."""
        return None

    def gather(
        self, operation: Operation, itemsize: int, index: str, arguments: GatherArguments
    ) -> Callable[[ThreadPool], Taking] | None:
        """Return what makes the kernel of Gather, GatherElements or GatherND for a spin pool."""
        return None

    def integer_convolution(
        self, geometry: Geometry, weights: Array, zero: int, epilogue: SumsEpilogue, derived: Derived = underived
    ) -> Callable[[ThreadPool], Run] | None:
        """Return what makes a convolution of u8, of which `zero` means 0, with i8 weights for a spin pool."""
        return None

    def quantized_chain(
        self, shape: tuple[int, int], data: Levels | None, epilogue: QuantizedEpilogue, pool: ThreadPool
    ) -> RowKernel | None:
        """Return an epilogue on rows of f32, or of levels of the data; None as for `chain`."""
        return None

    def lrn(
        self,
        rows: int,
        width: int,
        factors: tuple[float, float, float],
        reach: int,
        stages: Sequence[EpilogueStage],
        pool: ThreadPool,
    ) -> RowKernel | None:
        """Return a local response normalization with alpha, beta and bias, and stages; None as for `chain`."""
        return None

    def pooling(
        self,
        samples: int,
        axes: Sequence[Sequence[int]],
        channels: int,
        factors: Array | None,
        pool: ThreadPool,
    ) -> RowKernel | None:
        """Return a pooling as `kernels.numba.pooling.Pool` describes it; None unless the pool is a spin pool."""
        return None

    def product(
        self, rows: int, weights: Array, stages: Sequence[EpilogueStage], derived: Derived = underived
    ) -> Callable[[ThreadPool], RowKernel] | None:
        """Return what makes the product of rows with weights [K, N], and stages, for a spin pool."""
        return None

    @property
    def copied(self) -> Callable[[Array], Array] | None:
        """Returns a copy of an array in C order."""
        return None

    def padding(
        self, data: Array, output: Array, begin: Sequence[int], mode: str, value: Array | None, pool: ThreadPool
    ) -> Callable[[], None] | None:
        """Return what pads data, if the pool is a spin pool and the output lies in the order of its rows."""
        return None

    def transpose(self, source: Array, target: Array, pool: ThreadPool) -> Callable[[], None] | None:
        """Return the copy of one array to another in another order; None unless the pool is a spin pool."""
        return None


class NumpyKernels(KernelProvider):
    """The provider where NumPy's kernels are asked for."""


NUMPY = NumpyKernels()
