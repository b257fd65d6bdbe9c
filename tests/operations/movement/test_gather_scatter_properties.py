"""Gathering what was scattered gives the updates back, and scattering what was gathered changes nothing."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.movement.gather import Gather, Gather7
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND
from ir_plugin.operations.movement.scatter_elements_update import ScatterElementsUpdate, ScatterElementsUpdate3
from ir_plugin.operations.movement.scatter_nd_update import ScatterNDUpdate, ScatterNDUpdate4
from ir_plugin.operations.movement.scatter_update import ScatterUpdate
from ir_plugin.tensors import Array

DTYPES = st.sampled_from([np.int64, np.float32, np.uint8, np.bool_])
INDEX_TYPES = st.sampled_from([np.int64, np.int32])


class Case(NamedTuple):
    data: Array
    indices: Array
    updates: Array
    axis: int


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...], dtype: type) -> Array:
    elements = st.floats(-8, 8, width=32) if dtype is np.float32 else None
    array: Array = draw(hnp.arrays(dtype, shape, elements=elements))
    return array


@st.composite
def slices(draw: st.DrawFn, unique: bool) -> Case:
    """Return data, indices of an axis, and updates of the slices there."""
    shape = draw(hnp.array_shapes(max_dims=4, max_side=5))
    axis = draw(st.integers(0, len(shape) - 1))
    length = shape[axis]
    if unique:
        order = draw(st.permutations(range(length)))
        indices = np.array(order[: draw(st.integers(0, length))], np.int64)
    else:
        index_shape = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4))
        indices = draw(hnp.arrays(np.int64, index_shape, elements=st.integers(0, length - 1)))
    dtype = draw(DTYPES)
    updates = draw(arrays(shape[:axis] + indices.shape + shape[axis + 1 :], dtype))
    return Case(draw(arrays(shape, dtype)), indices.astype(draw(INDEX_TYPES)), updates, axis)


@st.composite
def elements(draw: st.DrawFn, unique: bool) -> Case:
    """Return data, indices of elements along an axis, and updates of them."""
    shape = draw(hnp.array_shapes(max_dims=4, max_side=4))
    axis = draw(st.integers(0, len(shape) - 1))
    length = shape[axis]
    count = draw(st.integers(0, length if unique else 2 * length))
    index_shape = (*shape[:axis], count, *shape[axis + 1 :])
    indices = draw(hnp.arrays(np.int64, index_shape, elements=st.integers(0, length - 1)))
    if unique:
        order = np.array(draw(st.permutations(range(length))), np.int64)
        coordinates = np.arange(count).reshape([-1 if dimension == axis else 1 for dimension in range(len(shape))])
        turns = indices.sum(axis, keepdims=True)
        indices = order[(coordinates + turns) % length]
    dtype = draw(DTYPES)
    updates = draw(arrays(indices.shape, dtype))
    return Case(draw(arrays(shape, dtype)), indices.astype(draw(INDEX_TYPES)), updates, axis)


@st.composite
def tuples(draw: st.DrawFn, unique: bool) -> Case:
    """Return data, tuples of indices, and updates of the slices there."""
    shape = draw(hnp.array_shapes(max_dims=4, max_side=4))
    length = draw(st.integers(1, len(shape)))
    total = prod(shape[:length])
    if unique:
        flat = np.array(draw(st.permutations(range(total)))[: draw(st.integers(0, total))], np.int64)
    else:
        index_shape = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4))
        flat = draw(hnp.arrays(np.int64, index_shape, elements=st.integers(0, total - 1)))
    indices = np.stack(np.unravel_index(flat, shape[:length]), axis=-1)
    dtype = draw(DTYPES)
    updates = draw(arrays(flat.shape + shape[length:], dtype))
    return Case(draw(arrays(shape, dtype)), indices.astype(draw(INDEX_TYPES)), updates, 0)


def gathered_slices(data: Array, indices: Array, axis: int) -> Array:
    gathered = Gather(batch_dims=0).evaluate(data, indices, np.array(axis))
    np.testing.assert_array_equal(gathered, Gather7(batch_dims=0).evaluate(data, indices, np.array(axis)))
    return gathered


def scattered_slices(case: Case) -> Array:
    return ScatterUpdate().evaluate(case.data, case.indices, case.updates, np.array(case.axis))


def scattered_elements(case: Case) -> Array:
    inputs = (case.data, case.indices, case.updates, np.array(case.axis))
    scattered = ScatterElementsUpdate(reduction="none", use_init_val=True).evaluate(*inputs)
    np.testing.assert_array_equal(scattered, ScatterElementsUpdate3().evaluate(*inputs))
    return scattered


def scattered_tuples(case: Case) -> Array:
    scattered = ScatterNDUpdate(reduction="none").evaluate(*case[:3])
    np.testing.assert_array_equal(scattered, ScatterNDUpdate4().evaluate(*case[:3]))
    return scattered


@given(slices(unique=True))
def test_gather_gives_back_what_scatter_update_wrote(case: Case) -> None:
    np.testing.assert_array_equal(gathered_slices(scattered_slices(case), case.indices, case.axis), case.updates)


@given(slices(unique=False))
def test_scatter_update_of_what_was_gathered_changes_nothing(case: Case) -> None:
    updates = gathered_slices(case.data, case.indices, case.axis)
    np.testing.assert_array_equal(scattered_slices(case._replace(updates=updates)), case.data)


@given(slices(unique=False))
def test_the_last_of_equal_indices_wins_in_scatter_update(case: Case) -> None:
    result = np.moveaxis(scattered_slices(case), case.axis, 0)
    expected = np.moveaxis(case.data.copy(), case.axis, 0)
    axes = range(case.axis, case.axis + case.indices.ndim)
    updates = np.moveaxis(case.updates, axes, range(case.indices.ndim))
    for position in np.ndindex(case.indices.shape):
        expected[int(case.indices[position])] = updates[position]
    np.testing.assert_array_equal(result, expected)


@given(elements(unique=True))
def test_gather_elements_gives_back_what_scatter_elements_update_wrote(case: Case) -> None:
    result = GatherElements(axis=case.axis).evaluate(scattered_elements(case), case.indices)
    np.testing.assert_array_equal(result, case.updates)


@given(elements(unique=False))
def test_scatter_elements_update_of_what_was_gathered_changes_nothing(case: Case) -> None:
    updates = GatherElements(axis=case.axis).evaluate(case.data, case.indices)
    np.testing.assert_array_equal(scattered_elements(case._replace(updates=updates)), case.data)


@given(elements(unique=False))
def test_the_last_of_equal_indices_wins_in_scatter_elements_update(case: Case) -> None:
    expected = case.data.copy()
    for position in np.ndindex(case.indices.shape):
        target = list(position)
        target[case.axis] = int(case.indices[position])
        expected[tuple(target)] = case.updates[position]
    np.testing.assert_array_equal(scattered_elements(case), expected)


@given(tuples(unique=True))
def test_gather_nd_gives_back_what_scatter_nd_update_wrote(case: Case) -> None:
    result = GatherND(batch_dims=0).evaluate(scattered_tuples(case), case.indices)
    np.testing.assert_array_equal(result, case.updates)


@given(tuples(unique=False))
def test_scatter_nd_update_of_what_was_gathered_changes_nothing(case: Case) -> None:
    updates = GatherND(batch_dims=0).evaluate(case.data, case.indices)
    np.testing.assert_array_equal(scattered_tuples(case._replace(updates=updates)), case.data)


@given(tuples(unique=False))
def test_the_last_of_equal_tuples_wins_in_scatter_nd_update(case: Case) -> None:
    expected = case.data.copy()
    for position in np.ndindex(case.indices.shape[:-1]):
        expected[tuple(case.indices[position].tolist())] = case.updates[position]
    np.testing.assert_array_equal(scattered_tuples(case), expected)


@given(elements(unique=False), slices(unique=False), tuples(unique=False))
def test_negative_indices_count_from_the_end(element: Case, part: Case, group: Case) -> None:
    below = element._replace(indices=element.indices - element.data.shape[element.axis])
    gather = GatherElements(axis=element.axis)
    np.testing.assert_array_equal(
        gather.evaluate(below.data, below.indices), gather.evaluate(element.data, element.indices)
    )
    scatter = ScatterElementsUpdate(reduction="none", use_init_val=True)
    np.testing.assert_array_equal(scatter.evaluate(*below[:3], np.array(below.axis)), scattered_elements(element))
    axis = np.array(part.axis)
    np.testing.assert_array_equal(
        Gather(batch_dims=0).evaluate(part.data, part.indices - part.data.shape[part.axis], axis),
        gathered_slices(part.data, part.indices, part.axis),
    )
    lower = group.indices - np.array(group.data.shape[: group.indices.shape[-1]], group.indices.dtype)
    np.testing.assert_array_equal(
        GatherND(batch_dims=0).evaluate(group.data, lower), GatherND(batch_dims=0).evaluate(group.data, group.indices)
    )
    np.testing.assert_array_equal(
        ScatterNDUpdate(reduction="none").evaluate(group.data, lower, group.updates), scattered_tuples(group)
    )


@given(elements(unique=False), st.booleans())
def test_an_index_out_of_range_is_named(case: Case, above: bool) -> None:
    assume(case.indices.size)
    length = case.data.shape[case.axis]
    position = tuple(length - 1 for length in case.indices.shape)
    indices = case.indices.copy()
    indices[position] = length if above else -length - 1
    name = rf"indices\[{', '.join(map(str, position))}\] is {int(indices[position])}"
    with pytest.raises(EvaluationError, match=name):
        GatherElements(axis=case.axis).evaluate(case.data, indices)
    with pytest.raises(EvaluationError, match=name):
        scattered_elements(case._replace(indices=indices))
