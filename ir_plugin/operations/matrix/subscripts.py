"""Parses and checks the equations of Einsum."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from ir_plugin.errors import ShapeError

ELLIPSIS = "..."
_SUBSCRIPT = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*", re.ASCII)
_LABEL = re.compile(r"\.\.\.|[A-Za-z]", re.ASCII)

Labels = tuple[str, ...]


class Equation(NamedTuple):
    """The labels of every input and of the output; an ellipsis is a label."""

    inputs: tuple[Labels, ...]
    output: Labels


@lru_cache(maxsize=256)
def parsed(text: str) -> Equation:
    """Return the equation; without `->`, the output has the labels that occur once, sorted, after an ellipsis."""
    left, arrow, right = text.replace(" ", "").partition("->")
    inputs = tuple(_labels(part, text) for part in left.split(","))
    if arrow:
        return Equation(inputs, _checked(_labels(right, text), inputs, text))
    counts = Counter(chain.from_iterable(inputs))
    once = sorted(label for label, count in counts.items() if count == 1 and label != ELLIPSIS)
    return Equation(inputs, (*([ELLIPSIS] if ELLIPSIS in counts else []), *once))


def _labels(subscript: str, text: str) -> Labels:
    if not _SUBSCRIPT.fullmatch(subscript):
        raise ShapeError(
            "equation", f"the subscript {subscript!r} of {text!r} must be letters with at most one ellipsis (...)"
        )
    return tuple(_LABEL.findall(subscript))


def _checked(output: Labels, inputs: Sequence[Labels], text: str) -> Labels:
    input_labels = set(chain.from_iterable(inputs))
    for label, count in Counter(output).items():
        if label not in input_labels and label != ELLIPSIS:
            raise ShapeError("equation", f"the output's label {label!r} is in no input subscript of {text!r}")
        if count > 1:
            raise ShapeError("equation", f"the label {label!r} is twice in the output subscript of {text!r}")
    return output
