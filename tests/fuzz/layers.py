"""Layers that a random graph may grow by; each returns False where no value so far fits it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.graph import Graph, Value

Grow = Callable[[Graph], object]

INTEGERS = ("i32", "i64")
REAL = ("f32",)
SMALL = ("f16", "bf16")
"""Types that OpenVINO computes in f32 and we round to after every layer: only for layers that magnify no difference."""
LARGEST = 4096

UNARY = ("ReLU", "Sigmoid", "Tanh", "Abs", "Negative", "Sin", "Cos", "Erf", "Sign", "Atan")
LATER = (("SoftPlus", 4), ("Mish", 4), ("HSwish", 4), ("HSigmoid", 5), ("Gelu", 7), ("SoftSign", 9))


def unary(graph: Graph) -> object:
    data = graph.pick(types=REAL)
    if data is None:
        return False
    return graph.add(graph.chance.choice(UNARY), 1, [data], [(data.type, data.shape)])


def later_unary(graph: Graph) -> object:
    data = graph.pick(types=REAL)
    if data is None:
        return False
    type, version = graph.chance.choice(LATER)
    more: dict[str, Any] = {"approximation_mode": graph.chance.choice(["ERF", "TANH"])} if type == "Gelu" else {}
    return graph.add(type, version, [data], [(data.type, data.shape)], **more)


def small(graph: Graph) -> object:
    data = graph.pick(types=SMALL)
    if data is None:
        return False
    if graph.flag():
        type = graph.chance.choice(["ReLU", "Sigmoid", "Tanh", "Abs", "Negative"])
        return graph.add(type, 1, [data], [(data.type, data.shape)])
    other = _like(graph, data)
    type = graph.chance.choice(["Add", "Maximum", "Minimum"])
    return graph.add(type, 1, [data, other], [(data.type, np.broadcast_shapes(data.shape, other.shape))])


def low_bit(graph: Graph) -> object:
    """Decompress a constant of few bits, and add it to a value."""
    data = graph.pick(types=REAL)
    if data is None:
        return False
    type = graph.chance.choice(["u4", "i4", "u8", "i8", "f16", "bf16", "nf4", "f8e4m3", "f8e5m2"])
    low, high = (0, 8) if type[0] == "u" else (-1, 2) if type == "nf4" else (-4, 5)
    shape = [length if graph.flag() else 1 for length in data.shape]
    values = np.random.default_rng(graph.number(0, 99)).integers(low, high, shape)
    known = set(graph.values)
    made = graph.add("Convert", 1, [graph.constant(values, type)], [("f32", shape)], destination_type="f32")[0]
    scaled = graph.add("Multiply", 1, [made, graph.constant(0.25, "f32")], [("f32", shape)])[0]
    graph.values = [value for value in graph.values if value in known]
    return graph.add("Add", 1, [data, scaled], [("f32", data.shape)])


def clamp(graph: Graph) -> object:
    data = graph.pick(types=(*REAL, "i32"))
    if data is None:
        return False
    low = graph.number(-2, 0)
    return graph.add("Clamp", 1, [data], [(data.type, data.shape)], min=low, max=low + graph.number(1, 3))


def elu(graph: Graph) -> object:
    data = graph.pick(types=REAL)
    return data and graph.add("Elu", 1, [data], [(data.type, data.shape)], alpha=graph.number(1, 4) / 2)


def _like(graph: Graph, data: Value) -> Value:
    """Return a value, or a new constant, that broadcasts with `data`."""
    fit = [known for known in graph.values if known.type == data.type and _broadcast(known, data)]
    if fit and graph.number(0, 2):
        return graph.chance.choice(fit)
    shape = [length if graph.number(0, 2) else 1 for length in data.shape][graph.number(0, data.rank) :]
    return graph.constant(graph.array(data.type, shape), data.type)


def _broadcast(one: Value, other: Value) -> bool:
    try:
        return int(np.prod(np.broadcast_shapes(one.shape, other.shape))) <= LARGEST
    except ValueError:
        return False


def binary(graph: Graph) -> object:
    data = graph.pick(types=(*REAL, *INTEGERS))
    if data is None:
        return False
    other = _like(graph, data)
    types = ["Add", "Subtract", "Maximum", "Minimum"] + (["Multiply", "SquaredDifference"] if data.type in REAL else [])
    inputs = [data, other] if graph.flag() else [other, data]
    shape = np.broadcast_shapes(data.shape, other.shape)
    return graph.add(graph.chance.choice(types), 1, inputs, [(data.type, shape)])


def compare(graph: Graph) -> object:
    data = graph.pick(types=INTEGERS)
    if data is None:
        return False
    other = _like(graph, data)
    type = graph.chance.choice(["Greater", "Less", "Equal", "NotEqual", "GreaterEqual", "LessEqual"])
    return graph.add(type, 1, [data, other], [("boolean", np.broadcast_shapes(data.shape, other.shape))])


def logical(graph: Graph) -> object:
    data = graph.pick(types=["boolean"])
    return data and graph.add("LogicalNot", 1, [data], [(data.type, data.shape)])


def select(graph: Graph) -> object:
    data = graph.pick(types=(*REAL, *INTEGERS))
    if data is None:
        return False
    other = graph.constant(graph.array(data.type, [1] * graph.flag()), data.type)
    fit = [known for known in graph.values if known.type == "boolean" and _broadcast(known, data)]
    condition = graph.chance.choice(fit) if fit else graph.constant(graph.array("boolean", data.shape), "boolean")
    return graph.add(
        "Select",
        1,
        [condition, data, other],
        [(data.type, np.broadcast_shapes(condition.shape, data.shape, other.shape))],
    )


def convert(graph: Graph) -> object:
    data = graph.pick(types=("i32", "i64", "u8", "boolean"))
    to = graph.chance.choice(["f32", "i32", "i64"])
    return data and graph.add("Convert", 1, [data], [(to, data.shape)], destination_type=to)


def _window(graph: Graph, lengths: tuple[int, ...], dilate: bool) -> dict[str, list[int]] | None:
    """Return kernel, strides, pads and dilations, and the lengths they make of `lengths`."""
    kernel = [graph.number(1, min(3, length)) for length in lengths]
    roomy = [dilate and 2 * size <= length for size, length in zip(kernel, lengths, strict=True)]
    dilations = [graph.number(1, 2) if room else 1 for room in roomy]
    begin = [graph.number(0, size - 1) for size in kernel]
    end = [graph.number(0, size - 1) for size in kernel]
    strides = [graph.number(1, 2) for _ in lengths]
    every = zip(lengths, begin, end, dilations, kernel, strict=True)
    spans = [length + first + last - spread * (size - 1) - 1 for length, first, last, spread, size in every]
    if min(spans) < 0:
        return None
    out = [span // stride + 1 for span, stride in zip(spans, strides, strict=True)]
    return {"kernel": kernel, "strides": strides, "begin": begin, "end": end, "dilations": dilations, "out": out}


def convolution(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(3, 4))
    window = data and _window(graph, data.shape[2:], True)
    if not data or not window:
        return False
    channels, features = data.shape[1], graph.number(1, 4)
    grouped = channels > 1 and graph.flag()
    shape = [channels, features, 1] if grouped else [features, channels]
    weights = graph.constant(graph.array("f32", [*shape, *window["kernel"]]), "f32")
    return graph.add(
        "GroupConvolution" if grouped else "Convolution", 1, [data, weights],
        [("f32", (data.shape[0], features * channels if grouped else features, *window["out"]))],
        strides=window["strides"], dilations=window["dilations"], pads_begin=window["begin"], pads_end=window["end"],
        auto_pad="explicit",
    )  # fmt: skip


def same_convolution(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(3, 4))
    if data is None:
        return False
    features, spatial = graph.number(1, 4), data.shape[2:]
    weights = graph.constant(
        graph.array("f32", [features, data.shape[1], *([graph.number(1, 3)] * len(spatial))]), "f32"
    )
    ones, stride = [1] * len(spatial), graph.number(1, 2)
    return graph.add(
        "Convolution", 1, [data, weights], [("f32", (data.shape[0], features, *(-(-n // stride) for n in spatial)))],
        strides=[stride] * len(spatial), dilations=ones, pads_begin=[0] * len(spatial), pads_end=[0] * len(spatial),
        auto_pad=graph.chance.choice(["same_upper", "same_lower"]),
    )  # fmt: skip


def pooling(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(3, 4))
    window = data and _window(graph, data.shape[2:], False)
    if not data or not window:
        return False
    type = graph.chance.choice(["MaxPool", "AvgPool"])
    more: dict[str, Any] = {"exclude-pad": graph.flag()} if type == "AvgPool" else {}
    return graph.add(
        type, 1, [data], [("f32", (*data.shape[:2], *window["out"]))], kernel=window["kernel"],
        strides=window["strides"], pads_begin=window["begin"], pads_end=window["end"], rounding_type="floor",
        auto_pad="explicit", **more,
    )  # fmt: skip


def batch_norm(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(2, 3, 4))
    if data is None:
        return False
    four = [graph.constant(graph.array("f32", [data.shape[1]]) ** 2, "f32") for _ in range(4)]
    return graph.add("BatchNormInference", 5, [data, *four], [(data.type, data.shape)], epsilon=0.01)


def mvn(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(2, 3, 4))
    if data is None:
        return False
    axes = graph.constant([-1])
    return graph.add(
        "MVN", 6, [data, axes], [(data.type, data.shape)], eps=0.1, normalize_variance=graph.flag(),
        eps_mode=graph.chance.choice(["inside_sqrt", "outside_sqrt"]),
    )  # fmt: skip


def softmax(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(1, 2, 3, 4))
    if data is None:
        return False
    return graph.add("SoftMax", 8, [data], [(data.type, data.shape)], axis=graph.number(-data.rank, data.rank - 1))


def matmul(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(2, 3, 4))
    if data is None:
        return False
    turned, width = graph.flag(), graph.number(1, 4)
    weights = graph.array("f32", [width, data.shape[-1]] if turned else [data.shape[-1], width])
    return graph.add(
        "MatMul", 1, [data, graph.constant(weights, "f32")], [("f32", (*data.shape[:-1], width))],
        transpose_a=False, transpose_b=turned,
    )  # fmt: skip


def reduce(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(1, 2, 3, 4))
    if data is None:
        return False
    axes = graph.chance.sample(range(data.rank), graph.number(1, data.rank))
    keep = graph.flag()
    shape = [1 if i in axes else n for i, n in enumerate(data.shape) if keep or i not in axes]
    type = graph.chance.choice(["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"])
    written = [axis - data.rank if graph.flag() else axis for axis in axes]
    return graph.add(type, 1, [data, graph.constant(written)], [(data.type, shape)], keep_dims=keep)


def top_k(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(1, 2, 3, 4))
    if data is None:
        return False
    axis = graph.number(0, data.rank - 1)
    k = graph.number(1, data.shape[axis])
    shape = [k if i == axis else n for i, n in enumerate(data.shape)]
    made = graph.add(
        "TopK", 11, [data, graph.constant(k)], [("f32", shape), ("i32", shape)], axis=axis, sort="value",
        mode=graph.chance.choice(["max", "min"]), index_element_type="i32",
    )  # fmt: skip
    kept = graph.add("ShapeOf", 3, [made[1]], [("i64", [data.rank])], output_type="i64")
    graph.values.remove(made[1])
    return kept


LAYERS: tuple[Grow, ...] = (
    unary, unary, later_unary, clamp, elu, binary, binary, binary, compare, logical, select, convert, convolution,
    convolution, same_convolution, pooling, pooling, batch_norm, mvn, softmax, matmul, reduce, reduce, top_k, small,
    small, low_bit,
)  # fmt: skip
