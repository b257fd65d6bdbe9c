"""Models of a layer or a few, built for a size with OpenVINO's opsets, and their inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import opset15 as ops

Array = npt.NDArray[Any]
Build: TypeAlias = "Callable[[int], tuple[Any, list[Array]]]"
"""Returns the model for a size, of static shapes, and its inputs."""

FLOAT = np.dtype(np.float32)


def _random(*shape: int, scale: float = 1.0) -> Array:
    values: Array = (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)
    return values


def _weights(*shape: int) -> Any:
    return ops.constant(_random(*shape, scale=0.1))


def _constant(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


def _model(layer: Callable[..., Any], *inputs: Array) -> tuple[Any, list[Array]]:
    """Return the model of a function of parameters with the shapes and types of inputs."""
    parameters = [ops.parameter(list(array.shape), array.dtype) for array in inputs]
    result = layer(*parameters)
    outputs = result if isinstance(result, list) else [result]
    return ov.Model([ops.result(output) for output in outputs], parameters, "layer"), list(inputs)


def _sized(shape: Sequence[int], size: int) -> tuple[int, ...]:
    """Return a shape with its zeros replaced by the size."""
    return tuple(length or size for length in shape)


def deformable_convolution(size: int) -> tuple[Any, list[Array]]:
    """Return a deformable convolution with a mask, as of DCNv2."""

    def layer(data: Any, offsets: Any, mask: Any) -> Any:
        weights = _weights(64, 64, 3, 3)
        return ops.deformable_convolution(
            data, offsets, weights, [1, 1], [1, 1], [1, 1], [1, 1], mask=mask, bilinear_interpolation_pad=True
        )

    mask = np.abs(_random(1, 9, size, size))
    return _model(layer, _random(1, 64, size, size), _random(1, 18, size, size), mask)


def roi_align(mode: str, ratio: int) -> Build:
    """Return what builds a ROIAlign of as many boxes as the size says."""

    def build(size: int) -> tuple[Any, list[Array]]:
        corners = np.abs(_random(size, 2, scale=150)) % 500
        boxes = np.concatenate([corners, corners + np.abs(_random(size, 2, scale=100)) + 8], axis=1)

        def layer(data: Any, rois: Any, images: Any) -> Any:
            return ops.roi_align(data, rois, images, 7, 7, ratio, 1 / 16, mode, aligned_mode="half_pixel")

        return _model(layer, _random(1, 256, 50, 50), boxes.astype(np.float32), np.zeros(size, np.int32))

    return build


def top_k(shape: tuple[int, ...], count: int, axis: int) -> Build:
    """Return what builds a TopK whose axis has the size."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            return ops.topk(data, ops.constant(np.int32(count)), axis, "max", "value").outputs()

        return _model(layer, _random(*shape[:axis], size, *shape[axis + 1 :]))

    return build


def sort(rows: int) -> Build:
    """Return what builds the sort of rows of the size."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            length = ops.gather(ops.shape_of(data, "i32"), _constant(1), _constant(0))
            return ops.topk(data, ops.squeeze(length, _constant(0)), 1, "min", "value", stable=True).outputs()

        return _model(layer, _random(rows, size))

    return build


def non_zero(rank: int) -> Build:
    """Return what builds the positions of the positive elements."""

    def build(size: int) -> tuple[Any, list[Array]]:
        shape = (size, 100)[:rank]
        return _model(lambda data: ops.non_zero(ops.greater(data, ops.constant(np.float32(0)))), _random(*shape))

    return build


def cum_sum(shape: tuple[int, ...], axis: int, dtype: Any) -> Build:
    """Return what builds sums along an axis."""

    def build(size: int) -> tuple[Any, list[Array]]:
        values = (_random(*_sized(shape, size)) * 3).astype(dtype)
        return _model(lambda data: ops.cum_sum(data, ops.constant(np.int32(axis))), values)

    return build


def unique(size: int) -> tuple[Any, list[Array]]:
    """Return the unique elements of whole numbers."""
    numbers = np.random.default_rng(size).integers(0, 1000, size)
    return _model(lambda data: ops.unique(data, sorted=True).outputs(), numbers)


def scatter_update(size: int) -> tuple[Any, list[Array]]:
    """Return rows that replace others."""
    rows = np.arange(0, 64, dtype=np.int64)

    def layer(data: Any, updates: Any) -> Any:
        return ops.scatter_update(data, ops.constant(rows), updates, ops.constant(np.int32(0)))

    return _model(layer, _random(size, 256), _random(64, 256))


def scatter_nd(size: int) -> tuple[Any, list[Array]]:
    """Return rows that replace those of tuples of indices."""
    tuples = np.random.default_rng(3).permutation(200)[:64, None]

    def layer(data: Any, updates: Any) -> Any:
        return ops.scatter_nd_update(data, ops.constant(tuples), updates)

    return _model(layer, _random(size, 256), _random(64, 256))


def scatter_elements(size: int) -> tuple[Any, list[Array]]:
    """Return elements that replace others."""
    indices = np.random.default_rng(3).integers(0, 200, (64, 256))

    def layer(data: Any, updates: Any) -> Any:
        return ops.scatter_elements_update(data, ops.constant(indices), updates, ops.constant(np.int32(0)))

    return _model(layer, _random(size, 256), _random(64, 256))


def group_normalization(size: int) -> tuple[Any, list[Array]]:
    """Return a GroupNormalization and a Swish, as of a diffusion's block."""

    def layer(data: Any) -> Any:
        scale, bias = ops.constant(_random(320)), ops.constant(_random(320))
        return ops.swish(ops.group_normalization(data, scale, bias, 32, 1e-5))

    return _model(layer, _random(1, 320, size, size))


def group_normalization_of_torch(size: int) -> tuple[Any, list[Array]]:
    """Return a group normalization of Reshape, MVN, Multiply and Add."""

    def layer(data: Any) -> Any:
        shape = ops.shape_of(data, "i64")
        grouped = ops.reshape(data, _constant(0, 32, -1), True)
        normal = ops.reshape(ops.mvn(grouped, _constant(2), True, 1e-5, "inside_sqrt"), shape, False)
        return ops.swish(ops.add(ops.multiply(normal, _weights(1, 320, 1, 1)), _weights(1, 320, 1, 1)))

    return _model(layer, _random(1, 320, size, size))


def convolution(
    shape: tuple[int, ...], outputs: int, kernel: tuple[int, ...], dilation: int = 1, strides: int = 1
) -> Build:
    """Return what builds a convolution with a bias and a Relu, and pads that keep the lengths."""

    def build(size: int) -> tuple[Any, list[Array]]:
        rank = len(kernel)

        def layer(data: Any) -> Any:
            pads = [dilation * (length - 1) // 2 for length in kernel]
            weights = _weights(outputs, shape[1], *kernel)
            y = ops.convolution(data, weights, [strides] * rank, pads, pads, [dilation] * rank)
            return ops.relu(ops.add(y, _weights(1, outputs, *[1] * rank)))

        return _model(layer, _random(*_sized(shape, size)))

    return build


def depthwise(shape: tuple[int, ...], kernel: tuple[int, ...], dilation: int) -> Build:
    """Return what builds a depthwise convolution."""

    def build(size: int) -> tuple[Any, list[Array]]:
        rank = len(kernel)

        def layer(data: Any) -> Any:
            pads = [dilation * (length - 1) // 2 for length in kernel]
            weights = _weights(shape[1], 1, 1, *kernel)
            y = ops.group_convolution(data, weights, [1] * rank, pads, pads, [dilation] * rank)
            return ops.relu(ops.add(y, _weights(1, shape[1], *[1] * rank)))

        return _model(layer, _random(*_sized(shape, size)))

    return build


def transposed(shape: tuple[int, ...], outputs: int, kernel: int, stride: int) -> Build:
    """Return what builds a transposed convolution over one axis, as of a vocoder."""

    def build(size: int) -> tuple[Any, list[Array]]:
        pads = [(kernel - stride) // 2]

        def layer(data: Any) -> Any:
            data = ops.prelu(data, ops.constant(np.array([0.1], np.float32)))
            y = ops.convolution_backprop_data(
                data, _weights(shape[1], outputs, kernel), [stride], pads_begin=pads, pads_end=pads, dilations=[1]
            )
            return ops.add(y, _weights(1, outputs, 1))

        return _model(layer, _random(*_sized(shape, size)))

    return build


def vocoder_block(size: int) -> tuple[Any, list[Array]]:
    """Return a residual block of HiFi-GAN."""

    def layer(data: Any) -> Any:
        for dilation in (1, 3, 5):
            y = data
            for step in (dilation, 1):
                y = ops.prelu(y, ops.constant(np.array([0.1], np.float32)))
                y = ops.convolution(y, _weights(32, 32, 7), [1], [3 * step], [3 * step], [step])
                y = ops.add(y, _weights(1, 32, 1))
            data = ops.add(data, y)
        return data

    return _model(layer, _random(1, 32, size))


def max_pool(shape: tuple[int, ...], kernel: int, stride: int) -> Build:
    """Return what builds a maximum over three axes."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            pads = [kernel // 2] * 3
            return ops.max_pool(data, [stride] * 3, [1] * 3, pads, pads, [kernel] * 3).output(0)

        return _model(layer, _random(*_sized(shape, size)))

    return build


def mean_pool(shape: tuple[int, ...], kernel: int, stride: int) -> Build:
    """Return what builds a mean over three axes."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            return ops.avg_pool(data, [stride] * 3, [0] * 3, [0] * 3, [kernel] * 3, True)

        return _model(layer, _random(*_sized(shape, size)))

    return build


def resized(mode: str, coordinates: str, channels: int, scale: float) -> Build:
    """Return what builds an Interpolate of images by a scale."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            scales = ops.constant(np.array([scale, scale], np.float32))
            return ops.interpolate(
                data, scales, mode, "scales", axes=_constant(2, 3), coordinate_transformation_mode=coordinates,
                nearest_mode="floor", cube_coeff=-0.75,
            )  # fmt: skip

        return _model(layer, _random(1, channels, size, size))

    return build


def attention(heads: int, width: int, keys: int) -> Build:
    """Return what builds attention of as many queries as the size says, on as many keys unless `keys` says how many."""

    def build(size: int) -> tuple[Any, list[Array]]:
        rows = (1, heads, keys or size, width)

        def layer(query: Any, key: Any, value: Any) -> Any:
            return ops.scaled_dot_product_attention(query, key, value)

        return _model(layer, _random(1, heads, size, width), _random(*rows), _random(*rows))

    return build


def random_uniform(size: int) -> tuple[Any, list[Array]]:
    """Return random numbers, less themselves, so that engines can be compared."""

    def layer(data: Any) -> Any:
        low, high = ops.constant(np.float32(0)), ops.constant(np.float32(1))
        numbers = ops.random_uniform(ops.shape_of(data), low, high, "f32", 3, 5)
        return ops.add(data, numbers)

    return _model(layer, _random(size))


def lstm(width: int) -> Build:
    """Return what builds an LSTM over as many steps as the size says."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            state = ops.constant(np.zeros((1, 1, width), np.float32))
            weights = [_weights(1, 4 * width, width), _weights(1, 4 * width, width), _weights(1, 4 * width)]
            lengths = ops.gather(ops.shape_of(data, "i32"), _constant(1), _constant(0))
            return ops.lstm_sequence(data, state, state, lengths, *weights, width, "forward").output(0)

        return _model(layer, _random(1, size, width))

    return build


def gru(width: int) -> Build:
    """Return what builds a GRU over as many steps as the size says."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            state = ops.constant(np.zeros((1, 1, width), np.float32))
            weights = [_weights(1, 3 * width, width), _weights(1, 3 * width, width), _weights(1, 4 * width)]
            lengths = ops.gather(ops.shape_of(data, "i32"), _constant(1), _constant(0))
            return ops.gru_sequence(data, state, lengths, *weights, width, "forward", linear_before_reset=True).output(
                0
            )

        return _model(layer, _random(1, size, width))

    return build


def lstm_loop(width: int) -> Build:
    """Return what builds a TensorIterator whose body is an LSTMCell."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(data: Any) -> Any:
            state = ops.constant(np.zeros((1, width), np.float32))
            x, hidden, cell = (ops.parameter(shape, FLOAT) for shape in ([1, 1, width], [1, width], [1, width]))
            weights = [_weights(4 * width, width), _weights(4 * width, width), _weights(4 * width)]
            step = ops.lstm_cell(ops.reshape(x, _constant(1, width), False), hidden, cell, *weights, width)
            body = ov.Model([step.output(0), step.output(1)], [x, hidden, cell], "body")
            loop = ops.tensor_iterator()
            loop.set_body(body)
            loop.set_sliced_input(x, data.output(0), 0, 1, 1, -1, 0)
            loop.set_merged_input(hidden, state.output(0), body.results[0].output(0))
            loop.set_merged_input(cell, state.output(0), body.results[1].output(0))
            return loop.get_iter_value(body.results[0].output(0), -1)

        return _model(layer, _random(size, 1, width))

    return build


def rwkv(width: int) -> Build:
    """Return what builds the loop of RWKV's attention: small elementwise steps on a state."""

    def build(size: int) -> tuple[Any, list[Array]]:
        def layer(keys: Any, values: Any) -> Any:
            k, v = (ops.parameter([1, 1, width], FLOAT) for _ in range(2))
            top, bottom, largest = (ops.parameter([1, 1, width], FLOAT) for _ in range(3))
            first = ops.add(k, _weights(1, 1, width))
            high = ops.maximum(largest, first)
            before, now = ops.exp(ops.subtract(largest, high)), ops.exp(ops.subtract(first, high))
            output = ops.divide(
                ops.add(ops.multiply(before, top), ops.multiply(now, v)), ops.add(ops.multiply(before, bottom), now)
            )
            decayed = ops.add(largest, _weights(1, 1, width))
            high = ops.maximum(decayed, k)
            before, now = ops.exp(ops.subtract(decayed, high)), ops.exp(ops.subtract(k, high))
            states = [ops.add(ops.multiply(before, top), ops.multiply(now, v)),
                      ops.add(ops.multiply(before, bottom), now), high]  # fmt: skip
            body = ov.Model([output, *states], [k, v, top, bottom, largest], "body")
            loop = ops.tensor_iterator()
            loop.set_body(body)
            loop.set_sliced_input(k, keys.output(0), 0, 1, 1, -1, 1)
            loop.set_sliced_input(v, values.output(0), 0, 1, 1, -1, 1)
            zeros = ops.constant(np.zeros((1, 1, width), np.float32))
            for number, parameter in enumerate((top, bottom, largest)):
                loop.set_merged_input(parameter, zeros.output(0), body.results[number + 1].output(0))
            return loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 1)

        return _model(layer, _random(1, size, width), _random(1, size, width))

    return build
