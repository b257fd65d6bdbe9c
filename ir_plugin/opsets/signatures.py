"""Signatures of the functions that build nodes: names, order and defaults of their parameters are OpenVINO's."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

NEWEST = 17
"""The newest opset."""

REQUIRED: Any = object()
"""The default of a parameter that has none."""

Kind = Literal["input", "nodes", "attribute", "attributes"]


@dataclass(frozen=True)
class Parameter:
    """One parameter: an input, a list of inputs, an attribute, or a dictionary of attributes."""

    kind: Kind
    name: str
    target: str
    """The attribute's field, where it is called otherwise."""
    default: Any = REQUIRED


@dataclass(frozen=True)
class Signature:
    """What a function of an opset is called, and which definition it builds from which parameters."""

    name: str
    first: int
    last: int
    type: str
    version: str
    parameters: tuple[Parameter, ...]

    def is_in(self, opset: int) -> bool:
        """Return whether an opset has the function; the newest one has all of the one before."""
        return self.first <= opset <= self.last or (opset == NEWEST and self.last == NEWEST - 1)


@cache
def signatures() -> tuple[Signature, ...]:
    """Return the signatures of all functions of all opsets."""
    lines = Path(__file__).with_name("signatures.tsv").read_text("utf-8").splitlines()[1:]
    return tuple(map(_signature, lines))


def _signature(line: str) -> Signature:
    name, first, last, type, opset, parameters = line.split("\t")
    return Signature(name, int(first), int(last), type, f"opset{opset}", tuple(map(_parameter, parameters.split("; "))))


def _parameter(text: str) -> Parameter:
    head, _, default = text.partition(" = ")
    words, _, target = head.partition(" > ")
    kind, name = words.split(" ")
    if kind not in ("input", "nodes", "attribute", "attributes"):
        raise ValueError(f"{text!r} is not a parameter")
    return Parameter(kind, name, target or name, ast.literal_eval(default) if default else REQUIRED)  # type: ignore[arg-type]
