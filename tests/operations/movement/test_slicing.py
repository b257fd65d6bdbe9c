"""The interval of the lengths of a slice is exact: its ends are reached, and no length is outside."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ir_plugin.operations.movement.slicing import Interval, sliced, span
from ir_plugin.tensors import UNBOUNDED, Dimension

LIMITS = st.integers(-9, 9)
STEPS = st.sampled_from([-3, -2, -1, 1, 2, 3])


def positions(length: int, start: int, stop: int, step: int) -> range:
    """Return the positions of a slice: Python's, but a backward one never begins before the first position."""
    return range(*slice(max(start, -length) if step < 0 else start, stop, step).indices(length))


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    ends = sorted([draw(LIMITS), draw(LIMITS)])
    return Interval(*ends) if draw(st.booleans()) else Interval(ends[0], ends[0])


@given(st.integers(0, 8), st.integers(0, 8), intervals(), intervals(), STEPS)
def test_bounded_lengths(lower: int, more: int, start: Interval, stop: Interval, step: int) -> None:
    counts = [
        len(positions(length, begin, end, step))
        for length in range(lower, lower + more + 1)
        for begin in range(start.lower, start.upper + 1)
        for end in range(stop.lower, stop.upper + 1)
    ]
    assert sliced(Dimension(lower, lower + more), start, stop, step) == Dimension(min(counts), max(counts))


@given(st.integers(0, 8), LIMITS, LIMITS, STEPS)
def test_unbounded_lengths(lower: int, start: int, stop: int, step: int) -> None:
    counts = [len(positions(length, start, stop, step)) for length in range(lower, lower + 40)]
    endless = len(positions(10**6, start, stop, step)) > 10**5
    lengths = sliced(Dimension(lower, -1), Interval(start, start), Interval(stop, stop), step)
    assert (lengths.lower, lengths.upper) == (min(counts), UNBOUNDED if endless else max(counts))


@given(st.integers(0, 9), LIMITS, LIMITS, STEPS)
def test_positions(length: int, start: int, stop: int, step: int) -> None:
    first, after, count = span(length, start, stop, step)
    expected = list(positions(length, start, stop, step))
    assert count == len(expected)
    if count:
        assert list(range(first, after, step)) == expected
