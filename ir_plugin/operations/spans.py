"""Texts as bytes with offsets: element i is `symbols[begins[i]:ends[i]]`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.elementwise import first_index
from ir_plugin.tensors import Array


def require_spans(begins: Array, ends: Array, length: int, unit: str = "symbols", item: str = "a string") -> None:
    """Raise unless offsets delimit parts of a sequence of `length` units."""
    for wrong, rule in (
        (begins < 0, f"{item} cannot begin before the {unit}"),
        (ends < begins, f"{item} cannot end before it begins"),
        (ends > length, f"there are only {length} {unit}"),
    ):
        if wrong.any():
            index = first_index(wrong)
            first = f"begins{index} is {begins[wrong].flat[0]} and ends{index} {ends[wrong].flat[0]}"
            raise EvaluationError(f"{first}; {rule}")


def pairs_of(begins: Array, ends: Array, length: int, unit: str = "symbols", item: str = "a string") -> list[list[int]]:
    """Return the begin and the end of each part of `length` units, in C order; raises for offsets outside of them."""
    require_spans(begins, ends, length, unit, item)
    pairs: list[list[int]] = np.stack([begins.reshape(-1), ends.reshape(-1)], 1).tolist()
    return pairs


def texts_of(begins: Array, ends: Array, symbols: Array) -> list[bytes]:
    """Return the bytes of each text, in C order; raises for offsets outside the symbols."""
    data = symbols.tobytes()
    return [data[begin:end] for begin, end in pairs_of(begins, ends, symbols.size)]


def offsets_of(lengths: Sequence[int]) -> tuple[Array, Array]:
    """Return begins and ends, i32, of parts of these lengths one after the other."""
    ends = np.cumsum([0, *lengths]).astype(np.int32)
    return ends[:-1], ends[1:]


def joined(texts: Sequence[bytes], shape: Sequence[int] | None = None) -> tuple[Array, Array, Array]:
    """Return begins and ends of texts, in a shape or as vectors, and their bytes one after the other."""
    begins, ends = offsets_of([len(text) for text in texts])
    symbols = np.frombuffer(b"".join(texts), np.uint8)
    return (begins, ends, symbols) if shape is None else (begins.reshape(shape), ends.reshape(shape), symbols)
