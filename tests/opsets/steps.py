"""Steps of random graphs: each builds one layer, or a few, on a node of f32 of known rank.

FakeQuantize is left out, as OpenVINO's CPU cuts to the limits of a Clamp behind it before it rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ir_plugin import opset13 as ops
from ir_plugin import opset15, opset16

Draw = Callable[[st.SearchStrategy[Any]], Any]

UNARY = [
    "abs", "atan", "ceiling", "cos", "erf", "exp", "floor", "hsigmoid", "hswish", "mish", "negative", "relu",
    "sigmoid", "sign", "sin", "softplus", "softsign", "tanh",
]  # fmt: skip
BINARY = ["add", "greater", "less_equal", "maximum", "minimum", "multiply", "prelu", "squared_difference", "subtract"]
REDUCED = ["reduce_l1", "reduce_l2", "reduce_max", "reduce_mean", "reduce_min", "reduce_sum"]


def rank(node: Any) -> int:
    return int(node.output(0).partial_shape.rank.get_length())


def axis_of(node: Any, draw: Draw) -> int:
    return int(draw(st.integers(-rank(node), rank(node) - 1)))


def _number(value: float) -> Any:
    return ops.constant(np.float32(value))


def _numbers(draw: Draw, count: int, low: int, high: int) -> list[int]:
    return [int(draw(st.integers(low, high))) for _ in range(count)]


def _float(node: Any) -> Any:
    return ops.convert(node, "f32")


def unary(node: Any, draw: Draw) -> Any:
    return getattr(ops, draw(st.sampled_from(UNARY)))(node)


def with_parameters(node: Any, draw: Draw) -> Any:
    built: dict[str, Callable[[], Any]] = {
        "clamp": lambda: ops.clamp(node, -0.5, 0.75),
        "elu": lambda: ops.elu(node, 0.5),
        "gelu": lambda: ops.gelu(node, "tanh"),
        "hard_sigmoid": lambda: ops.hard_sigmoid(node, _number(0.3), _number(0.4)),
        "selu": lambda: ops.selu(node, _number(1.6), _number(1.05)),
        "swish": lambda: ops.swish(node, _number(0.7)),
        "power": lambda: ops.power(ops.abs(node), _number(1.5)),
        "divide": lambda: ops.divide(node, _number(3)),
        "floor_mod": lambda: ops.floor_mod(node, _number(0.75)),
        "round": lambda: ops.round(node, "half_to_even"),
        "select": lambda: ops.select(ops.greater(node, _number(0)), node, _number(0.25)),
    }
    return built[draw(st.sampled_from(sorted(built)))]()


def binary(node: Any, draw: Draw) -> Any:
    side = draw(st.sampled_from(["scalar", "same", "kept"]))
    other: dict[str, Callable[[], Any]] = {
        "scalar": lambda: _number(0.6),
        "same": lambda: node,
        "kept": lambda: ops.reduce_mean(node, [-1], True),
    }
    name = draw(st.sampled_from(BINARY))
    operand = _number(0.6) if name == "prelu" or (rank(node) == 0 and side == "kept") else other[side]()
    return _float(getattr(ops, name)(node, operand))


def reduced(node: Any, draw: Draw) -> Any:
    return getattr(ops, draw(st.sampled_from(REDUCED)))(node, [axis_of(node, draw)], draw(st.booleans()))


def along_an_axis(node: Any, draw: Draw) -> Any:
    axis = axis_of(node, draw)
    built: dict[str, Callable[[], Any]] = {
        "softmax": lambda: ops.softmax(node, axis),
        "log_softmax": lambda: ops.log_softmax(node, axis),
        "cum_sum": lambda: ops.cum_sum(node, axis, draw(st.booleans()), draw(st.booleans())),
        "concat": lambda: ops.concat([node, node, ops.negative(node)], axis),
        "topk": lambda: _float(ops.topk(node, 1, axis, draw(st.sampled_from(["max", "min"])), "value").output(0)),
        "unsqueeze": lambda: ops.unsqueeze(node, [axis]),
        "gather": lambda: ops.gather(node, [0, -1, 0], axis),
        "slice": lambda: ops.slice(node, [0], [2], [1], [axis]),
        "reverse": lambda: ops.slice(node, [-1], [-(2**31)], [-1], [axis]),
        "split": lambda: ops.concat(opset16.variadic_split(node, axis, [1, -1]).outputs()[::-1], axis),
        "normalize_l2": lambda: ops.normalize_l2(node, [axis], 1e-3, "add"),
        "mvn": lambda: ops.mvn(node, [axis], draw(st.booleans()), 1e-3, "inside_sqrt"),
        "roll": lambda: ops.roll(node, [1], [axis]),
    }
    return built[draw(st.sampled_from(sorted(built)))]()


def moved(node: Any, draw: Draw) -> Any:
    count = rank(node)
    built: dict[str, Callable[[], Any]] = {
        "transpose": lambda: ops.transpose(node, draw(st.permutations(range(count)))),
        "flatten": lambda: ops.reshape(node, [-1], False),
        "rows": lambda: ops.reshape(node, [0, -1], True),
        "pad": lambda: ops.pad(
            node, _numbers(draw, count, 0, 2), _numbers(draw, count, 0, 2), "constant", _number(0.5)
        ),
        "edge": lambda: ops.pad(node, _numbers(draw, count, 0, 1), _numbers(draw, count, 0, 1), "edge"),
        "tile": lambda: ops.tile(node, _numbers(draw, count, 1, 2)),
        "broadcast": lambda: ops.broadcast(node, [2, *[1] * count], broadcast_spec="bidirectional"),
        "matmul": lambda: ops.matmul(node, node, False, True),
        "reshape_by_shape": lambda: ops.reshape(ops.abs(node), ops.shape_of(node), False),
        "gather_nd": lambda: ops.gather_nd(node, np.zeros((2, 1), np.int64)),
        "scatter": lambda: ops.scatter_update(node, [0], ops.slice(node, [-1], [2**31 - 1], [1], [0]), 0),
        "strided_slice": lambda: ops.strided_slice(node, [0], [1], [1], [1], [1], shrink_axis_mask=[0]),
        "nonzero": lambda: _float(ops.reduce_sum(ops.non_zero(node), [1])),
        "half": lambda: _float(ops.convert(ops.convert(node, "i32"), "i64")),
    }
    return built[draw(st.sampled_from(sorted(built)))]()


def of_images(node: Any, draw: Draw) -> Any:
    filters = np.random.default_rng(4).uniform(-0.3, 0.3, (4, 4, 3, 3)).astype(np.float32)
    stride, pad = _numbers(draw, 2, 1, 2), draw(st.sampled_from(["explicit", "same_upper", "same_lower"]))
    grouped = filters.reshape(4, 1, 4, 3, 3)[:, :, :1]
    transposed = filters[::-1] * np.float32(0.9)  # OpenVINO's CPU mixes up equal weights of both kinds of layers
    both = [1, 1]
    gamma, beta, mean, variance = (np.full(4, number, np.float32) for number in (1, 0, 0.5, 2))
    built: dict[str, Callable[[], Any]] = {
        "convolution": lambda: ops.convolution(node, filters, stride, both, both, both, pad),
        "group_convolution": lambda: ops.group_convolution(node, grouped, stride, both, both, both, pad),
        "backprop": lambda: ops.convolution_backprop_data(node, transposed, stride, None, both, both),
        "max_pool": lambda: _float(ops.max_pool(node, stride, both, both, both, [3, 3], "floor", pad).output(0)),
        "avg_pool": lambda: ops.avg_pool(node, stride, both, both, [3, 3], draw(st.booleans()), "floor", pad),
        "lrn": lambda: ops.lrn(node, [1], 0.5, 0.7, 1.0, 3),
        "shuffle": lambda: ops.shuffle_channels(node, 1, 2),
        "depth": lambda: ops.depth_to_space(node, "depth_first", 2),
        "batch_norm": lambda: opset15.batch_norm_inference(node, gamma, beta, mean, variance, 1e-3),
        "interpolate": lambda: ops.interpolate(node, [5, 7], "nearest", "sizes", axes=[2, 3]),
    }
    return built[draw(st.sampled_from(sorted(built)))]()


STEPS = [unary, with_parameters, binary, reduced, along_an_axis, moved]
