"""Random texts, and the inputs of operations on texts, for the comparison with OpenVINO's wheel of tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

from ir_plugin.tensors import ElementType
from tests.support.sample import In, const, param

PIECES = (
    "hello", "world", " ", "  ", "\t", "\n", "\r\n", "Ünïcödé", "é", "e\u0301", "\u0323\u0307", "日本語", "한국어",
    "각", "Привет", "Σίσυφος", "ß", "İ", "ǅ", "ﬁ", "①", "½", "٣", "123", "x_1", "'s", "don't", "!", "?!", "...",
    "—", "«»", "😀", "👩\u200d👩\u200d👧", "🇨🇭", "\u200b", "\u00a0", "\u3000", "\ufeff", "𝔸𝕓", "𐍈",
    "\U0010fffd", "\x00", "\x07", "▁", "##", "<0x0A>", "<s>", "the quick brown fox", "a", "b", "ab", "The", "Ġ",
    "Ċ", "\u0338", "=\u0338", "가", "\u1100\u1161\u11a8",
)  # fmt: skip
FAULTS = (b"\x80", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\x80", b"\xe0\x80\xaf", b"\xf4\x90\x80\x80")
"""Bytes that are no UTF-8."""


def text(rng: Random, longest: int = 8) -> str:
    """Return pieces of many scripts, and code points of all planes."""
    return "".join(
        rng.choice(PIECES) if rng.random() < 0.85 else _code_point(rng) for _ in range(rng.randrange(longest + 1))
    )


def _code_point(rng: Random) -> str:
    code = rng.choice([rng.randrange(0x250), rng.randrange(0x3000), rng.randrange(0x10000), rng.randrange(0x110000)])
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"


def broken(rng: Random) -> bytes:
    """Return a text in which some bytes may be no UTF-8."""
    parts = [text(rng, 2).encode() if rng.random() < 0.6 else rng.choice(FAULTS) for _ in range(rng.randrange(5))]
    return b"".join(parts)


def texts(rng: Random, make: Callable[[Random], str | bytes] = text, fewest: int = 0) -> list[bytes]:
    """Return a batch of texts, which may be empty."""
    items = [make(rng) for _ in range(rng.choice([max(fewest, count) for count in (0, 1, 1, 2, 3, 5)]))]
    return [item.encode() if isinstance(item, str) else item for item in items]


def decomposed(items: Sequence[bytes]) -> list[np.ndarray[Any, Any]]:
    """Return begins, ends and bytes of texts."""
    ends = np.cumsum([0, *map(len, items)]).astype(np.int32)
    return [ends[:-1], ends[1:], np.frombuffer(b"".join(items), np.uint8)]


def rows(rng: Random, count: int) -> list[np.ndarray[Any, Any]]:
    """Return begins and ends of rows that divide `count` elements."""
    cuts = sorted(rng.randrange(count + 1) for _ in range(rng.randrange(3)))
    bounds = np.array([0, *cuts, count], np.int32)
    return [bounds[:-1], bounds[1:]]


def parameters(arrays: Sequence[np.ndarray[Any, Any]]) -> list[In]:
    """Return arrays as parameters of a model."""
    return [param(array, ElementType.from_dtype(array.dtype).name) for array in arrays]


def constants(arrays: Sequence[np.ndarray[Any, Any]]) -> list[In]:
    """Return arrays as constants of a model."""
    return [const(array, ElementType.from_dtype(array.dtype).name) for array in arrays]


def bytes_of(text: str | bytes) -> In:
    """Return a text as a constant of its bytes."""
    data = text.encode() if isinstance(text, str) else text
    return const(np.frombuffer(data, np.uint8), "u8")
