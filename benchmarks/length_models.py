"""Networks of open lengths, built with OpenVINO's opsets: an encoder, a vocoder, a network of images and a detector."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import opset13 as ops

Array = npt.NDArray[Any]
VOCABULARY = 1000
MAX_TOKENS = 512


class _Layers:
    """Layers with seeded random weights."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(29)

    def weights(self, *shape: int) -> Any:
        scale = (1.5 / prod(shape[1:])) ** 0.5
        return ops.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def linear(self, x: Any, inputs: int, outputs: int) -> Any:
        return ops.add(ops.matmul(x, self.weights(outputs, inputs), False, True), self.weights(1, 1, outputs))

    def normalized(self, x: Any, width: int) -> Any:
        mean = ops.mvn(x, integers(-1), True, 1e-5, "inside_sqrt")
        return ops.add(ops.multiply(mean, self.weights(width)), self.weights(width))

    def line(self, x: Any, inputs: int, outputs: int, taps: int, dilation: int = 1) -> Any:
        pad = (taps - 1) * dilation // 2
        y = ops.convolution(x, self.weights(outputs, inputs, taps), [1], [pad], [pad], [dilation])
        return ops.add(y, self.weights(1, outputs, 1))

    def image(self, x: Any, inputs: int, outputs: int, size: int = 3, stride: int = 1) -> Any:
        pads, weights = [size // 2] * 2, self.weights(outputs, inputs, size, size)
        y = ops.convolution(x, weights, [stride] * 2, pads, pads, [1, 1])
        return ops.add(y, self.weights(1, outputs, 1, 1))


def integers(*values: int) -> Any:
    """Return a vector of integers."""
    return ops.constant(np.array(values, np.int64))


def scalar(value: int) -> Any:
    """Return an integer."""
    return ops.constant(np.int64(value))


def length(x: Any, axis: int) -> Any:
    """Return a length as a vector of one element."""
    return ops.gather(ops.shape_of(x), integers(axis), scalar(0))


def leaky(x: Any) -> Any:
    """Return a leaky ReLU."""
    return ops.prelu(x, ops.constant(np.array([0.1], np.float32)))


def encoder(width: int, layers: int) -> ov.Model:
    """Return an encoder of texts: ids and a mask of [N, L], heads of 32 columns or fewer."""
    make, head = _Layers(), min(32, width // 2)
    ids, mask = (ops.parameter([-1, -1], np.int64, name) for name in ("ids", "mask"))
    tokens = ops.gather(make.weights(VOCABULARY, width), ids, scalar(0))
    places = ops.slice(make.weights(1, MAX_TOKENS, width), integers(0), length(ids, 1), integers(1), integers(1))
    x = make.normalized(ops.add(tokens, places), width)
    four = ops.unsqueeze(ops.unsqueeze(mask, scalar(1)), scalar(2))
    wide = ops.broadcast(four, ops.concat([length(ids, 0), integers(1), length(ids, 1), length(ids, 1)], 0))
    hidden = ops.subtract(ops.constant(np.float32(1)), ops.convert(wide, "f32"))
    added = ops.select(ops.convert(hidden, "boolean"), ops.constant(np.float32(-1e9)), hidden)

    def heads(y: Any) -> Any:
        shape = ops.concat([length(y, 0), length(y, 1), integers(width // head, head)], 0)
        return ops.transpose(ops.reshape(y, shape, False), integers(0, 2, 1, 3))

    for _ in range(layers):
        query, key, value = (heads(make.linear(x, width, width)) for _ in range(3))
        mixed = ops.transpose(ops.scaled_dot_product_attention(query, key, value, added), integers(0, 2, 1, 3))
        joined = ops.reshape(mixed, ops.concat([length(x, 0), length(x, 1), integers(width)], 0), False)
        x = make.normalized(ops.add(make.linear(joined, width, width), x), width)
        inner = ops.gelu(make.linear(x, width, 4 * width), "erf")
        x = make.normalized(ops.add(make.linear(inner, 4 * width, width), x), width)
    first = ops.gather(x, scalar(0), scalar(1))
    return ov.Model([ops.result(x), ops.result(ops.tanh(first))], [ids, mask], "encoder")


def vocoder(width: int, stages: int) -> ov.Model:
    """Return a vocoder: frames [1, 80, L] become a wave, which gets longer and narrower stage by stage."""
    make, mel = _Layers(), ops.parameter([1, 80, -1], np.float32, "mel")
    x = make.line(mel, 80, width, 7)
    for _ in range(stages):
        weights = make.weights(width, width // 2, 8)
        x = ops.convolution_backprop_data(leaky(x), weights, [4], pads_begin=[2], pads_end=[2], dilations=[1])
        width //= 2
        x = ops.add(x, make.weights(1, width, 1))
        parts = []
        for taps in (3, 7):
            y = x
            for dilation in (1, 3):
                inner = make.line(leaky(y), width, width, taps, dilation)
                y = ops.add(make.line(leaky(inner), width, width, taps), y)
            parts.append(y)
        x = ops.divide(ops.add(parts[0], parts[1]), ops.constant(np.float32(2)))
    wave = ops.tanh(make.line(leaky(x), width, 1, 7))
    return ov.Model([ops.result(ops.squeeze(wave, integers(1)))], [mel], "vocoder")


def _backbone(make: _Layers, image: Any, width: int) -> list[Any]:
    """Return the maps of half and a quarter of the length of an eighth of the image."""
    x = ops.relu(make.image(image, 3, width, 3, 2))
    x = ops.max_pool(x, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3]).output(0)
    maps = []
    for _ in range(3):
        inner = ops.relu(make.image(x, width, width))
        x = ops.relu(ops.add(make.image(inner, width, width), x))
        depthwise = make.weights(width, 1, 1, 3, 3)
        spread = ops.group_convolution(x, depthwise, [2, 2], [1, 1], [1, 1], [1, 1])
        x = ops.clamp(make.image(spread, width, 2 * width, 1), 0.0, 6.0)
        width *= 2
        maps.append(x)
    return maps[1:]


def _merged(make: _Layers, maps: list[Any], width: int) -> list[Any]:
    """Return the maps with one width, the coarse ones added to the fine ones in the size of those."""
    fine, coarse = (make.image(y, 4 * width * 2**level, width, 1) for level, y in enumerate(maps))
    size = ops.slice(ops.shape_of(fine), integers(2), integers(4), integers(1))
    larger = ops.interpolate(coarse, size, "nearest", "sizes", axes=integers(2, 3))
    return [make.image(ops.add(fine, larger), width, width), coarse]


def segmenter(width: int) -> ov.Model:
    """Return the class of each pixel of an image [N, 3, H, W]."""
    make, image = _Layers(), ops.parameter([-1, 3, -1, -1], np.float32, "image")
    fine, _ = _merged(make, _backbone(make, image, width), width)
    size = ops.slice(ops.shape_of(image), integers(2), integers(4), integers(1))
    scores = ops.interpolate(make.image(fine, width, 5, 1), size, "linear_onnx", "sizes", axes=integers(2, 3))
    return ov.Model([ops.result(ops.softmax(scores, 1))], [image], "segmenter")


def _points(y: Any) -> Any:
    """Return the positions of all pixels of a map, [H * W, 2]."""
    lines = []
    for axis in (3, 2):
        end = ops.squeeze(length(y, axis), integers(0))
        line = ops.convert(ops.range(scalar(0), end, scalar(1), "i64"), "f32")
        place = ops.unsqueeze(line, scalar(3 - axis))
        lines.append(ops.broadcast(place, ops.concat([length(y, 2), length(y, 3)], 0)))
    pairs = [ops.unsqueeze(ops.reshape(line, integers(-1), False), integers(1)) for line in lines]
    return ops.concat(pairs, 1)


def detector(width: int) -> ov.Model:
    """Return boxes and scores of an image [1, 3, H, W]: those that a suppression selects, best first."""
    make, image = _Layers(), ops.parameter([1, 3, -1, -1], np.float32, "image")
    rows, corners = [], []
    for level, y in enumerate(_merged(make, _backbone(make, image, width), width)):
        flat = ops.reshape(make.image(y, width, 8), integers(0, 8, -1), True)
        rows.append(ops.transpose(flat, integers(0, 2, 1)))
        corners.append(ops.multiply(ops.unsqueeze(_points(y), integers(0)), ops.constant(np.float32(16 * 2**level))))
    four, scores = ops.variadic_split(ops.concat(rows, 1), scalar(2), integers(4, 4)).outputs()
    places = ops.concat(corners, 1)
    sizes = ops.multiply(ops.exp(ops.minimum(four, ops.constant(np.float32(2)))), ops.constant(np.float32(12)))
    low, high = ops.variadic_split(sizes, scalar(2), integers(2, 2)).outputs()
    boxes = ops.concat([ops.subtract(places, low), ops.add(places, high)], 2)
    by_class = ops.transpose(ops.sigmoid(scores), integers(0, 2, 1))
    limits = [ops.constant(np.float32(value)) for value in (0.5, 0.3)]
    kept = ops.non_max_suppression(boxes, by_class, scalar(20), *limits, output_type="i64")
    chosen = ops.squeeze(ops.slice(kept.output(0), integers(2), integers(3), integers(1), integers(1)), integers(1))
    valued = ops.slice(kept.output(1), integers(2), integers(3), integers(1), integers(1))
    picked = ops.gather(ops.squeeze(boxes, integers(0)), chosen, scalar(0))
    return ov.Model([ops.result(picked), ops.result(valued)], [image], "detector")


def recognizer(width: int) -> ov.Model:
    """Return scores of 40 symbols for each of the frames [1, T, 80], behind an LSTM and a GRU of both directions."""
    make, frames = _Layers(), ops.parameter([1, -1, 80], np.float32, "frames")
    y, inputs, state = frames, 80, ops.constant(np.zeros((1, 2, width), np.float32))
    for gates in (4, 3):
        sizes = ((2, gates * width, inputs), (2, gates * width, width), (2, gates * width))
        weights = [make.weights(*shape) for shape in sizes]
        if gates == 4:
            series = ops.lstm_sequence(y, state, state, length(y, 1), *weights, width, "bidirectional")
        else:
            series = ops.gru_sequence(y, state, length(y, 1), *weights, width, "bidirectional")
        turned = ops.transpose(series.output(0), integers(0, 2, 1, 3))
        y, inputs = ops.reshape(turned, integers(0, 0, -1), True), 2 * width
    return ov.Model([ops.result(ops.softmax(make.linear(y, inputs, 40), 2))], [frames], "recognizer")


def _text(size: int) -> list[Array]:
    ids = np.random.default_rng(size).integers(0, VOCABULARY, (1, size))
    mask = np.ones((1, size), np.int64)
    mask[:, size - size // 4 :] = 0
    return [ids, mask]


def _frames(size: int) -> list[Array]:
    return [np.random.default_rng(size).standard_normal((1, 80, size)).astype(np.float32)]


def _rows(size: int) -> list[Array]:
    return [np.ascontiguousarray(_frames(size)[0].transpose(0, 2, 1))]


def _image(size: int) -> list[Array]:
    shape = (1, 3, 64 + 16 * (size % 11), 64 + 16 * (size // 11 % 11))
    return [np.random.default_rng(size).standard_normal(shape).astype(np.float32)]


INPUTS: dict[str, Callable[[int], list[Array]]] = {
    "encoder": _text, "vocoder": _frames, "segmenter": _image, "detector": _image,
    "recognizer": _rows,
}  # fmt: skip
"""What makes the inputs of a network for a number, from 8 to 120; those of two numbers differ in their shapes."""
LARGE: dict[str, Callable[[], ov.Model]] = {
    "encoder": lambda: encoder(256, 4),
    "vocoder": lambda: vocoder(128, 3),
    "segmenter": lambda: segmenter(16),
    "detector": lambda: detector(16),
    "recognizer": lambda: recognizer(128),
}
SMALL: dict[str, Callable[[], ov.Model]] = {
    "encoder": lambda: encoder(16, 2),
    "vocoder": lambda: vocoder(16, 2),
    "segmenter": lambda: segmenter(4),
    "detector": lambda: detector(4),
    "recognizer": lambda: recognizer(8),
}
