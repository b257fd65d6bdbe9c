"""Texts of attributes: strictly, and as OpenVINO reads them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ir_plugin.schema import ValueTextError, parse_loosely, parse_strictly
from ir_plugin.schema.values import zero
from ir_plugin.tensors import MAX_RANK, ElementType, PartialShape


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("int", "-1", -1), ("int", " 7 ", 7), ("int", str(2**63 - 1), 2**63 - 1), ("int", "007", 7),
        ("unsigned", str(2**64 - 1), 2**64 - 1), ("float", ".5", 0.5), ("float", "1e-05", 1e-5), ("float", "-inf",
        -math.inf),
        ("float", "3", 3.0), ("boolean", "true", True), ("boolean", "False", False), ("boolean", "1", True),
        ("ints", "1, 1", (1, 1)), ("ints", "1,-1", (1, -1)), ("ints", "", ()), ("floats", "1.0,2", (1.0, 2.0)),
        ("strings", "a, b", ("a", "b")), ("shape", "4, 3", (4, 3)), ("shape", "", ()),
        ("partial_shape", "?,3,..7,1..5", PartialShape("?,3,..7,1..5")), ("partial_shape", "...", PartialShape(None)),
        ("partial_shape", "-1,3", PartialShape("?,3")), ("partial_shape", "", PartialShape(())),
        ("element_type", "F32", ElementType.f32), ("element_type", "undefined", ElementType.dynamic),
        ("string", " kept ", " kept "),
    ],
)  # fmt: skip
def test_what_a_text_means(type: str, text: str, value: Any) -> None:
    assert parse_strictly(type, text) == value
    assert parse_loosely(type, text) == value


@pytest.mark.parametrize(
    ("type", "text", "loosely"),
    [
        ("int", "1.5", 1), ("int", "1e2", 1), ("int", "0x10", 0), ("int", "7 apples", 7), ("float", "1f", 1.0),
        ("float", "1,5", 1.0), ("boolean", "yes", False), ("boolean", " true", False), ("boolean", "2", False),
        ("boolean", "", False), ("boolean", "tRUE", False), ("ints", "1;1", (1,)), ("ints", "1 1", (1,)),
        ("ints", "1.0,1.0", (1, 1)), ("ints", "1,1,", (1, 1)), ("floats", "1f,2", (1.0, 2.0)),
    ],
)  # fmt: skip
def test_what_openvino_takes_for_something_else(type: str, text: str, loosely: Any) -> None:
    with pytest.raises(ValueTextError):
        parse_strictly(type, text)
    assert parse_loosely(type, text) == loosely


@pytest.mark.parametrize(
    ("type", "text"),
    [
        ("int", "++1"), ("int", ""), ("int", "a"), ("int", str(2**63)), ("int", "٣"), ("unsigned", "-1"),
        ("float", ""), ("float", "FLT_MAX"), ("float", "1e400"), ("ints", "[1,1]"), ("ints", "1,,1"), ("ints", "a, b"),
        ("shape", "-4, 3"), ("shape", "?"), ("partial_shape", "{1,3}"), ("partial_shape", "dynamic"),
        ("partial_shape", "1,"), ("element_type", "FP32"), ("element_type", ""), ("element_type", "float"),
        ("partial_shape", ",".join(["?"] * (MAX_RANK + 1))),
    ],
)  # fmt: skip
def test_what_both_refuse(type: str, text: str) -> None:
    with pytest.raises(ValueTextError):
        parse_strictly(type, text)
    with pytest.raises(ValueTextError):
        parse_loosely(type, text)


def test_words_are_taken_in_any_letter_case() -> None:
    assert parse_strictly("enumeration", "Same_Upper", ("explicit", "same_upper")) == "same_upper"
    with pytest.raises(ValueTextError, match="not one of explicit, same_upper"):
        parse_strictly("enumeration", "sideways", ("explicit", "same_upper"))


def test_a_message_shows_the_beginning_of_a_long_text_only() -> None:
    with pytest.raises(ValueTextError) as caught:
        parse_strictly("int", "x" * 10**6)
    assert len(str(caught.value)) < 120


def test_what_openvino_ends_up_with_where_nothing_is_written() -> None:
    assert zero("int") == 0
    assert zero("enumeration", ("floor", "ceil")) == "floor"
    assert zero("ints") == ()
