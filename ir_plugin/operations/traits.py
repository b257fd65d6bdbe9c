"""Traits of operations: what others must know of them, without asking for their type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Elementwise:
    """An element of the output depends only on the input elements that NumPy's broadcasting aligns with it."""


@dataclass(frozen=True)
class Along:
    """Elements of input 0 are combined only along some axes; other inputs are parameters.

    `axes` is the attribute or the position of the input that names them. Every output has the axes of input 0, or, of
    an operation with a false `keep_dims`, those that are left.
    """

    axes: str | int


@dataclass(frozen=True)
class Batched:
    """The first axis of input 0 and of output 0 is the batch, whose entries are independent.

    Other inputs are parameters, which are the same for all entries.
    """


@dataclass(frozen=True)
class ValueInputs:
    """Some inputs, by position, say by their values what an output's shape or indices are: they must be exact."""

    inputs: tuple[int, ...]


@dataclass(frozen=True)
class Selects:
    """Elements are selected by their values: a small difference may select others, and equal ones in another order.

    `outputs` say which. They are indices, whose values `Operation.selected_values` returns; with a `score` they are,
    joined, rows that have their value in this column.
    """

    outputs: tuple[int, ...] = ()
    score: int | None = None


@dataclass(frozen=True)
class DataInputs:
    """The first `count` inputs are data of any values; the values of the other inputs say how the data is processed."""

    count: int


Trait = Elementwise | Along | Batched | ValueInputs | Selects | DataInputs
