"""Dimensions: text, arithmetic against brute force, and relations against OpenVINO's own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import product

import openvino as ov
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openvino import opset13

from ir_plugin.errors import InputError
from ir_plugin.tensors import UNBOUNDED, Dimension

TABLE = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "?",
    "1..3",
    "..5",
    "2..4",
    "3..",
    "..1",
    "..2",
    "..3",
    "1..2",
    "2..3",
    "4..7",
    "6..9",
    "1..",
    "2..",
    "5..",
    "0..0",
    "1..1",
]
PAIRS = list(product(TABLE, TABLE))
REACH = 12
"""Brute force takes this in place of no upper bound; the bounds drawn are below half of it."""


def of_bounds(bounds: tuple[int, int]) -> Dimension:
    return Dimension(*sorted(bounds))


bounded = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(of_bounds)
dimensions = bounded | st.integers(0, 5).map(lambda lower: Dimension(lower, -1))


def lengths(dim: Dimension) -> range:
    return range(dim.lower, min(dim.upper, REACH) + 1)


def hull(possible: list[int]) -> Dimension | None:
    return Dimension(min(possible), max(possible)) if possible else None


def cut(dim: Dimension | None) -> Dimension | None:
    return dim and Dimension(dim.lower, min(dim.upper, REACH))


@pytest.mark.parametrize("text", ["3", " 3 ", "0", "?", "-1", "1..3", "..5", "0..5", "3..", "0..", "..", "1..1"])
def test_text_is_read_and_written_as_by_openvino(text: str) -> None:
    theirs = ov.Dimension(text)
    ours = Dimension(text)
    assert str(ours) == ours.to_string() == str(theirs)
    assert (ours.min_length, ours.max_length) == (theirs.get_min_length(), theirs.get_max_length())
    assert (ours.is_static, ours.is_dynamic) == (theirs.is_static, theirs.is_dynamic)


@pytest.mark.parametrize(
    "text", ["?..3", "+3", "\uff13", "1 .. 3", "dynamic", "1,2", "1 2", "1...3", "3.0", "1..-1", "x"]
)
def test_text_that_openvino_refuses_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a dimension"):
        Dimension(text)


@pytest.mark.parametrize("text", ["", "-2", "5..1", "99999999999999999999"])
def test_text_that_openvino_misreads_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Dimension(text)


@pytest.mark.parametrize("bounds", [(-2,), (5, 1), (0, -2), (2**63,), (2**63, -1)])
def test_bounds_that_are_none_are_refused(bounds: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"cannot reach|beyond the greatest length"):
        Dimension(*bounds)


def test_forms_of_the_constructor() -> None:
    assert Dimension() == Dimension(-1) == Dimension(0, -1) == Dimension("?") == Dimension.dynamic()
    assert Dimension(Dimension(1, 3)) == Dimension(1, 3) == Dimension("1..3")
    assert Dimension(0, 2**70).upper == UNBOUNDED
    assert Dimension.between(-3, -1) == 0
    assert Dimension.between(5, 2**80) == Dimension(5, -1)


def test_length_of_a_static_dimension() -> None:
    assert Dimension(7).get_length() == int(Dimension(7)) == 7
    assert [*range(9)][Dimension(7)] == 7
    with pytest.raises(InputError, match=r"1\.\.3 has no single length"):
        Dimension(1, 3).get_length()


def test_equality_and_hash() -> None:
    assert Dimension(3) == 3
    assert Dimension(3) != 4
    assert Dimension(1, 3) != 1
    assert Dimension(3) != "3"
    assert 3 in {Dimension(3)}
    assert len({Dimension(1, 3), Dimension("1..3"), Dimension(1), 1}) == 2


@given(dimensions)
def test_copies_and_text_are_equal(dim: Dimension) -> None:
    assert dim == Dimension(str(dim)) == copy.deepcopy(dim) == pickle.loads(pickle.dumps(dim))
    assert repr(dim) == f"<Dimension: {dim}>"


@pytest.mark.parametrize(
    "operation",
    [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: max(a - b, 0) if isinstance(a, int) else a - b],
    ids=["add", "multiply", "subtract"],
)
@given(a=bounded, b=bounded)
def test_arithmetic_is_the_hull_of_all_results(operation: Callable[..., int], a: Dimension, b: Dimension) -> None:
    assert operation(a, b) == hull([operation(x, y) for x in lengths(a) for y in lengths(b)])


@given(bounded, st.integers(0, 5))
def test_arithmetic_takes_whole_numbers(dim: Dimension, number: int) -> None:
    assert dim + number == number + dim == dim + Dimension(number)
    assert dim * number == number * dim == dim * Dimension(number)
    assert dim - number == dim - Dimension(number)


@given(bounded, st.integers(1, 4))
def test_quotients_are_the_hull_of_all_results(dim: Dimension, divisor: int) -> None:
    assert dim // divisor == hull([length // divisor for length in lengths(dim)])
    assert dim.ceildiv(divisor) == hull([-(-length // divisor) for length in lengths(dim)])


@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        (Dimension("3..") + Dimension("1..2"), "4.."),
        (Dimension("1..2") + Dimension("?"), "1.."),
        (Dimension("3..") + -2, "1.."),
        (Dimension("3..") - 1, "2.."),
        (Dimension("..5") - Dimension("1.."), "..4"),
        (Dimension("?") - Dimension("?"), "?"),
        (Dimension("2..") * Dimension("3.."), "6.."),
        (Dimension("?") * 0, "0"),
        (Dimension("3..") * Dimension("..2"), "?"),
        (Dimension("3..") // 2, "1.."),
        (Dimension("3..").ceildiv(2), "2.."),
        (Dimension("3..").map(lambda length: 2 * length + 1), "7.."),
        (Dimension(2, 2**62) * 4, "8.."),
        (Dimension(1, 2**62) + Dimension(0, 2**62), "1.."),
    ],
)
def test_arithmetic_without_upper_bound(dimension: Dimension, text: str) -> None:
    assert str(dimension) == text


@given(dimensions, dimensions)
def test_merge_and_union_are_those_of_sets(a: Dimension, b: Dimension) -> None:
    common = sorted(set(lengths(a)) & set(lengths(b)))
    assert cut(a.merge(b)) == hull(common)
    assert cut(a.union(b)) == hull([*lengths(a), *lengths(b)])
    assert a.compatible(b) == bool(common)
    assert a.refines(b) == b.relaxes(a) == (set(lengths(a)) <= set(lengths(b)))


def numpy_rule(x: int, y: int) -> int | None:
    if x == y or y == 1:
        return x
    return y if x == 1 else None


@given(dimensions, dimensions)
def test_broadcast_is_the_hull_of_numpys_rule(a: Dimension, b: Dimension) -> None:
    possible = [length for x in lengths(a) for y in lengths(b) if (length := numpy_rule(x, y)) is not None]
    assert cut(a.broadcast(b)) == hull(possible)
    assert a.broadcast(b) == b.broadcast(a)


def openvino_add(a: str, b: str) -> str | None:
    left, right = (opset13.parameter(ov.PartialShape([ov.Dimension(text)]), ov.Type.f32) for text in (a, b))
    try:
        return str(opset13.add(left, right).output(0).partial_shape[0])
    except RuntimeError:
        return None


@pytest.mark.parametrize("a", TABLE)
def test_broadcast_is_what_openvino_infers_for_add(a: str) -> None:
    ours = {b: merged and str(merged) for b in TABLE for merged in [Dimension(a).broadcast(Dimension(b))]}
    assert ours == {b: openvino_add(a, b) for b in TABLE}


@pytest.mark.parametrize("relation", ["compatible", "refines", "relaxes", "same_scheme", "__eq__"])
def test_relations_are_those_of_openvino(relation: str) -> None:
    ours = [(a, b) for a, b in PAIRS if getattr(Dimension(a), relation)(Dimension(b))]
    assert ours == [(a, b) for a, b in PAIRS if getattr(ov.Dimension(a), relation)(ov.Dimension(b))]


def test_relations_take_whole_numbers() -> None:
    dim = Dimension(1, 3)
    assert dim.compatible(2)
    assert not dim.compatible(4)
    assert dim.relaxes(3)
    assert Dimension(3).refines(3)
    assert dim.merge(2) == dim.broadcast(2) == 2
    assert dim.union(5) == Dimension(1, 5)
    assert dim.same_scheme(-1)
    assert [length for length in range(5) if dim.contains(length)] == [1, 2, 3]
