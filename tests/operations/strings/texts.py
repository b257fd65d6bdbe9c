"""Samples of StringConcat, StringSplit, RegexFullMatch and StringNormalizer of version extension."""

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

OURS = "OpenVINO has no operations on texts of ONNX"


def texts(*items: str, shape: tuple[int, ...] | None = None) -> In:
    return param(words(*items, shape=shape), "string")


def words(*items: str, shape: tuple[int, ...] | None = None) -> Any:
    return np.array(items, object).reshape(len(items) if shape is None else shape)


def sample(type: str, inputs: list[In], expected: Any, outputs: int = 1, **attributes: Any) -> Sample:
    return Sample(type, "extension", inputs, attributes, expected, outputs=outputs, openvino=OURS, openvino_shapes=OURS)


def split(data: In, parts: Any, numbers: Any, **attributes: Any) -> Sample:
    return sample("StringSplit", [data], [parts, np.array(numbers)], outputs=2, **attributes)


def normalized(data: In, stops: list[str], expected: Any, **attributes: Any) -> Sample:
    return sample("StringNormalizer", [data, const(np.array(stops, object), "string")], expected, **attributes)


def matched(pattern: str, expected: list[bool]) -> Sample:
    return sample("RegexFullMatch", [texts("ab", "ABB", "", "a b")], np.array(expected), pattern=pattern)


SAMPLES = [
    sample("StringConcat", [texts("a", "é"), texts("b", "")], words("ab", "é")),
    sample(
        "StringConcat", [texts("a", "b", shape=(2, 1)), texts("x", "y")], words("ax", "ay", "bx", "by", shape=(2, 2))
    ),
    sample("StringConcat", [texts("a", shape=()), texts("b", "c")], words("ab", "ac")),
    sample("StringConcat", [texts("a", shape=(1,)), texts(shape=(0,))], words(shape=(0,))),
    split(texts("a b", " c  d e"), words("a", "b", "", "c", "d", "e", shape=(2, 3)), [2, 3]),
    split(texts("a,b,,c", "d"), words("a", "b", "", "c", "d", "", "", "", shape=(2, 4)), [4, 1], delimiter=","),
    split(texts("a-b-c"), words("a", "b-c", shape=(1, 2)), [2], delimiter="-", maxsplit=1),
    split(texts(shape=(0, 2)), words(shape=(0, 2, 0)), np.zeros((0, 2), np.int64)),
    matched("ab+", [True, False, False, False]),
    matched("(?i)ab*", [True, True, False, False]),
    matched("[a-z ]*", [True, False, True, True]),
    matched("", [False, False, True, False]),
    normalized(texts("a", "The", "b"), ["the"], words("A", "B"), case_change_action="upper"),
    normalized(texts("a", "The", "b"), ["the"], words("a", "The", "b"), is_case_sensitive=True),
    normalized(texts("a", "A", shape=(1, 2)), ["a"], words("", shape=(1, 1))),
    normalized(texts("Ä", "x"), [], words("ä", "x"), case_change_action="lower"),
]

ERRORS = [
    ErrorSample("StringConcat", "extension", ["string[2]", "f32[2]"], part="right", says="f32"),
    ErrorSample("StringSplit", "extension", ["i32[2]"], part="data", says="i32", outputs=2),
    ErrorSample("RegexFullMatch", "extension", ["string[2]"], {"pattern": "("}, part="pattern", says="'('"),
    ErrorSample("StringNormalizer", "extension", ["string[2,2]", "string[1]"], part="data", says="one row"),
]
