"""Measure both sides of each threshold in `ir_plugin.kernels.policy`: `python -m benchmarks.thresholds CASE …`.

A case is one layer of growing size. For each constant of the case and each size the table has the median milliseconds
of an inference with the constant so high that its variant is never taken, and so low that it always is (for a `MAX` the
other way round), and how many of the quantity the policy asks for. Without a name all cases run, which takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from benchmarks.provider import micro
from ir_plugin import Core
from ir_plugin.kernels import policy
from ir_plugin.tensors import Array

RNG = np.random.default_rng(7)
NUMPY, COMPILED = "numpy", "numba"
Build = Callable[[int], ov.Model]


@dataclass(frozen=True)
class Case:
    """A layer by size, and the constants that choose its kernel with the provider and threads they are for."""

    build: Build
    sizes: Sequence[int]
    constants: Mapping[str, str] = field(default_factory=dict)
    """Provider by constant."""
    threads: int = 2
    winograd: bool = False
    """Whether the configuration's WINOGRAD is varied too."""
    crowd: int = 0
    """Busy processes for each processor meanwhile."""
    pause: float = 0
    """Seconds between inferences, in which threads go to sleep."""
    are_lengths: bool = False
    """Whether the size is how many lengths of the dynamic dimensions come in turn."""


def _const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32))


def _x(*shape: int, type: Any = np.float32) -> Any:
    return ops.parameter(list(shape), type)


def _model(result: Any, *parameters: Any) -> ov.Model:
    return ov.Model([result], list(parameters), "case")


def _rows(layer: Callable[[Any], Any]) -> Build:
    """Return the builder of a layer on rows of 128."""

    def build(size: int) -> ov.Model:
        data = _x(max(size // 128, 1), 128)
        return _model(layer(data), data)

    return build


def _maps(layer: Callable[[Any], Any], channels: int = 32) -> Build:
    """Return the builder of a layer on maps that a convolution leaves with channels last."""

    def build(size: int) -> ov.Model:
        data = _x(1, channels, size, size)
        return _model(layer(_convolved(data, channels, 1)), data)

    return build


def _convolved(data: Any, channels: int, kernel: int) -> Any:
    pad = [kernel // 2] * 2
    return ops.convolution(data, _const(channels, channels, kernel, kernel), [1, 1], pad, pad, [1, 1])


def _convolution(channels: int, kernel: int = 3) -> Build:
    def build(size: int) -> ov.Model:
        data = _x(1, channels, size, size)
        return _model(_convolved(data, channels, kernel), data)

    return build


def _planar(outputs: int) -> Build:
    def build(size: int) -> ov.Model:
        data = _x(1, 16, size, size)
        y = ops.convolution(data, _const(outputs, 16, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1])
        return _model(_convolved(ops.relu(y), outputs, 3), data)

    return build


def _classes(count: int) -> ov.Model:
    """Return the softmax of so many scores of each pixel."""
    return _maps(lambda data: ops.softmax(data, 1), count)(64)


def _wide(size: int) -> ov.Model:
    data = _x(1, 8, size, 64)
    return _model(ops.convolution(data, _const(8, 8, 3, 31), [1, 1], [1, 15], [1, 15], [1, 1]), data)


def _stack(size: int) -> ov.Model:
    x = result = _x(1, 32, size, size)
    for _ in range(4):
        result = ops.relu(_convolved(result, 32, 3))
    return _model(result, x)


def _depthwise(size: int) -> ov.Model:
    data = _x(1, 32, size, size)
    return _model(ops.group_convolution(data, _const(32, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1]), data)


def _transposed(size: int) -> ov.Model:
    data = _x(1, 64, size, size)
    weights = _const(64, 32, 2, 2)
    return _model(ops.convolution_backprop_data(data, weights, [2, 2], pads_begin=[0, 0], pads_end=[0, 0]), data)


def _product(rows: int) -> ov.Model:
    data = _x(rows, 768)
    return _model(ops.matmul(data, _const(768, 768), False, False), data)


def _levels(rows: int) -> Build:
    """Return a product of levels with weights of i8."""

    def build(depth: int) -> ov.Model:
        data, limits = _x(rows, depth), [ops.constant(np.float32(limit)) for limit in (-4, 127 / 32, -4, 127 / 32)]
        weights = ops.convert(ops.constant(RNG.integers(-127, 128, (128, depth), np.int8)), np.float32)
        scaled = ops.multiply(weights, ops.constant(np.float32(0.01)))
        return _model(ops.matmul(ops.fake_quantize(data, *limits, 256), scaled, False, True), data)

    return build


def _compressed(rows: int) -> Build:
    """Return a product with weights of u8."""

    def build(size: int) -> ov.Model:
        data, codes = _x(rows, size), ops.constant(RNG.integers(0, 256, (size, size), np.uint8))
        centred = ops.subtract(ops.convert(codes, np.float32), ops.constant(np.float32(128)))
        weights = ops.multiply(centred, ops.constant(RNG.random((size, 1), np.float32)))
        return _model(ops.matmul(data, weights, False, True), data)

    return build


def _half_weights(size: int) -> Any:
    return ops.convert(ops.constant(RNG.standard_normal((size, size)).astype(np.float16)), np.float32)


def _half(size: int) -> ov.Model:
    data = _x(1, size)
    return _model(ops.matmul(data, _half_weights(size), False, True), data)


def _half_of_decoder(size: int) -> ov.Model:
    data, start = _x(64, size), ops.constant(np.zeros((64, size), np.float32))
    total = ops.add(data, ops.read_value(start, "total", np.float32, ov.PartialShape([64, size])))
    result = ops.result(ops.matmul(total, _half_weights(size), False, True))
    return ov.Model([result], [ops.assign(total, "total")], [data], "case")


def _attention(rows: int) -> ov.Model:
    query, key, value = (_x(1, 8, rows, 64) for _ in range(3))
    return _model(ops.scaled_dot_product_attention(query, key, value), query, key, value)


def _cached(rows: int) -> ov.Model:
    """Return an attention to 512 cached keys, of which only the run knows the number."""
    query, key, value = _x(1, 8, rows, 64), _x(1, 8, -1, 64), _x(1, 8, -1, 64)
    return _model(ops.scaled_dot_product_attention(query, key, value), query, key, value)


def _lstm(batch: int) -> ov.Model:
    data, state, cell = _x(batch, 20, 256), _x(batch, 1, 256), _x(batch, 1, 256)
    lengths = ops.constant(np.full(batch, 20, np.int32))
    weights = _const(1, 1024, 256), _const(1, 1024, 256), _const(1, 1024)
    layer = ops.lstm_sequence(data, state, cell, lengths, *weights, 256, "forward")
    return ov.Model([layer.output(0)], [data, state, cell], "case")


def _chain(size: int) -> ov.Model:
    data, other = _x(size // 64, 64), _x(size // 64, 64)
    return _model(ops.tanh(ops.relu(ops.add(data, other))), data, other)


def _resized(length: int) -> Build:
    """Return the builder of linear resampling of rows of so many elements, twofold."""

    def build(size: int) -> ov.Model:
        data = _x(1, 4, size, length)
        target, axes = ops.constant(np.array([2 * size])), ops.constant(np.array([2]))
        return _model(ops.interpolate(data, target, "linear_onnx", "sizes", axes=axes), data)

    return build


def _grid(size: int) -> ov.Model:
    data, grid = _x(1, 3, size, size), _x(1, size, size, 2)
    settings = {"align_corners": False, "mode": "bilinear", "padding_mode": "zeros"}
    return _model(ops.grid_sample(data, grid, settings), data, grid)


def _shuffled(size: int) -> ov.Model:
    data = _x(1, 116, size, size)
    return _model(ops.relu(ops.shuffle_channels(_convolved(data, 116, 1), 1, 2)), data)


def _padded(size: int) -> ov.Model:
    data = _x(1, 8, size, size)
    return _model(ops.pad(data, [0, 0, 1, 1], [0, 0, 1, 1], "reflect"), data)


def _joined(size: int) -> ov.Model:
    data = _x(1, 16, size, size)
    return _model(ops.concat([ops.sigmoid(_convolved(data, 16, kernel)) for kernel in (1, 3)], 1), data)


def _gathered(size: int) -> ov.Model:
    data, indices = _x(size), ops.constant(RNG.integers(0, size, size))
    return _model(ops.gather_elements(data, indices, 0), data)


def _scattered(size: int) -> ov.Model:
    data, updates = _x(size // 64, 64), _x(size // 64, 64)
    indices = ops.constant(RNG.permuted(np.tile(np.arange(size // 64)[:, None], 64), axis=0))
    return _model(ops.scatter_elements_update(data, indices, updates, 0), data, updates)


def _selected(size: int) -> ov.Model:
    mask, then, otherwise = _x(size, type=np.bool_), _x(size), _x(size)
    return _model(ops.select(mask, then, otherwise), mask, then, otherwise)


def _boxes(count: int) -> ov.Model:
    boxes, scores = _x(1, count, 4), _x(1, 20, count)
    limits = ops.constant(np.int64(100)), ops.constant(np.float32(0.5)), ops.constant(np.float32(0.0))
    layer = ops.non_max_suppression(boxes, scores, *limits)
    return ov.Model([layer.output(0)], [boxes, scores], "case")


def _aligned(count: int) -> ov.Model:
    corners = RNG.random((count, 2)) * 32
    boxes = ops.constant(np.hstack([corners, corners + 16]).astype(np.float32))
    data = _x(1, 256, 50, 50)
    layer = ops.roi_align(data, boxes, ops.constant(np.zeros(count, np.int64)), 7, 7, 2, 1.0, "avg", "asymmetric")
    return _model(layer, data)


def _quantized(data: Any) -> Any:
    return ops.fake_quantize(data, *(ops.constant(np.float32(limit)) for limit in (-1, 1, -1, 1)), 256)


def _normalized(data: Any) -> Any:
    return ops.mvn(data, ops.constant(np.array([1])), True, 1e-5, "inside_sqrt")


def _pooled(data: Any) -> Any:
    return ops.max_pool(data, [2, 2], [1, 1], [0, 0], [0, 0], [3, 3]).output(0)


def _mask(size: int) -> ov.Model:
    """Return the mask of a text of 16 queries: whether its keys count, and lie before them."""
    data = _x(1, size // 16), _x(16, 1)
    ids, other = (ops.convert(numbers, np.int64) for numbers in data)
    counts = ops.logical_and(ops.not_equal(ids, ops.constant(np.int64(0))), ops.less_equal(ids, other))
    return _model(ops.logical_not(counts), *data)


def _looped(iterations: int) -> ov.Model:
    """Return a Loop over rows of 64 that joins its results."""
    data, x, state = _x(iterations, 64), _x(1, 64), _x(1, 64)
    total = ops.add(ops.multiply(state, ops.constant(np.float32(0.5))), x)
    body = ov.Model([total, ops.constant(np.array(True))], [x, state], "body")
    loop = ops.loop(ops.constant(np.int64(iterations)), ops.constant(np.array(True)))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 1])
    loop.set_sliced_input(x, data.output(0), 0, 1, 1, -1, 0)
    loop.set_merged_input(state, _const(1, 64).output(0), body.results[0].output(0))
    return ov.Model([loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)], [data], "case")


def _open_lstm(_: int) -> ov.Model:
    data, state, cell = _x(1, -1, 256), _x(1, 1, 256), _x(1, 1, 256)
    length = ops.gather(ops.shape_of(data), ops.constant(np.array([1])), ops.constant(np.int64(0)))
    weights = _const(1, 1024, 256), _const(1, 1024, 256), _const(1, 1024)
    layer = ops.lstm_sequence(data, state, cell, length, *weights, 256, "forward")
    return ov.Model([layer.output(0)], [data, state, cell], "case")


def _open_pooled(_: int) -> ov.Model:
    data = _x(1, 8, -1, 64)
    return _model(_pooled(_convolved(data, 8, 1)), data)


def _open_resized(_: int) -> ov.Model:
    data, other = _x(1, 8, -1, 64), _x(-1, 32)
    sizes, axes = ops.shape_of(other), ops.constant(np.array([2, 3]))
    return _model(ops.interpolate(_convolved(data, 8, 1), sizes, "linear_onnx", "sizes", axes=axes), data, other)


def _open_product(_: int) -> ov.Model:
    data = _x(-1, 768)
    return _model(ops.matmul(data, _const(768, 768), False, False), data)


LENGTHS = [8, 16, 24, 48]
ELEMENTS = [2**power for power in range(10, 22, 2)]
MAPS = [4, 8, 16, 32, 64]
PLANAR = [name for name in vars(policy) if name.startswith("PLANAR_")]
CASES: dict[str, list[Case]] = {
    "attention": [Case(_attention, [4, 16, 64], {"ATTENTION_COMPILED_SHARED_MIN_MULTIPLICATIONS": COMPILED})],
    "banded": [Case(_wide, MAPS, {name: NUMPY for name in vars(policy) if name.startswith("BANDED_")})],
    "cached_attention": [Case(_cached, [1, 4, 16], {"CACHED_ATTENTION_HEADS_MAX_ROWS": NUMPY}, 1)],
    "compressed": [
        Case(
            _compressed(1), [16, 64, 256, 1024],
            {"COMPRESSED_MIN_ELEMENTS": COMPILED, "COMPRESSED_JOB_SHARED_MIN_ELEMENTS": COMPILED},
        ),
        Case(_compressed(1), [1024, 8192], {"COMPRESSED_PREFETCH_MAX_BYTES": COMPILED}, 1),
        *[Case(_compressed(rows), [1024], {"COMPRESSED_JOB_PANELS_MIN_ROWS": COMPILED}) for rows in (8, 16, 24, 32)],
        *[Case(_compressed(rows), [1024], {"GROUPED_CODES_MAX_ROWS": NUMPY}) for rows in (1, 8, 16, 32)],
        Case(_half, [1024], {"HALF_EXPANDED_MAX_ELEMENTS": NUMPY, "HALF_MAX_ROWS": COMPILED}),
        Case(_half_of_decoder, [256, 1024], {"HALF_OF_DECODER_MIN_ELEMENTS": COMPILED}),
    ],
    "concat": [Case(_joined, MAPS, {"CONCAT_JOB_SHARED_MIN_BYTES": COMPILED})],
    "convolution": [
        Case(_convolution(32), MAPS, {name: COMPILED for name in vars(policy) if name.startswith("CONVOLUTION_JOB_")})
    ],
    "copy": [
        Case(_shuffled, MAPS, {name: NUMPY for name in vars(policy) if name.startswith("COPY_")}, 1),
        Case(_shuffled, MAPS, {"TRANSPOSE_JOB_SHARED_MIN_ELEMENTS": COMPILED}),
    ],
    "pads": [Case(_convolution(8), MAPS, {"PADDED_DATA_KEPT_MAX_BYTES": NUMPY}, 1)],
    "planar": [
        Case(_planar(outputs), MAPS, dict.fromkeys(PLANAR, provider))
        for outputs in (1, 4, 16)
        for provider in (NUMPY, COMPILED)
    ],
    "crowd": [Case(_convolution(64), [56], {"BLAS_MAX_LOAD_PER_PROCESSOR": NUMPY}, crowd=16)],
    "depthwise": [Case(_depthwise, MAPS, {name: COMPILED for name in vars(policy) if name.startswith("DEPTHWISE_")})],
    "elementwise": [
        Case(_chain, ELEMENTS, {"ELEMENTWISE_PLAIN_MAX_ELEMENTS": NUMPY, "ELEMENTWISE_WHOLE_MAX_ELEMENTS": NUMPY}, 1),
        Case(
            _chain, [64, 256, *ELEMENTS],
            {name: COMPILED for name in vars(policy) if name.startswith("ELEMENTWISE_CHAIN_")}, 1,
        ),
        Case(_chain, ELEMENTS, {"ELEMENTWISE_SHARED_MIN_ELEMENTS": NUMPY}),
        Case(_maps(lambda data: ops.tanh(ops.add(data, data))), MAPS, {"EPILOGUE_JOB_SHARED_MIN_ELEMENTS": COMPILED}),
    ],
    "fake_quantize": [Case(_rows(_quantized), ELEMENTS, {"FAKE_QUANTIZE_SHARED_MIN_ELEMENTS": NUMPY})],
    "gather": [
        Case(_gathered, [16, 64, *ELEMENTS], {"INDEXING_FLAT_MIN_ELEMENTS": NUMPY}, 1),
        Case(_gathered, ELEMENTS, {"INDEXING_PART_MIN_ELEMENTS": NUMPY, "POOL_PARTS_PER_THREAD": NUMPY}),
        Case(_gathered, ELEMENTS, {"COMPILED_MIN_ELEMENTS": COMPILED}),
        Case(_scattered, ELEMENTS, {"SCATTER_PART_MIN_COLUMNS": COMPILED, "COMPILED_MIN_ELEMENTS": COMPILED}),
    ],
    "gemm": [
        Case(_product, [1, 4, 8, 32, 128], {"GEMM_PACKED_MIN_ROWS": COMPILED}, 1),
        Case(_product, [1, 8, 128, 512], {"SHARED_MIN_MULTIPLICATIONS": NUMPY, "GEMM_ROWS_SHARED_MIN_ROWS": NUMPY}),
        Case(_product, [1, 8, 128], {"BLAS_HELD_MIN_BYTES": NUMPY}),
        Case(_product, [8, 48, 96, 512], {name: COMPILED for name in vars(policy) if name.startswith("GEMM_COMPILED")}),
    ],
    "grid_sample": [Case(_grid, [16, 64, 256], {"GRID_SAMPLE_PART_MIN_PIXELS": COMPILED})],
    "lengths": [
        Case(
            _open_lstm, LENGTHS,
            {name: COMPILED for name in vars(policy) if name.startswith("OPEN_RECURRENT_")}, 1, are_lengths=True,
        ),
        Case(
            _open_pooled, LENGTHS,
            {name: COMPILED for name in vars(policy) if name.startswith("OPEN_SHAPES_KEPT_")}, 1, are_lengths=True,
        ),
        Case(_open_resized, LENGTHS, {"OPEN_SHAPES_KEY_MAX_ELEMENTS": COMPILED}, 1, are_lengths=True),
        Case(_open_product, LENGTHS, {"OPEN_PRODUCT_KEPT_MAX_ROWS": COMPILED}, 1, are_lengths=True),
    ],
    "loop": [
        Case(
            _looped, [1, 2, 8, 64, 512, 8192],
            {name: COMPILED for name in vars(policy) if name.startswith("COMPILED_LOOP_")}, 1,
        )
    ],
    "lrn": [
        Case(
            _maps(lambda data: ops.lrn(data, ops.constant(np.array([1])), 1e-4, 0.75, 1.0, 5)), MAPS,
            {"LRN_JOB_SHARED_MIN_ELEMENTS": COMPILED},
        )
    ],
    "mvn": [
        Case(_rows(_normalized), ELEMENTS, {"NORMALIZATION_SHARED_MIN_ELEMENTS": NUMPY}),
        Case(_rows(_normalized), ELEMENTS, {"NORMALIZATION_COMPILED_SHARED_MIN_ELEMENTS": COMPILED}),
    ],
    "pad": [Case(_padded, MAPS, {"PAD_ROW_MAX_ELEMENTS": COMPILED, "PAD_MAX_ROWS": COMPILED}, 1)],
    "pooling": [
        Case(_maps(_pooled), [*MAPS, 256], {"POOLING_SHARED_MIN_ELEMENTS": NUMPY}),
        Case(_maps(_pooled), MAPS, {"POOLING_JOB_SHARED_MIN_ELEMENTS": COMPILED}),
    ],
    "recurrent": [
        Case(_lstm, [2, 3, 4, 8], {"RECURRENT_ROW_PRODUCTS_MAX_ROWS": NUMPY}, 1),
        Case(_lstm, [1, 2, 4, 8, 16], {"RECURRENT_JOB_MAX_MULTIPLICATIONS": COMPILED}),
    ],
    "resize": [
        Case(_resized(length), [16, 64, 256], {name: NUMPY for name in vars(policy) if name.startswith("RESIZE_RO")})
        for length in (4, 64, 2048)
    ] + [
        Case(_resized(64), [16, 64, 256], {"RESIZE_MATRIX_MAX_LENGTH_PER_TAP": NUMPY}, 1),
        Case(_resized(64), [16, 64, 256], {"RESIZE_COMPILED_SHARED_MIN_PRODUCTS": COMPILED}),
    ],
    "roi_align": [Case(_aligned, [1, 4, 16, 64, 256], {"ROI_ALIGN_COMPILED_MIN_READ_SHARE": COMPILED}, 1)],
    "select": [
        Case(_selected, ELEMENTS, {"SELECT_PART_MIN_ELEMENTS": COMPILED, "COMPILED_MIN_ELEMENTS": COMPILED})
    ],
    "small_operations": [Case(_mask, [64, 256, 1024, 4096, 16384], {"SMALL_OPERATION_MAX_ELEMENTS": COMPILED}, 1)],
    "softmax": [
        Case(_rows(lambda data: ops.softmax(data, 1)), ELEMENTS, {"SOFTMAX_SHARED_MIN_ELEMENTS": NUMPY}),
        Case(_rows(lambda data: ops.softmax(data, 1)), ELEMENTS, {"SOFTMAX_COMPILED_SHARED_MIN_ELEMENTS": COMPILED}),
        Case(_classes, [5, 8, 12, 16, 20, 24, 32, 48], {"SOFTMAX_SHORT_MAX_WIDTH": COMPILED}, 1),
    ],
    "suppression": [Case(_boxes, [64, 256, 1024, 4096], {"SUPPRESSION_PART_MIN_SCORES": COMPILED})],
    "tiles": [
        Case(_levels(1024), [24, 48, 64, 72, 128], {"TILES_MIN_QUADS": COMPILED}, 1),
        *[Case(_levels(rows), [768], {"TILES_MIN_ROWS": COMPILED}, 1) for rows in (1, 4, 16, 64, 196)],
    ],
    "transposed_convolution": [Case(_transposed, MAPS, {"TRANSPOSED_CONVOLUTION_LINES_MIN_PIXELS": NUMPY})],
    "waking": [
        Case(_stack, [4, 8, 12, 16], {"WORKERS_WOKEN_MIN_MULTIPLICATIONS": COMPILED}, pause=0.01),
        Case(_product, [1, 4], {"WORKERS_WOKEN_WEIGHTS_MIN_BYTES": COMPILED}, pause=0.01),
        Case(_rows(ops.tanh), ELEMENTS, {"WORKERS_WOKEN_MIN_BYTES": COMPILED}, pause=0.01),
    ],
    "winograd": [
        Case(_convolution(channels), [7, 14, 28, 56], {"WINOGRAD_PHASES_MIN_FILTER_BYTES": NUMPY}, winograd=True)
        for channels in (16, 32, 64, 256)
    ],
}  # fmt: skip


SMALL_AND_LARGE = {"COMPILED_LOOP_TABLE_ITERATIONS": (1, 256), "POOL_PARTS_PER_THREAD": (1, 8)}
"""Values of constants that count parts of a variant, in place of those without it and always with it."""


@contextmanager
def changed(**constants: object) -> Iterator[None]:
    """Give constants of the policy other values within the `with`."""
    before = {name: getattr(policy, name) for name in constants}
    try:
        for name, value in constants.items():
            setattr(policy, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(policy, name, value)


@contextmanager
def crowded(processes: int) -> Iterator[None]:
    """Keep so many processes for each processor busy within the `with`."""
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(processes * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def milliseconds(
    model: Path, config: Mapping[str, Any], constants: Mapping[str, object], pause: float = 0, lengths: int = 1
) -> float:
    """Return the median time of an inference with such a configuration and policy, for lengths that come in turn."""
    with changed(**constants):
        compiled = Core().compile_model(model, config=dict(config))
        inputs = cycle(
            [_values(port, (512 if lengths == 1 else 128) - turn) for port in compiled.inputs]
            for turn in range(lengths)
        )
        for _ in range(lengths):
            compiled(next(inputs))
        return micro(lambda: compiled(next(inputs)), 2 * lengths if lengths > 1 else 30, pause) / 1e3


def _values(port: Any, open_length: int) -> Array:
    shape = [open_length if length.is_dynamic else len(length) for length in port.partial_shape]
    values = RNG.random(shape, np.float32)
    return values > 0.5 if port.element_type.name == "boolean" else values


def main(names: Sequence[str]) -> None:
    """Print the tables of cases."""
    for name in names or CASES:
        print(f"\n| {name} | size | never, ms | always, ms |\n|---|---|---|---|")
        for case in CASES[name]:
            for size in case.sizes:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "case.xml"
                    ov.save_model(case.build(size), path, compress_to_fp16=False)
                    with crowded(case.crowd):
                        _measured(case, size, path)


def _measured(case: Case, size: int, path: Path) -> None:
    """Print the rows of one size."""
    config = {"INFERENCE_NUM_THREADS": case.threads}
    if case.winograd:
        for provider in (NUMPY, COMPILED):
            with changed(WINOGRAD_MIN_CHANNELS=0, WINOGRAD_MAX_TIME_RATIO=1e9):
                cells = [milliseconds(path, {**config, "PROVIDER": provider, "WINOGRAD": m}, {}) for m in (0, 2, 4)]
            print(f"| {provider}: direct, F(2, 3), F(4, 3) | {size} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    for constant, provider in case.constants.items():
        high_first = (2**62, 0) if "_MAX_" not in constant else (0, 2**62)
        values = SMALL_AND_LARGE.get(constant, high_first)
        if "_PART_" in constant or "_PER_" in constant or "_COLUMNS" in constant:
            values = (values[0] or 1, values[1] or 1)
        never, always = (
            milliseconds(
                path, {**config, "PROVIDER": provider}, {constant: value}, case.pause, size if case.are_lengths else 1
            )
            for value in values
        )
        print(f"| {constant} = {getattr(policy, constant)} | {size} | {never:.3f} | {always:.3f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
