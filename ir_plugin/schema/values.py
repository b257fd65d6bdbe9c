"""Parsing of attribute texts, strictly or as OpenVINO reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ir_plugin.errors import Error, InputError
from ir_plugin.tensors import MAX_RANK, ElementType, FrozenShape

_INT = re.compile(r"[-+]?[0-9]{1,20}")
_LONG_INT = re.compile(r"[-+]?[1-9][0-9]{20,}")
"""Whole numbers beyond 64 bits, which are not converted, as Python limits the digits."""
_FLOAT = re.compile(r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|inf(?:inity)?|nan)", re.IGNORECASE)
_INT_PREFIX = re.compile(r"\s*[-+]?[0-9]{1,20}")
_FLOAT_PREFIX = re.compile(r"\s*" + _FLOAT.pattern, re.IGNORECASE)
_TRUE, _FALSE = frozenset(["true", "True", "TRUE", "1"]), frozenset(["false", "False", "FALSE", "0"])
_LIMITS = {"int": (-(2**63), 2**63 - 1), "unsigned": (0, 2**64 - 1)}
_NOT_FINITE = frozenset(["nan", "inf", "-inf"])
"""The words that OpenVINO reads; it refuses other letter cases and `infinity`."""
_SHOWN = 60
NUMBER_TYPES = ("int", "unsigned", "ints", "shape", "float", "floats")
PLUS = re.compile(r"((?:^|,)\s*)\+")
"""A plus sign before a number, which OpenVINO skips."""
WORD_TYPES = ("enumeration", "element_type", "index_type")
"""Attribute types whose value is one of several words."""


class ValueTextError(Error):
    """A text that is not a value of an attribute's type; `read_as` is the value that OpenVINO reads, if any."""

    def __init__(self, message: str, read_as: Any = None) -> None:
        super().__init__(message)
        self.read_as = read_as


def _integer(text: str, kind: str = "int") -> int:
    word = text.strip()
    low, high = _LIMITS[kind]
    if _LONG_INT.fullmatch(word):
        raise ValueTextError(f"{shown(text)} is outside [{low}, {high}]")
    if not _INT.fullmatch(word):
        raise ValueTextError(f"{shown(text)} is not a whole number")
    if not low <= int(word) <= high or (low == 0 and word.startswith("-")):
        raise ValueTextError(f"{shown(text)} is outside [{low}, {high}]")
    return int(word)


def _unsigned(text: str) -> int:
    return _integer(text, "unsigned")


def _number(text: str) -> float:
    word = text.strip()
    if not _FLOAT.fullmatch(word):
        raise ValueTextError(f"{shown(text)} is not a number")
    value = float(word)
    if not math.isfinite(value) and word not in _NOT_FINITE:
        if not word[-1].isalpha():
            raise ValueTextError(f"{shown(text)} is beyond the range of a 64-bit float")
        raise ValueTextError(f"{shown(text)} is not a number that OpenVINO reads; it is written {value}")
    return value


def _boolean(text: str) -> bool:
    if text not in _TRUE and text not in _FALSE:
        raise ValueTextError(f"{shown(text)} is neither true nor false")
    return text in _TRUE


def _items(text: str) -> list[str]:
    """Return the items of a list; an empty text is an empty list, and blanks alone are none."""
    if text and not text.strip():
        raise ValueTextError(f"{shown(text)} is not a list; an empty one has no blanks")
    items = text.split(",") if text else []
    if not all(map(str.strip, items)):
        raise ValueTextError(f"{shown(text)} has an empty item before or after a comma")
    return items


def _require_rank(text: str) -> None:
    rank = text.count(",") + 1
    if rank > MAX_RANK:
        raise ValueTextError(f"a shape of {rank} dimensions; a tensor has at most {MAX_RANK}")


def _length(text: str) -> int:
    value = _integer(text)
    if value < 0 or text.strip().startswith("-"):
        raise ValueTextError(f"{shown(text.strip())} is not a length")
    return value


def _lengths(text: str) -> tuple[int, ...]:
    _require_rank(text)
    return tuple(_length(item) for item in _items(text))


def _partial_shape(text: str) -> FrozenShape:
    _require_rank(text)
    if "{" in text or "}" in text:
        raise ValueTextError(f"{shown(text)} has braces; lengths are separated by commas, and nothing else")
    try:
        return FrozenShape(text)
    except InputError as fault:
        raise ValueTextError(str(fault)) from None


def _element_type(text: str) -> ElementType:
    element_type = ElementType.from_name(text.strip())
    if element_type is None:
        raise ValueTextError(f"{shown(text)} is not an element type")
    return element_type


_PARSERS: dict[str, Callable[[str], Any]] = {
    "int": _integer,
    "unsigned": _unsigned,
    "float": _number,
    "boolean": _boolean,
    "ints": lambda text: tuple(_integer(item) for item in _items(text)),
    "floats": lambda text: tuple(_number(item) for item in _items(text)),
    "strings": lambda text: tuple(item.strip() for item in _items(text)),
    "shape": _lengths,
    "partial_shape": _partial_shape,
    "element_type": _element_type,
    "index_type": _element_type,
}


def parse_strictly(type: str, text: str, words: Sequence[str] = ()) -> Any:
    """Return the value of `text` as a `type`; enumeration words match in any letter case.

    `words` are the allowed words of an enumeration or names of an element type.
    """
    if type == "enumeration":
        word = text.strip().lower()
        if word not in words:
            raise ValueTextError(f"{shown(text)} is not one of {', '.join(words)}")
        return word
    parser = _PARSERS.get(type)
    value = text if parser is None else parser(text)
    if isinstance(value, ElementType) and words and not _is_listed(value, words):
        raise ValueTextError(f"{shown(text)} is not one of {', '.join(words)}")
    return value


def _is_listed(element_type: ElementType, words: Sequence[str]) -> bool:
    """Return whether a type is among words; where all types are allowed, so are containers, which no list can name."""
    return element_type.name in words or (element_type.is_container and "dynamic" in words)


def parse_loosely(type: str, text: str, words: Sequence[str] = ()) -> Any:
    """Return the value that OpenVINO reads from `text`: numbers by their prefix, unknown booleans as false."""
    try:
        return parse_strictly(type, text, words)
    except ValueTextError:
        if type == "boolean":
            return False
        if type in ("int", "unsigned"):
            return _by_prefix(_INT_PREFIX, text, _PARSERS[type])
        if type == "float":
            return _by_prefix(_FLOAT_PREFIX, text, _number)
        items = text.removesuffix(",").split(",")
        if type in ("ints", "shape"):
            parse = _integer if type == "ints" else _length
            return tuple(_by_prefix(_INT_PREFIX, item, parse) for item in items)
        if type == "floats":
            return tuple(_by_prefix(_FLOAT_PREFIX, item, _number) for item in items)
        raise


def _by_prefix(pattern: re.Pattern[str], text: str, parse: Callable[[str], Any]) -> Any:
    match = pattern.match(text)
    if match is None:
        raise ValueTextError(f"{shown(text)} does not begin with a number")
    return parse(match[0])


def _plain_list(item: str) -> str:
    return rf"(?:{item}(?:, ?{item})*)?"


_PLAIN_WHOLE, _PLAIN_INT = r"(?:0|[1-9][0-9]{0,17})", r"(?:0|-?[1-9][0-9]{0,17})"
_PLAIN_FLOAT = r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?"
_PLAIN_DIM = rf"(?:\?|-1|{_PLAIN_WHOLE}|{_PLAIN_WHOLE}\.\.{_PLAIN_WHOLE}|{_PLAIN_WHOLE}\.\.|\.\.{_PLAIN_WHOLE})"
_PLAIN = {
    type: re.compile(pattern)
    for type, pattern in {
        "int": _PLAIN_INT,
        "unsigned": _PLAIN_WHOLE,
        "float": _PLAIN_FLOAT,
        "boolean": "true|false",
        "ints": _plain_list(_PLAIN_INT),
        "floats": _plain_list(_PLAIN_FLOAT),
        "strings": _plain_list("[A-Za-z0-9_.-]+"),
        "string": ".*",
        "shape": _plain_list(_PLAIN_WHOLE),
        "partial_shape": rf"{_plain_list(_PLAIN_DIM)}|\.\.\.",
    }.items()
}


def is_plain(type: str, text: str, spellings: Sequence[str]) -> bool:
    """Return whether a text is written as OpenVINO writes values of a type, which every schema accepts.

    `spellings` are the words of an enumeration or of an element type, one of which has to be written exactly.
    """
    if type in WORD_TYPES:
        return text in spellings
    pattern = _PLAIN.get(type)
    return pattern is not None and pattern.fullmatch(text) is not None


def zero(type: str, words: Sequence[str] = ()) -> Any:
    """Return the value that OpenVINO uses for a required attribute that is absent."""
    if type == "enumeration":
        return words[0]
    zeros: dict[str, Any] = {"int": 0, "unsigned": 0, "float": 0.0, "boolean": False, "string": ""}
    zeros |= {"partial_shape": FrozenShape(), "element_type": ElementType.dynamic, "index_type": ElementType.i64}
    return zeros.get(type, ())


def shown(text: str) -> str:
    """Return a text quoted, and truncated if it is long."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
