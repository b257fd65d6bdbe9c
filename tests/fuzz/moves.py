"""Layers that move, cut, join and reshape, which a random graph may grow by; shape sub-graphs included."""

from __future__ import annotations

import numpy as np

from tests.fuzz.graph import Graph, Value
from tests.fuzz.layers import INTEGERS, LARGEST, REAL, SMALL, Grow

MOVABLE = (*REAL, *INTEGERS, *SMALL)
RANKS = (1, 2, 3, 4)


def _data(graph: Graph) -> tuple[Value, int] | None:
    data = graph.pick(types=MOVABLE, ranks=RANKS)
    return None if data is None else (data, graph.number(0, data.rank - 1))


def _with(shape: tuple[int, ...], axis: int, length: int) -> list[int]:
    return [length if index == axis else known for index, known in enumerate(shape)]


def concat(graph: Graph) -> object:
    """Join different values: OpenVINO's CPU leaves the second of two equal inputs unwritten behind a Convolution."""
    chosen = _data(graph)
    if chosen is None:
        return False
    data, axis = chosen
    rest = _with(data.shape, axis, 0)
    fit = [known for known in graph.values if known.type == data.type and known.rank == data.rank]
    fit = [known for known in fit if known != data and _with(known.shape, axis, 0) == rest]
    parts = [data, *graph.chance.sample(fit, min(len(fit), graph.number(1, 2)))]
    if len(parts) == 1:
        parts.append(graph.constant(graph.array(data.type, data.shape), data.type))
    length = sum(part.shape[axis] for part in parts)
    if length > 64:
        return False
    return graph.add("Concat", 1, parts, [(data.type, _with(data.shape, axis, length))], axis=axis)


def split(graph: Graph) -> object:
    chosen = _data(graph)
    if chosen is None or chosen[0].shape[chosen[1]] < 2:
        return False
    data, axis = chosen
    length = data.shape[axis]
    if length % 2 == 0 and graph.flag():
        made = [(data.type, _with(data.shape, axis, length // 2))] * 2
        return graph.add("Split", 1, [data, graph.constant(axis)], made, num_splits=2)
    first = graph.number(1, length - 1)
    lengths = graph.constant([first, -1 if graph.flag() else length - first])
    made = [(data.type, _with(data.shape, axis, part)) for part in (first, length - first)]
    return graph.add("VariadicSplit", 1, [data, graph.constant(axis - data.rank), lengths], made)


def gather(graph: Graph) -> object:
    chosen = _data(graph)
    if chosen is None:
        return False
    data, axis = chosen
    length = data.shape[axis]
    shape = [graph.number(1, 3) for _ in range(graph.number(0, 2 if data.rank < 4 else 1))]
    indices = np.random.default_rng(graph.number(0, 99)).integers(-length, length, shape)
    made = [*data.shape[:axis], *shape, *data.shape[axis + 1 :]]
    inputs = [data, graph.constant(indices, graph.chance.choice(["i32", "i64"])), graph.constant(axis)]
    return graph.add("Gather", 8, inputs, [(data.type, made)], batch_dims=0)


def slice_(graph: Graph) -> object:
    chosen = _data(graph)
    if chosen is None:
        return False
    data, axis = chosen
    length, step = data.shape[axis], graph.number(1, 2)
    start = graph.number(0, length - 1)
    stop = graph.number(start + 1, length + 2)
    parts = range(length)[start:stop:step]
    # No negative start: OpenVINO's inference makes an impossible dimension of it where the length is an interval.
    inputs = [data, *(graph.constant([value]) for value in (start, stop, step, axis))]
    return graph.add("Slice", 8, inputs, [(data.type, _with(data.shape, axis, len(parts)))])


def strided_slice(graph: Graph) -> object:
    chosen = _data(graph)
    if chosen is None:
        return False
    data, _ = chosen
    begin = [graph.number(0, length - 1) for length in data.shape]
    shrink = [graph.number(0, 3) == 0 for _ in data.shape]
    free = [graph.number(0, 3) == 0 and not small for small in shrink]
    ends = [graph.number(first + 1, length) for first, length in zip(begin, data.shape, strict=True)]
    made = [
        len(range(length)[0 if open_ else first : length if open_ else last])
        for length, first, last, open_, small in zip(data.shape, begin, ends, free, shrink, strict=True)
        if not small
    ]
    mask, zeros = [int(open_) for open_ in free], [0] * data.rank
    inputs = [data, graph.constant(begin), graph.constant(ends), graph.constant([1] * data.rank)]
    return graph.add(
        "StridedSlice", 1, inputs, [(data.type, made)], begin_mask=mask, end_mask=mask, new_axis_mask=zeros,
        shrink_axis_mask=[int(small) for small in shrink], ellipsis_mask=zeros,
    )  # fmt: skip


def transpose(graph: Graph) -> object:
    data = graph.pick(types=MOVABLE, ranks=RANKS)
    if data is None:
        return False
    order = graph.chance.sample(range(data.rank), data.rank)
    return graph.add("Transpose", 1, [data, graph.constant(order)], [(data.type, [data.shape[i] for i in order])])


def reshape(graph: Graph) -> object:
    data = graph.pick(types=MOVABLE, ranks=(2, 3, 4))
    if data is None:
        return False
    axis = graph.number(0, data.rank - 2)
    shape = [*data.shape[:axis], data.shape[axis] * data.shape[axis + 1], *data.shape[axis + 2 :]]
    pattern = [0 if index < axis and graph.flag() else length for index, length in enumerate(shape)]
    pattern[axis] = -1
    return graph.add("Reshape", 1, [data, graph.constant(pattern)], [(data.type, shape)], special_zero=True)


def shape_subgraph(graph: Graph) -> object:
    """Keep some dimensions, taken from ShapeOf, and flatten the others."""
    data = graph.pick(types=MOVABLE, ranks=(2, 3, 4))
    if data is None:
        return False
    kept = graph.number(1, data.rank - 1)
    type = graph.chance.choice(INTEGERS)
    known = set(graph.values)
    shape = graph.add("ShapeOf", 3, [data], [(type, [data.rank])], output_type=type)[0]
    part = graph.add(
        "Gather", 8, [shape, graph.constant(range(kept)), graph.constant(0)], [(type, [kept])], batch_dims=0
    )[0]
    pattern = graph.add("Concat", 1, [part, graph.constant([-1], type)], [(type, [kept + 1])], axis=0)[0]
    graph.values = [value for value in graph.values if value in known]
    made = [*data.shape[:kept], int(np.prod(data.shape[kept:]))]
    return graph.add("Reshape", 1, [data, pattern], [(data.type, made)], special_zero=graph.flag())


def shape_of(graph: Graph) -> object:
    data = graph.pick(types=MOVABLE, ranks=RANKS)
    type = graph.chance.choice(INTEGERS)
    return data and graph.add("ShapeOf", 3, [data], [(type, [data.rank])], output_type=type)


def squeeze(graph: Graph) -> object:
    data = graph.pick(types=MOVABLE, ranks=RANKS)
    if data is None:
        return False
    single = [index for index, length in enumerate(data.shape) if length == 1]
    if single and graph.flag():
        made = [length for index, length in enumerate(data.shape) if index != single[0]]
        return graph.add("Squeeze", 1, [data, graph.constant([single[0]])], [(data.type, made)])
    if data.rank > 3:
        return False
    axis = graph.number(0, data.rank)
    made = [*data.shape[:axis], 1, *data.shape[axis:]]
    return graph.add("Unsqueeze", 1, [data, graph.constant([axis])], [(data.type, made)])


def broadcast(graph: Graph) -> object:
    data = graph.pick(types=MOVABLE, ranks=RANKS)
    if data is None:
        return False
    target = [graph.number(1, 4) if length == 1 else length for length in data.shape]
    if data.rank < 4 and graph.flag():
        target.insert(0, graph.number(1, 3))
    if np.prod(target) > LARGEST:
        return False
    mode = graph.chance.choice(["numpy", "bidirectional"])
    return graph.add("Broadcast", 3, [data, graph.constant(target)], [(data.type, target)], mode=mode)


def tile(graph: Graph) -> object:
    data = graph.pick(types=MOVABLE, ranks=RANKS)
    if data is None or np.prod(data.shape) > LARGEST // 4:
        return False
    repeats = [1] * data.rank
    repeats[graph.number(0, data.rank - 1)] = graph.number(1, 3)
    made = [length * times for length, times in zip(data.shape, repeats, strict=True)]
    return graph.add("Tile", 1, [data, graph.constant(repeats)], [(data.type, made)])


def pad(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(2, 3, 4))
    if data is None:
        return False
    mode = graph.chance.choice(["constant", "edge", "reflect"])
    most = [min(2, length - 1) for length in data.shape]
    begin, end = ([graph.number(0, limit) for limit in most] for _ in range(2))
    made = [length + first + last for length, first, last in zip(data.shape, begin, end, strict=True)]
    if np.prod(made) > LARGEST:
        return False
    inputs = [data, graph.constant(begin), graph.constant(end)]
    if mode == "constant":
        inputs.append(graph.constant(1.5, "f32"))
    return graph.add("Pad", 1, inputs, [(data.type, made)], pad_mode=mode)


def interpolate(graph: Graph) -> object:
    data = graph.pick(types=REAL, ranks=(4,))
    if data is None:
        return False
    mode = graph.chance.choice(["nearest", "linear_onnx", "linear", "cubic"])
    coordinates = ["asymmetric", "align_corners", "half_pixel", "pytorch_half_pixel", "tf_half_pixel_for_nn"]
    # Sizes that are multiples: elsewhere the last bit of a coordinate decides which element is the nearest.
    sizes = [length * graph.number(1, 2) if mode == "nearest" else graph.number(1, 8) for length in data.shape[2:]]
    made = [*data.shape[:2], *sizes]
    if np.prod(made) > LARGEST:
        return False
    scales = np.array(sizes) / np.array(data.shape[2:])
    inputs = [data, graph.constant(sizes, "i32"), graph.constant(scales, "f32"), graph.constant([2, 3])]
    return graph.add(
        "Interpolate", 4, inputs, [(data.type, made)], mode=mode, antialias=False, pads_begin=[0], pads_end=[0],
        shape_calculation_mode="sizes" if mode != "nearest" else graph.chance.choice(["sizes", "scales"]),
        nearest_mode=graph.chance.choice(["floor", "ceil", "simple", "round_prefer_floor", "round_prefer_ceil"]),
        coordinate_transformation_mode=graph.chance.choice(coordinates[: 2 if mode == "nearest" else 5]),
        cube_coeff=-0.75,
    )  # fmt: skip


def cum_sum(graph: Graph) -> object:
    chosen = _data(graph)
    if chosen is None or chosen[0].type not in REAL:
        return False
    data, axis = chosen
    inputs = [data, graph.constant(axis)]
    return graph.add("CumSum", 3, inputs, [(data.type, data.shape)], exclusive=graph.flag(), reverse=graph.flag())


MOVES: tuple[Grow, ...] = (
    concat, concat, split, split, gather, gather, slice_, slice_, strided_slice, strided_slice, transpose, transpose,
    reshape, reshape, shape_subgraph, shape_subgraph, shape_of, squeeze, squeeze, broadcast, tile, pad, interpolate,
    cum_sum,
)  # fmt: skip
