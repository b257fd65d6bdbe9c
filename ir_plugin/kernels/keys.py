"""The keys and types of kernels that selection asks a provider for before it falls back to `kernels.numpy`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ir_plugin.kernels.derived import Derived
from ir_plugin.kernels.jobs import HasJobs, Job, JobTable, LoopCopies
from ir_plugin.kernels.numpy.attention import Attention, FewQueries, Sizes, ZeroedRows
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.dynamic_quantization import DynamicWeights
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows
from ir_plugin.kernels.numpy.fake_quantize import Limits
from ir_plugin.kernels.numpy.gather import Taking
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.numpy.quantization import Levels, QuantizedEpilogue, SumsEpilogue
from ir_plugin.kernels.numpy.recurrent import MakeSteps, Network
from ir_plugin.kernels.numpy.resize import Sums
from ir_plugin.kernels.numpy.rows import RowKernel
from ir_plugin.kernels.numpy.scatter import Writing
from ir_plugin.kernels.registry import JobKey, KernelKey
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


MACHINE_WORDS = (1, 2, 4, 8)
"""The sizes of elements that compiled kernels copy as integers."""

INDEX_TYPES = ("i4", "i8")
"""The types of indices that they read."""

REDUCED_TYPES = ("f4", "f8", "i4", "i8")
"""The types of elements that they scatter with a reduction."""

BindRecurrent: TypeAlias = "Callable[[Array, Sequence[Array], Sequence[Array], ThreadPool], Callable[[], None] | None]"
"""Returns a function that computes outputs from inputs [batch, time, depth] and initial states, None if it cannot.

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


BindRun: TypeAlias = "Callable[[ThreadPool], Run]"
"""Makes a convolution for a spin pool."""

Stages: TypeAlias = "Sequence[EpilogueStage]"


class GemmKernels(NamedTuple):
    """Products of rows of f32 with packed weights."""

    panel_width: int
    packed: Callable[[Array], Array]
    """Returns weights [K, N] as panels."""
    start_of: Callable[[Array | None, Array], Array]
    """Returns a bias as the sums that tiles begin with, for panels."""
    with_weights: Callable[[Array, Array, int, Sequence[EpilogueStage], ThreadPool], Product]
    """Returns the product of any number of rows for panels, sums at the start, width, epilogue and pool."""


SPIN_POOL: KernelKey[Callable[[int], ThreadPool]] = KernelKey("runtime.spin_pool")
"""Makes a pool of a number of threads that runs jobs."""

JOB_TABLE: JobKey[Callable[[Sequence[Job], ThreadPool], JobTable]] = JobKey("runtime.job_table")
"""Makes a table of jobs."""

LOOP_COPIES: JobKey[Callable[[int, Array | None, ThreadPool], LoopCopies]] = JobKey("loop_copies")
"""Makes the job of a loop that does a number of copies in each iteration, and stops where a condition is false."""

FINITE_CHECK: JobKey[Callable[[ThreadPool], HasJobs]] = JobKey("finite")
"""Makes the job that stops a table unless an array is finite."""

ATTENTION: KernelKey[Callable[[Sizes, float, ThreadPool, ZeroedRows], Attention]] = KernelKey("attention")
"""Makes attentions of f32 with a scale."""

FEW_QUERIES: KernelKey[Callable[[float, ThreadPool], FewQueries]] = KernelKey("cached_attention")
"""Makes the attention of few queries of f32 on cached keys, with a scale."""

ALIGNER: KernelKey[Callable[[ThreadPool], Aligner]] = KernelKey("roi_align")
"""Makes the loops of ROIAlign."""

CONVOLVER: KernelKey[Callable[[ThreadPool], Convolver]] = KernelKey("deformable")
"""Makes the loops of DeformableConvolution."""

SUPPRESSION: KernelKey[Callable[[ThreadPool], Suppression]] = KernelKey("non_max_suppression")
"""Makes the loops that choose boxes."""

EPILOGUE_ROWS: KernelKey[Callable[[Stages, int], Rows | None]] = KernelKey("epilogue")
"""Makes the function that applies epilogue stages to rows of a width."""

ENCODABLE_STAGES: KernelKey[Callable[[Stages], int]] = KernelKey("epilogue")
"""Counts the first epilogue stages that jobs can apply."""

CHAIN: JobKey[Callable[[int, int, Stages, ThreadPool], RowKernel | None]] = JobKey("epilogue_chain")
"""Makes epilogue stages on a number of rows of a width; None unless all are supported."""

QUANTIZED_CHAIN: JobKey[Callable[[tuple[int, int], Levels | None, QuantizedEpilogue, ThreadPool], RowKernel | None]] = (
    JobKey("quantized_rows")
)
"""Makes an epilogue on rows of f32, or of levels of the data; None as for `CHAIN`."""

SUMS_OF_LEVELS: KernelKey[Callable[[Array, Array], None]] = KernelKey("quantized_rows")
"""Adds each column of u8 rows to sums of i32."""

FAKE_QUANTIZE: JobKey[Callable[[tuple[int, int], Limits, ThreadPool], RowKernel]] = JobKey("fake_quantize")
"""Makes the quantization of rows [M, N] of f32 to a number of levels and back."""

RESIZE: JobKey[Callable[[Sequence[int], Sequence[Sums], ThreadPool], RowKernel]] = JobKey("resize")
"""Makes the weighted sums of f32 of a shape, along one axis after the other."""

SOFTMAX_ROWS: KernelKey[Callable[[ThreadPool], RowKernel]] = KernelKey("rows")
"""Makes the softmax of rows; the output must not overlap the data."""

NORMALIZATION: KernelKey[Callable[[tuple[float, bool, bool, bool], Array, Array, ThreadPool], RowKernel]] = KernelKey(
    "rows"
)
"""Makes the normalization of rows with eps, inside, variance and centred, and a scale and an offset a column.

The output must not overlap the data.
"""

GROUP_NORMALIZATION: JobKey[
    Callable[[int, int, tuple[int, float, Array, Array], Stages, ThreadPool], RowKernel | None]
] = JobKey("group_normalization")
"""Makes the normalization of groups of channels, for samples and rows, and stages; None as for `CHAIN`.

The factors are the number of groups, epsilon, and a factor and an addend for each channel.
"""

LRN: JobKey[Callable[[int, int, tuple[float, float, float], int, Stages, ThreadPool], RowKernel | None]] = JobKey("lrn")
"""Makes a local response normalization of rows of a width, with alpha, beta and bias, reach, and stages."""

MEANS: JobKey[Callable[[int, int, int, float, ThreadPool], RowKernel]] = JobKey("means")
"""Makes the sums over the rows of data [samples, rows, columns], times a factor."""

POOLING: JobKey[Callable[[int, Sequence[Sequence[int]], int, Array | None, ThreadPool], RowKernel]] = JobKey("pooling")
"""Makes a pooling of samples, axes, channels and factors, as `kernels.numba.pooling.Pool` describes it."""

BROADCAST: JobKey[Callable[[Operation, bool, Array, Array, Array, ThreadPool], Callable[[], None] | None]] = JobKey(
    "broadcast"
)
"""Makes a binary operation, with exchanged operands or not, of left, right and output that keep their memory."""

SMALL_OPERATION: JobKey[Callable[[Operation, Sequence[Array], Array, ThreadPool], Callable[[], None] | None]] = JobKey(
    "small_operations"
)
"""Makes an operation of booleans or integers that keep their memory."""

CONCAT: JobKey[Callable[[int, Sequence[int], ThreadPool], Copies]] = JobKey("concat")
"""Makes the copies of a number of rows, of several widths, beside each other."""

PADDING: JobKey[Callable[[Array, Array, Sequence[int], str, Array | None, ThreadPool], Callable[[], None] | None]] = (
    JobKey("padding")
)
"""Makes the padding of data, output, begin, mode and value, if the output lies in the order of its rows."""

TRANSPOSE: JobKey[Callable[[Array, Array, ThreadPool], Callable[[], None] | None]] = JobKey("transpose")
"""Makes the copy of one array to another in another order."""

COPIED: KernelKey[Callable[[Array], Array]] = KernelKey("runtime.transposed")
"""Returns a copy of an array in C order."""

GRID_SAMPLE: KernelKey[Callable[[Array, Array, str, str, bool, Array, ThreadPool], None]] = KernelKey("grid_sample")
"""Fills the output of a GridSample from data, grid, mode, padding mode and `align_corners`."""

SELECT: KernelKey[Callable[[int], Callable[[Array, Array, Array, Array, ThreadPool], None]]] = KernelKey("select")
"""Builds, for elements of a size in bytes, a function that fills an output by a mask from two arrays."""

GATHER: KernelKey[Callable[[Operation, int, str, GatherArguments], Callable[[ThreadPool], Taking]]] = KernelKey(
    "gather"
)
"""Makes the kernel of Gather, GatherElements or GatherND for the size of elements and the type of indices."""

SCATTER_ELEMENTS: KernelKey[Callable[[str, str, str, Shape, Shape, int, bool], Callable[[ThreadPool], Writing]]] = (
    KernelKey("scatter")
)
"""Makes the kernel of ScatterElementsUpdate for types such as "f4" and "i8", reduction, shapes, axis and wrapping."""

SCATTER_TUPLES: KernelKey[Callable[[bool, str, str, str, Shape, Shape, bool], Callable[[ThreadPool], Writing]]] = (
    KernelKey("scatter")
)
"""Makes the kernel of ScatterNDUpdate for single elements or slices, types, reduction, shapes and wrapping."""

RECURRENT: KernelKey[Callable[[Network], BindRecurrent]] = KernelKey("recurrent_job")
"""Builds a function that binds a recurrent network of f32 over full sequences to arrays."""

RECURRENT_STEPS: KernelKey[MakeSteps] = KernelKey("recurrent")
"""Makes the steps of a recurrent network of f32."""

GEMM: KernelKey[GemmKernels] = KernelKey("gemm.blocked")

BATCHED_PRODUCT: JobKey[Callable[[Array, Array, Array, ThreadPool], Callable[[], None] | None]] = JobKey("gemm.batched")
"""Makes the product of batches of matrices, left, right and output, that keep their memory."""

PRODUCT: KernelKey[Callable[[int, Array, Stages, Derived], Callable[[ThreadPool], RowKernel] | None]] = KernelKey(
    "direct_convolution"
)
"""Makes the product of a number of rows with weights [K, N], and stages, for a spin pool."""

COMPRESSED_PRODUCT: KernelKey[
    Callable[[CompressedTensor, bool, Stages, Derived], Callable[[ThreadPool], Product] | None]
] = KernelKey("gemm.compressed")
"""Makes the product of rows with a compressed matrix, [N, K] if transposed, and stages, for a pool."""

DYNAMIC_PRODUCT: KernelKey[Callable[[DynamicWeights, Stages], Callable[[ThreadPool], Product] | None]] = KernelKey(
    "gemm.dynamic_products"
)
"""Makes, for a pool, the product of rows that are quantized to i8 by groups with such weights, and stages."""

DEPTHWISE_CONVOLUTION: KernelKey[Callable[[Array, Stages], Callable[[Geometry], BindRun] | None]] = KernelKey(
    "depthwise"
)
"""Makes the convolution of each channel with its own weights [H, W, C], and stages, of any lengths."""

DIRECT_CONVOLUTION: KernelKey[Callable[[Array, Stages, Derived], Callable[[Geometry], BindRun] | None]] = KernelKey(
    "direct_convolution"
)
"""Makes the convolution without transforms with weights [.., C, H, W], and stages, of any lengths."""

GROUPS_PER_GEMM: KernelKey[Callable[[int, int], int]] = KernelKey("gemm.packed_weights")
"""Returns how many groups `DIRECT_CONVOLUTION` merges into one GEMM, by their number and the outputs of each."""

WINOGRAD: KernelKey[Callable[[Array, Stages, int, Derived], Callable[[Geometry], BindRun] | None]] = KernelKey(
    "winograd"
)
"""Makes the convolution F(size, 3), and stages, of any lengths."""

INTEGER_CONVOLUTION: KernelKey[Callable[[Geometry, Array, int, SumsEpilogue, Derived], BindRun | None]] = KernelKey(
    "integer_convolution"
)
"""Makes a convolution of u8, of which one level means 0, with i8 weights for a spin pool."""

TRANSPOSED_DEPTHWISE: KernelKey[Callable[[Array, Array, Array, Array, int, int], None]] = KernelKey(
    "transposed_convolution"
)
"""Fills the lines [first, last) of [H, W, C] from data, weights, output and steps."""
