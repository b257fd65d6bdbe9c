"""Every threshold that chooses a kernel, or whether threads share it, with the command that measures it.

A name says kernel, variant and quantity: `MIN` is the least that takes the variant, `MAX` the most. `COMPILED` kernels
are numba's, `JOB`s those that a spin pool runs; without either word the kernel is NumPy's. The command prints the times
of both variants around each threshold of its case, on the machine where it runs.
"""


# Threads

SHARED_MIN_MULTIPLICATIONS = 200_000
"""Multiplications from which threads share a kernel of NumPy; waking a thread takes as long as some 200,000.

`python -m benchmarks.thresholds gemm`
"""
POOL_PARTS_PER_THREAD = 4
"""Parts of a job for each thread of a pool: a thread that wakes late takes fewer.

`python -m benchmarks.thresholds gather`
"""
WORKERS_WOKEN_MIN_BYTES = 2**17
"""Bytes of all inputs and outputs of a plan, without weights, from which its workers are woken, which takes some 50 µs.

`python -m benchmarks.thresholds waking`
"""
WORKERS_WOKEN_WEIGHTS_MIN_BYTES = 2**21
"""Bytes, with weights, from which workers are woken for a plan of fewer multiplications and smaller activations.

`python -m benchmarks.thresholds waking`
"""
WORKERS_WOKEN_MIN_MULTIPLICATIONS = 6_000_000
"""Multiplications from which workers are woken for a plan of smaller inputs and outputs.

`python -m benchmarks.thresholds waking`
"""
BLAS_HELD_MIN_BYTES = 2**17
"""Bytes of all inputs and outputs from which BLAS would share products among its threads.

`python -m benchmarks.thresholds gemm`
"""
BLAS_MAX_LOAD_PER_PROCESSOR = 2
"""Running threads for each processor above which BLAS gets one thread: its threads would wait for turns.

`python -m benchmarks.thresholds crowd`
"""

# Compiled kernels in place of NumPy's

COMPILED_MIN_ELEMENTS = 2**12
"""Elements of a Select, gather or scatter from which its kernel is compiled: below, the Python around it prevails.

`python -m benchmarks.thresholds gather`
"""
INDEXING_FLAT_MIN_ELEMENTS = 64
"""Elements of a gather or scatter from which a kernel of flat positions replaces `evaluate`.

`python -m benchmarks.thresholds gather`
"""
GEMM_PACKED_MIN_ROWS = 8
"""Rows from which multiplications bound the time of a product; with fewer, reading the weights does.

With fewer, even products narrower than half a panel are compiled.

`python -m benchmarks.thresholds gemm`
"""

# Convolutions

WINOGRAD_MIN_CHANNELS = 16
"""Channels of data or output below which Winograd is not considered: its products would be short.

`python -m benchmarks.thresholds winograd`
"""
WINOGRAD_MAX_TIME_RATIO = 0.9
"""Part of the direct convolution's time that Winograd may take; its sums are less exact.

`python -m benchmarks.thresholds winograd`
"""
WINOGRAD_PACKED_MAX_TIME_RATIO = 1.5
"""Longest time, relative to the fastest size, for which a plan uses filters that another plan has packed.

ResNet-50 keeps 72 MB less after a second batch size, and two layers take 1.4 times as long by the estimates.

`python -m benchmarks.thresholds winograd`
"""
WINOGRAD_PHASES_MIN_FILTER_BYTES = 3 * 2**20
"""Bytes of transformed filters above which NumPy multiplies all tiles at once, so that filters are read once.

`python -m benchmarks.thresholds winograd`
"""
PLANAR_CONVOLUTION_MAX_OUTPUTS = 8
"""Channels of the output up to which a pointwise convolution multiplies contiguous planes.

With more, the copy to channels last pays for the convolutions after it. `python -m benchmarks.thresholds planar`
"""
PLANAR_CONVOLUTION_MIN_ELEMENTS = 2**16
"""Elements of data from which it does so: below, leaving a table of jobs takes longer than the copy.

`python -m benchmarks.thresholds planar`
"""
BANDED_CONVOLUTION_MAX_TIME_RATIO = 0.8
"""Part of the time of im2col that NumPy's convolution of several pixels at a time may take, as data must be finite.

`python -m benchmarks.thresholds banded`
"""
BANDED_CONVOLUTION_MAX_PIXELS = 128
"""Pixels of a line that NumPy's convolution computes at a time. `python -m benchmarks.thresholds banded`"""
BANDED_CONVOLUTION_MAX_COLUMNS = 2**9
"""Pixels times channels of the output up to which it does so. `python -m benchmarks.thresholds banded`"""
PADDED_DATA_KEPT_MAX_BYTES = 2**16
"""Bytes of padded data for which a convolution of NumPy keeps memory whose pads stay zeros.

More is in memory that all kernels share, with pads that are cleared in each run. `python -m benchmarks.thresholds pads`
"""
CONVOLUTION_JOB_SHARED_MIN_MULTIPLICATIONS = 200_000
"""Multiplications from which a spin pool shares a convolution. `python -m benchmarks.thresholds convolution`"""
CONVOLUTION_JOB_PART_MIN_MULTIPLICATIONS = 16_000_000
"""Multiplications for each part of a convolution where there are more parts than threads.

`python -m benchmarks.thresholds convolution`
"""
CONVOLUTION_JOB_ROWS_MIN_PIXELS_PER_THREAD = 96
"""Pixels a thread from which a spin pool shares pixels; below, it shares panels of weights.

`python -m benchmarks.thresholds convolution`
"""
DEPTHWISE_JOB_SHARED_MIN_MULTIPLICATIONS = 30_000
"""Multiplications from which a spin pool shares a depthwise convolution. `python -m benchmarks.thresholds depthwise`"""
TRANSPOSED_CONVOLUTION_LINES_MIN_PIXELS = 256
"""Pixels of data from which threads share lines, and below which phases: BLAS packs the weights in each call.

`python -m benchmarks.thresholds transposed_convolution`
"""

# Products and attention

GEMM_ROWS_SHARED_MIN_ROWS = 512
"""Rows from which NumPy's threads share rows; below, columns, so that each packs only its part of the weights.

`python -m benchmarks.thresholds gemm`
"""
GEMM_COMPILED_SHARED_MIN_MULTIPLICATIONS = 2**22
"""Multiplications from which threads share a compiled product. `python -m benchmarks.thresholds gemm`"""
GEMM_COMPILED_ROWS_MIN_ROWS_PER_THREAD = 48
"""Rows a thread from which threads share the rows of a compiled product and its epilogue; below, the columns.

`python -m benchmarks.thresholds gemm`
"""
ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS = 2**20
"""Multiplications from which threads share the heads of a compiled attention.

`python -m benchmarks.thresholds attention`
"""
SMALL_OPERATION_MAX_ELEMENTS = 2**10
"""Elements of booleans or integers up to which an operation is a job of a table, element by element.

Alone it is slower than NumPy's from 256 elements on, but it joins the job tables before and after it.

`python -m benchmarks.thresholds small_operations`
"""
CACHED_ATTENTION_HEADS_MAX_ROWS = 16
"""Query rows a key head up to which cached attention makes one product a head.

`python -m benchmarks.thresholds cached_attention`
"""
RECURRENT_JOB_MAX_MULTIPLICATIONS = 2**25
"""Multiplications up to which a whole recurrent network is a job; above, threads share its products and rows.

`python -m benchmarks.thresholds recurrent`
"""
RECURRENT_ROW_PRODUCTS_MAX_ROWS = 3
"""Rows of a recurrent state that are multiplied one by one rather than as a matrix.

`python -m benchmarks.thresholds recurrent`
"""

# Elementwise operations and rows

ELEMENTWISE_PLAIN_MAX_ELEMENTS = 2**10
"""Elements up to which a single operation is one ufunc: rows would take longer to set up.

`python -m benchmarks.thresholds elementwise`
"""
ELEMENTWISE_CHAIN_PLAIN_MAX_ELEMENTS = 2**9
"""Elements times fused operations up to which each operation of a chain is a ufunc on the whole output.

`python -m benchmarks.thresholds elementwise`
"""
ELEMENTWISE_CHAIN_PLAIN_MAX_OPS = 3
"""Fused operations up to which each operation of a small chain is a ufunc on the whole output.

`python -m benchmarks.thresholds elementwise`
"""
ELEMENTWISE_WHOLE_MAX_ELEMENTS = 2**13
"""Elements up to which a chain is applied to all at once rather than in blocks.

`python -m benchmarks.thresholds elementwise`
"""
ELEMENTWISE_SHARED_MIN_ELEMENTS = 2**19
"""Elements from which NumPy's threads share a chain: below, its short ufuncs wait for the interpreter's lock.

`python -m benchmarks.thresholds elementwise`
"""
EPILOGUE_JOB_SHARED_MIN_ELEMENTS = 2**13
"""Elements from which a spin pool shares a chain. `python -m benchmarks.thresholds elementwise`"""
FAKE_QUANTIZE_SHARED_MIN_ELEMENTS = 2**19
"""Elements from which threads share a FakeQuantize. `python -m benchmarks.thresholds fake_quantize`"""
SOFTMAX_SHARED_MIN_ELEMENTS = 2**18
"""Elements from which NumPy's threads share a softmax: below, its short ufuncs wait for the interpreter's lock.

`python -m benchmarks.thresholds softmax`
"""
SOFTMAX_COMPILED_SHARED_MIN_ELEMENTS = 2**16
"""Elements from which threads share a compiled softmax. `python -m benchmarks.thresholds softmax`"""
SOFTMAX_SHORT_MAX_WIDTH = 24
"""Columns up to which a compiled softmax computes many rows at once. `python -m benchmarks.thresholds softmax`"""
NORMALIZATION_SHARED_MIN_ELEMENTS = 2**20
"""Elements from which NumPy's threads share a normalization. `python -m benchmarks.thresholds mvn`"""
NORMALIZATION_COMPILED_SHARED_MIN_ELEMENTS = 2**18
"""Elements from which threads share a compiled normalization. `python -m benchmarks.thresholds mvn`"""
LRN_JOB_SHARED_MIN_ELEMENTS = 2**12
"""Elements from which a spin pool shares a local response normalization. `python -m benchmarks.thresholds lrn`"""

# Pooling and resampling

POOLING_SHARED_MIN_ELEMENTS = 2**21
"""Elements of data from which NumPy's threads share the lines of a pooling.

`python -m benchmarks.thresholds pooling`
"""
POOLING_JOB_SHARED_MIN_ELEMENTS = 2**13
"""Elements of all windows from which a spin pool shares a pooling. `python -m benchmarks.thresholds pooling`"""
RESIZE_MATRIX_MAX_LENGTH_PER_TAP = 32
"""Length of an axis, for each element of a sum, up to which a product with a sparse matrix pays.

`python -m benchmarks.thresholds resize`
"""
RESIZE_ROW_SUMS_MIN_ELEMENTS = 1024
"""Elements after the axis from which sums of whole rows take less than picked rows.

`python -m benchmarks.thresholds resize`
"""
RESIZE_ROW_SUMS_MAX_TAPS = 2
"""Elements of a sum up to which sums of whole rows take less than a product.

`python -m benchmarks.thresholds resize`
"""
RESIZE_ROWS_MIN_ELEMENTS = 8
"""Elements after the axis from which rows are picked rather than elements. `python -m benchmarks.thresholds resize`"""
RESIZE_COMPILED_SHARED_MIN_PRODUCTS = 2**20
"""Products from which threads share compiled sums. `python -m benchmarks.thresholds resize`"""
GRID_SAMPLE_PART_MIN_PIXELS = 2**15
"""Pixels that each part of a shared GridSample reads at least. `python -m benchmarks.thresholds grid_sample`"""

# Copies, indices and boxes

COPY_BLOCKS_MIN_ELEMENTS = 2**15
"""Elements from which a transposed copy goes in blocks that stay in the cache, in compiled code where there is some.

`python -m benchmarks.thresholds copy`
"""
COPY_PARTS_MAX_POSITIONS = 16
"""Positions of an axis that are copied one after the other where they would be the inner loop.

`python -m benchmarks.thresholds copy`
"""
COPY_INNER_MIN_ELEMENTS = 4
"""Neighbouring elements up to which an axis is no inner loop. `python -m benchmarks.thresholds copy`"""
COPY_PART_MIN_ELEMENTS = 2**12
"""Elements of a part that is worth a separate copy. `python -m benchmarks.thresholds copy`"""
PAD_ROW_MAX_ELEMENTS = 2**12
"""Elements up to which axes of a padded output are one row, whose runs are listed once.

`python -m benchmarks.thresholds pad`
"""
PAD_MAX_ROWS = 2**16
"""Rows of a padded output up to which a job has a table of them.

`python -m benchmarks.thresholds pad`
"""
TRANSPOSE_JOB_SHARED_MIN_ELEMENTS = 2**13
"""Elements from which a spin pool shares a transposed copy. `python -m benchmarks.thresholds copy`"""
CONCAT_JOB_SHARED_MIN_BYTES = 2**15
"""Bytes of output from which a spin pool shares a concatenation. `python -m benchmarks.thresholds concat`"""
ROI_ALIGN_COMPILED_MIN_READ_SHARE = 0.25
"""Pixels that samples read, as a share of the maps, from which maps are copied to channels last and read there.

`python -m benchmarks.thresholds roi_align`
"""
INDEXING_PART_MIN_ELEMENTS = 2**14
"""Elements of each part of a shared gather or scatter. `python -m benchmarks.thresholds gather`"""
SCATTER_PART_MIN_COLUMNS = 16
"""Columns of each part of a shared scatter: one cache line. `python -m benchmarks.thresholds gather`"""
SELECT_PART_MIN_ELEMENTS = 2**17
"""Elements of each part of a shared Select. `python -m benchmarks.thresholds select`"""
SUPPRESSION_PART_MIN_SCORES = 2**13
"""Scores of each part of a shared choice of boxes. `python -m benchmarks.thresholds suppression`"""

# Loops, and lengths that only a run knows

COMPILED_LOOP_MIN_ITERATIONS = 2
"""Iterations of a loop from which one native call runs several. `python -m benchmarks.thresholds loop`"""
COMPILED_LOOP_TABLE_ITERATIONS = 32
"""Iterations in one table of jobs, all of which one native call runs. `python -m benchmarks.thresholds loop`"""
COMPILED_LOOP_RUN_MAX_ITERATIONS = 2**12
"""Iterations for which memory is taken before it is known how many there are.

`python -m benchmarks.thresholds loop`
"""
COMPILED_LOOP_JOINED_MAX_BYTES = 2**26
"""Bytes of joined results for which memory is taken before it is known how many iterations there are.

`python -m benchmarks.thresholds loop`
"""
OPEN_RECURRENT_KEPT_MAX_LENGTHS = 16
"""Combinations of batch and length for which a recurrent network keeps its buffers.

`python -m benchmarks.thresholds lengths`
"""
OPEN_RECURRENT_KEPT_MAX_ELEMENTS = 2**20
"""Elements of hidden states in all buffers that a recurrent network keeps, besides the last length's.

`python -m benchmarks.thresholds lengths`
"""
OPEN_SHAPES_KEPT_MAX_KERNELS = 16
"""Combinations of shapes for which an op keeps kernels. `python -m benchmarks.thresholds lengths`"""
OPEN_SHAPES_KEPT_MAX_ELEMENTS = 2**20
"""Elements of all outputs of the kernels that an op keeps, which hold as many in padded or gathered data.

`python -m benchmarks.thresholds lengths`
"""
OPEN_SHAPES_KEY_MAX_ELEMENTS = 64
"""Elements of an input, such as sizes, up to which its values are part of a combination of shapes.

`python -m benchmarks.thresholds lengths`
"""

# Compressed weights

COMPRESSED_MIN_ELEMENTS = 2**12
"""Elements of a weight from which it keeps its packed bytes: below, they are not worth a separate kernel.

`python -m benchmarks.thresholds compressed`
"""
COMPRESSED_JOB_PANELS_MIN_ROWS = 20
"""Rows from which compressed weights are expanded to panels for micro-kernels; below, dot products decode them.

`python -m benchmarks.thresholds compressed`
"""
COMPRESSED_JOB_SHARED_MIN_ELEMENTS = 2**15
"""Elements of compressed weights from which threads share a product. `python -m benchmarks.thresholds compressed`"""
COMPRESSED_PREFETCH_MAX_BYTES = 2**14
"""Bytes up to which the codes of the next outputs are prefetched: beyond, they would leave the first-level cache.

`python -m benchmarks.thresholds compressed`
"""
HALF_MAX_ROWS = 7
"""Rows up to which f16 weights without a scale keep their bytes: such products are bound by reading them.

`python -m benchmarks.thresholds compressed`
"""
HALF_OF_DECODER_MIN_ELEMENTS = 2**16
"""Elements of f16 weights without a scale that keep their bytes in a model with variables, whatever its rows.

`python -m benchmarks.thresholds compressed`
"""
GROUPED_CODES_MAX_ROWS = 16
"""Rows up to which NumPy multiplies integer weights group by group, so that scales multiply sums in place of weights.

`python -m benchmarks.thresholds compressed`
"""
HALF_EXPANDED_MAX_ELEMENTS = 2**26
"""Elements of f16 weights without a scale up to which NumPy expands them once; it takes longer than to read them.

`python -m benchmarks.thresholds compressed`
"""
TILES_MIN_QUADS = 12
"""Quads of a row, less three for each tile that has them, from which AMX's tiles multiply levels.

`python -m benchmarks.thresholds tiles`
"""
TILES_MIN_ROWS = 8
"""Rows from which AMX's tiles multiply levels. `python -m benchmarks.thresholds tiles`"""
