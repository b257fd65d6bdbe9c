"""Numbers of more digits than Python reads or writes are errors of ours, wherever a length is given."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ir_plugin as ov
from tests.hostile.bases import BASES

DIGITS = "9" * 4301
NUMBER = 10**4301
BASE = BASES["conv"]()


def read(old: str, new: str) -> ov.Model:
    return ov.Core().read_model(BASE.xml.replace(old, new, 1).encode(), BASE.weights)


ATTACKS: dict[str, Callable[[], object]] = {
    "a text": lambda: ov.Dimension(DIGITS),
    "a negative text": lambda: ov.Dimension(f"-{DIGITS}"),
    "an interval of texts": lambda: ov.Dimension(f"1..{DIGITS}"),
    "an open interval": lambda: ov.Dimension(f"{DIGITS}.."),
    "a number": lambda: ov.Dimension(NUMBER),
    "an interval": lambda: ov.Dimension(0, NUMBER),
    "a comparison": lambda: ov.Dimension(3).compatible(NUMBER),
    "a shape": lambda: ov.PartialShape(f"[1,{DIGITS}]"),
    "a shape of numbers": lambda: ov.PartialShape([1, NUMBER]),
    "a parameter": lambda: read('shape="1,3,8,8"', f'shape="{DIGITS},3,8,8"'),
    "an interval of a parameter": lambda: read('shape="1,3,8,8"', f'shape="1..{DIGITS},3,8,8"'),
    "a constant": lambda: read('shape="4, 3, 3, 3"', f'shape="{DIGITS}, 3"'),
    "a reshape": lambda: read("x", "x").reshape(f"[{DIGITS},3,8,8]"),
    "a reshape by numbers": lambda: read("x", "x").reshape([NUMBER, 3, 8, 8]),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_number_of_thousands_of_digits_is_an_error_of_ours(name: str) -> None:
    with pytest.raises(ov.Error):
        ATTACKS[name]()


def test_a_static_shape_takes_no_such_number() -> None:
    with pytest.raises(ov.Error):
        ov.Shape([NUMBER])
