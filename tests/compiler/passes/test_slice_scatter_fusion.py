"""Slice assignments that converters write as scatters to flat positions become SliceScatter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops
from openvino import opset15

from tests.support.passes import Rewrite, data, integers, model_of, run_pass

SHAPE = (2, 4, 5, 6)
OPEN = (-1, -1, -1, -1)
END = 2**31 - 1


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, updates = data(2, 4), data(2, 1)
    shape, column = integers(2, 4), [integers(1), integers(2), integers(1), integers(1)]
    start, stop, step = (ops.constant(np.int64(number)) for number in (0, 8, 1))
    positions = ops.reshape(ops.range(start, stop, step, "i64"), shape, False)
    indices = ops.reshape(ops.slice(positions, *column), integers(-1, 1), False)
    flat, flat_updates = (ops.reshape(value, integers(-1), False) for value in (x, updates))
    return model_of(ops.reshape(ops.scatter_nd_update(flat, indices, flat_updates), shape, False), [x, updates])


def indexed(x: Any, index: Any, axis: int) -> Any:
    """Return `x[..., index, ...]`."""
    return ops.gather(x, ops.constant(np.array(index, np.int64)), ops.constant(np.int64(axis)))


def sliced(x: Any, start: int, stop: int, step: int, axis: int) -> Any:
    """Return `x[..., start:stop:step, ...]`."""
    return ops.slice(x, integers(start), integers(stop), integers(step), integers(axis))


def positions(shape: Any, first: int = 0, step: int = 1) -> Any:
    """Return numbered positions of data of a shape."""
    count = ops.reduce_prod(shape, integers(0), False)
    stop = ops.add(ops.multiply(count, ops.constant(np.int64(step))), ops.constant(np.int64(first)))
    numbers = ops.range(ops.constant(np.int64(first)), stop, ops.constant(np.int64(step)), "i64")
    return ops.reshape(numbers, shape, True)


def assigned(x: Any, updates: Any, region: Callable[[Any], Any], numbers: Any = None) -> Any:
    """Return the flat data with updates in a region, as OpenVINO's frontend of PyTorch writes them."""
    region_of_positions = region(positions(ops.shape_of(x)) if numbers is None else numbers)
    indices = ops.reshape(region_of_positions, integers(-1, 1), False)
    flat_updates = ops.reshape(ops.multiply(region(updates), ops.constant(np.float32(2))), integers(-1), False)
    return ops.scatter_nd_update(ops.reshape(x, integers(-1), False), indices, flat_updates)


def run(build: Callable[[Any, Any], Any], shape: Sequence[int]) -> Rewrite:
    x, updates = (ops.parameter(list(shape), np.float32) for _ in range(2))
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(SHAPE).astype(np.float32) for _ in range(2)]
    return run_pass("slice_scatter_fusion", build(x, updates), [x, updates], inputs)


def shaped(region: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the assignment to a region, in the shape of its data."""
    return lambda x, updates: ops.reshape(assigned(x, updates, region), ops.shape_of(x), True)


REGIONS: dict[str, Callable[[Any], Any]] = {
    "slice": lambda x: sliced(x, 1, 3, 1, 1),
    "slice to the end": lambda x: sliced(x, 2, END, 1, 3),
    "slice of two axes": lambda x: ops.slice(x, integers(1, -4), integers(3, -1), integers(1, 2), integers(1, 3)),
    "slice of the first axes": lambda x: ops.slice(x, integers(1, 1), integers(2, 3), integers(1, 1)),
    "step": lambda x: sliced(x, 1, END, 2, 3),
    "backward": lambda x: sliced(x, -1, 0, -2, 2),
    "index": lambda x: indexed(x, 1, 2),
    "last": lambda x: indexed(x, -1, 2),
    "last but one": lambda x: indexed(x, -2, 3),
    "two indices": lambda x: indexed(indexed(x, 0, 1), 3, 2),
    "index and slice": lambda x: sliced(indexed(x, 0, 0), 1, 3, 1, 1),
    "slice and index": lambda x: indexed(sliced(x, 1, 3, 1, -1), -1, 0),
    "two slices": lambda x: sliced(sliced(x, 1, 3, 1, 0), 0, END, 3, 2),
}


@pytest.mark.parametrize("shape", [SHAPE, OPEN], ids=["static", "open"])
@pytest.mark.parametrize("name", REGIONS)
def test_an_assignment_to_a_region_is_fused(name: str, shape: Sequence[int]) -> None:
    types = run(shaped(REGIONS[name]), shape).types()
    assert "SliceScatter" in types
    assert not {"ScatterNDUpdate", "Range"} & set(types)


@pytest.mark.parametrize("shape", [SHAPE, OPEN], ids=["static", "open"])
def test_assignments_one_after_the_other_are_fused(shape: Sequence[int]) -> None:
    def build(x: Any, updates: Any) -> Any:
        first = shaped(REGIONS["slice"])(x, updates)
        return shaped(REGIONS["index"])(ops.relu(shaped(REGIONS["step"])(first, updates)), updates)

    types = run(build, shape).types()
    assert types.count("SliceScatter") == 3
    assert "ScatterNDUpdate" not in types


def test_flat_data_take_the_shape_of_the_positions_where_a_reader_gives_it_them() -> None:
    def build(x: Any, updates: Any) -> Any:
        shape, rows = ops.shape_of(x), ops.reshape(x, integers(0, -1), True)
        flat = assigned(rows, updates, REGIONS["slice"], positions(shape))
        return ops.reshape(flat, shape, True)

    assert "SliceScatter" in run(build, OPEN).types()


def of_a_reduction(x: Any, updates: Any) -> Any:
    indices = ops.reshape(REGIONS["slice"](positions(ops.shape_of(x))), integers(-1, 1), False)
    flat = ops.reshape(x, integers(-1), False)
    return opset15.scatter_nd_update(flat, indices, ops.reshape(REGIONS["slice"](updates), integers(-1), False), "sum")


def of_fewer_positions(x: Any, updates: Any) -> Any:
    numbers = ops.reshape(
        ops.range(ops.constant(np.int64(0)), ops.constant(np.int64(24)), ops.constant(np.int64(1)), "i64"),
        integers(2, 3, 4),
        False,
    )
    indices = ops.reshape(sliced(numbers, 1, 2, 1, 1), integers(-1, 1), False)
    flat_updates = ops.slice(ops.reshape(updates, integers(-1), False), integers(0), integers(8), integers(1))
    return ops.scatter_nd_update(ops.reshape(x, integers(-1), False), indices, flat_updates)


KEPT: dict[str, Callable[[Any, Any], Any]] = {
    "reduction": of_a_reduction,
    "index out of range": shaped(lambda x: indexed(x, 7, 1)),
    "one axis twice": shaped(lambda x: sliced(sliced(x, 1, END, 1, 3), 1, 3, 1, 3)),
    "index that is no scalar": shaped(lambda x: indexed(x, [1, 3], 1)),
    "positions in steps": lambda x, u: assigned(
        x, u, lambda v: sliced(v, 0, 1, 1, 0), positions(ops.divide(ops.shape_of(x), integers(2, 1, 1, 1)), 0, 2)
    ),
    "positions from one": lambda x, u: assigned(x, u, lambda v: sliced(v, 0, 1, 1, 0), positions(ops.shape_of(x), 1)),
    "fewer positions": of_fewer_positions,
}


@pytest.mark.parametrize("name", KEPT)
def test_other_scatters_are_kept(name: str) -> None:
    assert "SliceScatter" not in run(KEPT[name], SHAPE).types()


def test_a_result_keeps_its_flat_form() -> None:
    def build(x: Any, updates: Any) -> Any:
        flat = assigned(x, updates, REGIONS["slice"])
        return [flat, ops.relu(ops.reshape(flat, ops.shape_of(x), True))]

    types = run(build, SHAPE).types()
    assert "SliceScatter" in types
