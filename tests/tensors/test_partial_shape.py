"""Partial shapes: text, sequences, and relations against OpenVINO's own."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from math import prod
from typing import Any

import openvino as ov
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_plugin.errors import InputError
from ir_plugin.tensors import UNBOUNDED, Dimension, FrozenShape, PartialShape

TABLE = [
    "...",
    "[]",
    "0",
    "1",
    "3",
    "?",
    "1..3",
    "1,3",
    "?,3",
    "?,?",
    "1..3,3..",
    "2,..5",
    "1,3,8",
    "?,1..3,8",
    "?,?,?",
]
PAIRS = list(product(TABLE, TABLE))

dimensions = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda bounds: Dimension(*sorted(bounds)))
shapes = st.lists(dimensions | st.just(Dimension()), max_size=3).map(PartialShape) | st.just(PartialShape(None))


@pytest.mark.parametrize(
    "text",
    ["...", "", "[]", "[...]", "[ ]", " [1 , 2] ", "1,?", "[1,..3]", "-1,-1", "?,1..3,8", "3..", "0..,0", "[1..1]"],
)
def test_text_is_read_and_written_as_by_openvino(text: str) -> None:
    ours, theirs = PartialShape(text), ov.PartialShape(text)
    assert str(ours) == ours.to_string() == str(theirs)
    assert (ours.is_static, ours.is_dynamic) == (theirs.is_static, theirs.is_dynamic)
    assert str(ours.rank) == str(theirs.rank)
    assert ours.get_min_shape() == tuple(theirs.get_min_shape())
    assert ours.get_max_shape() == tuple(theirs.get_max_shape())


@pytest.mark.parametrize(
    "text", ["1,", ",", "?..3,2", "dynamic", "1 2", "...,1", "1,...", "[1", "[[1]]", "{1,2}", "{?}", "{}"]
)
def test_text_that_openvino_refuses_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a dimension"):
        PartialShape(text)


@pytest.mark.parametrize("dim", [1.5, None, (1, 2, 3), (1,), [], "x"])
def test_what_is_no_dimension_is_refused(dim: Any) -> None:
    with pytest.raises(InputError, match="is not a dimension"):
        PartialShape([dim])


def test_forms_of_the_constructor() -> None:
    shape = PartialShape([Dimension(2), -1, (1, 3), [4, -1], "..5"])
    assert str(shape) == "[2,?,1..3,4..,..5]"
    assert PartialShape(shape) == shape == PartialShape(str(shape)) == PartialShape(iter(shape))
    assert PartialShape() == PartialShape(()) == PartialShape("")
    assert PartialShape() == []
    assert PartialShape(None) == PartialShape("...") == PartialShape.dynamic() == PartialShape.dynamic(Dimension())
    assert PartialShape.dynamic(2) == PartialShape.dynamic(Dimension(2)) == "?,?"
    assert PartialShape.dynamic(0) == ()


def test_equality_and_hash() -> None:
    assert PartialShape([1, 2]) == (1, 2) == PartialShape([1, 2]) == [1, 2]
    assert PartialShape([1]) != "abc"
    assert PartialShape([1]) != [None]
    assert PartialShape([1]) != 1
    assert (1, 2) in {PartialShape([1, 2])}


@given(shapes)
def test_copies_and_text_are_equal(shape: PartialShape) -> None:
    assert shape == PartialShape(str(shape)) == copy.deepcopy(shape) == pickle.loads(pickle.dumps(shape))
    assert repr(shape) == f"<PartialShape: {shape}>"
    assert bool(shape)


def test_sequence() -> None:
    shape = PartialShape("2,?,1..3")
    assert len(shape) == shape.ndim == shape.rank == 3
    assert shape[0] == shape[-3] == shape.get_dimension(0) == 2
    assert shape[1:] == "?,1..3"
    head, tail = [2], (-1, "1..3")
    assert shape[:1] + shape[1:] == shape[:1] + tail == head + shape[1:] == shape
    assert shape.replace(-1, 7) == "2,?,7"
    assert [str(dim) for dim in shape] == ["2", "?", "1..3"]
    with pytest.raises(InputError, match=r"\[2,\?,1\.\.3\] has no dimension 3"):
        shape[3]
    shape[1] = (1, 2)
    assert shape == "2,1..2,1..3"


def test_unknown_rank() -> None:
    shape = PartialShape(None)
    assert shape.ndim is None
    assert shape.rank == FrozenShape(None)[5] == shape.size == Dimension()
    dims = [1]
    assert FrozenShape(None)[1:] == shape + dims == dims + shape == PartialShape(dims) + shape == shape
    for index in (5, slice(1, None)):
        with pytest.raises(IndexError, match="unknown rank"):
            shape[index]
    assert shape.contains((1, 2))
    for use in (len, list, PartialShape.to_shape, lambda dynamic: dynamic.replace(0, 1)):
        with pytest.raises(InputError, match="unknown rank"):
            use(shape)


def test_static_shape() -> None:
    assert PartialShape("2,3").to_shape() == PartialShape("2,3").get_shape() == (2, 3)
    with pytest.raises(InputError, match=r"\? has no single length"):
        PartialShape("2,?").to_shape()


@given(st.lists(dimensions, max_size=3).map(PartialShape))
def test_size_is_the_hull_of_all_sizes(shape: PartialShape) -> None:
    sizes = [prod(lengths) for lengths in product(*(range(dim.lower, dim.upper + 1) for dim in shape))]
    assert shape.size == Dimension(min(sizes), max(sizes))


@pytest.mark.parametrize(("text", "size"), [("2,?", "?"), ("2,3..", "6.."), ("0,?", "0"), ("?,..0", "0"), ("[]", "1")])
def test_size_without_upper_bound(text: str, size: str) -> None:
    assert str(PartialShape(text).size) == size


def test_size_does_not_overflow() -> None:
    assert PartialShape([2**32, 2**32]).size.upper == UNBOUNDED


@pytest.mark.parametrize("relation", ["compatible", "refines", "relaxes", "same_scheme", "__eq__"])
def test_relations_are_those_of_openvino(relation: str) -> None:
    ours = [(a, b) for a, b in PAIRS if getattr(PartialShape(a), relation)(PartialShape(b))]
    assert ours == [(a, b) for a, b in PAIRS if getattr(ov.PartialShape(a), relation)(ov.PartialShape(b))]


@given(shapes, shapes, st.lists(st.integers(0, 4), max_size=3))
def test_merge_and_union_are_those_of_sets(a: PartialShape, b: PartialShape, lengths: list[int]) -> None:
    merged = a.merge(b)
    assert (merged is not None and merged.contains(lengths)) == (a.contains(lengths) and b.contains(lengths))
    assert a.union(b).contains(lengths) or not (a.contains(lengths) or b.contains(lengths))
    assert a.union(b).relaxes(a)
    assert merged is None or (merged.refines(a) and merged.refines(b))
    assert a.compatible(b) == (merged is not None)
