"""Differences from the specification's pages, as the docstrings of operations state them.

A paragraph that begins with one of the headings of `KINDS` states one difference, and ends with `Example: …`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ir_plugin.operations.registry import Definition

FOLLOWED = "Differs from the page:"
DECLINED = "OpenVINO's CPU differs:"
FAULTY = "OpenVINO's tokenizers differ:"
KINDS = (FOLLOWED, DECLINED, FAULTY)
"""Headings: OpenVINO is followed against the page, or the page against OpenVINO's CPU or its wheel of tokenizers."""


@dataclass(frozen=True)
class Difference:
    """One difference from a page, with the smallest example; `operations` are those that share it, `Gather-8`."""

    kind: str
    operations: tuple[str, ...]
    text: str
    example: str


def differences(definitions: Iterable[Definition]) -> list[Difference]:
    """Return the differences that the docstrings of definitions state, by type and version."""
    every_definition = list(definitions)
    return [
        Difference(kind, _sharing(definition, every_definition), text, example)
        for definition in every_definition
        for kind, text, example in _stated(definition)
    ]


def _sharing(definition: Definition, every_definition: list[Definition]) -> tuple[str, ...]:
    """Return the stems of a definition and of the definitions derived from it."""
    derived = (
        candidate.stem
        for candidate in every_definition
        if candidate.cls is not definition.cls and issubclass(candidate.cls, definition.cls)
    )
    return definition.stem, *derived


def _stated(definition: Definition) -> Iterator[tuple[str, str, str]]:
    """Yield kind, text and example of each difference in the docstring of a class itself."""
    for paragraph in inspect.cleandoc(definition.cls.__doc__ or "").split("\n\n"):
        line = " ".join(paragraph.split())
        for kind in KINDS:
            if line.startswith(kind):
                text, _, example = line.removeprefix(kind).strip().partition(" Example: ")
                yield kind, _capitalized(text), _capitalized(example)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
