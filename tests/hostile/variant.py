"""What a malformed or hostile variant of a valid IR is, and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.bases import BASES

Edit = Callable[[str], str]


@dataclass(frozen=True)
class Variant:
    """A base IR with edits, the code it must give (empty: no finding), and where.

    `at` is a text of which the first occurrence stands in the line of the finding, `layer: text` the first one behind
    that layer's tag; empty where the finding is about a file as a whole.
    """

    name: str
    edits: tuple[Edit, ...]
    code: str = ""
    at: str = ""
    base: str = "conv"
    weights: Callable[[bytes], bytes | None] | None = None
    encoding: Callable[[str], bytes] | None = None
    also: tuple[str, ...] = ()
    """Warnings that belong to the same fault."""

    @property
    def text(self) -> str:
        """The XML as text."""
        text = BASES[self.base]().xml
        for edit in self.edits:
            text = edit(text)
        return text

    @property
    def xml(self) -> bytes:
        """The XML as bytes."""
        return self.encoding(self.text) if self.encoding else self.text.encode()

    @property
    def bin(self) -> bytes | None:
        """The weights."""
        data = BASES[self.base]().weights
        return self.weights(data) if self.weights else data

    @property
    def line(self) -> int:
        """The line of the finding."""
        if not self.at:
            return 0
        text = self.text
        layer, separator, needle = self.at.partition(": ")
        start = text.index(f'name="{layer}"') if separator else 0
        found = text.index(needle if separator else self.at, text.rindex("\n", 0, start) + 1 if start else 0)
        return text.count("\n", 0, found) + 1


def swap(old: str, new: str) -> Edit:
    """Replace the first occurrence of a text, which must be there."""

    def edit(text: str) -> str:
        if old not in text:
            raise ValueError(f"{old!r} is not in the base")
        return text.replace(old, new, 1)

    return edit


def every(old: str, new: str) -> Edit:
    """Replace a text everywhere."""
    return lambda text: text.replace(old, new)


def within(layer: str, old: str, new: str) -> Edit:
    """Replace the first occurrence of a text inside one layer, from its tag to its end."""

    def edit(text: str) -> str:
        begin = text.rindex("<layer", 0, text.index(f' name="{layer}"'))
        end = text.index("</layer>", begin) + len("</layer>")
        return text[:begin] + swap(old, new)(text[begin:end]) + text[end:]

    return edit


def cut(begin: str, end: str) -> Edit:
    """Take away everything from one text to the end of another one."""

    def edit(text: str) -> str:
        first = text.index(begin)
        return text[:first] + text[text.index(end, first) + len(end) :]

    return edit


def cut_within(layer: str, begin: str, end: str) -> Edit:
    """Take away a part of one layer."""

    def edit(text: str) -> str:
        first = text.rindex("<layer", 0, text.index(f' name="{layer}"'))
        last = text.index("</layer>", first)
        return text[:first] + cut(begin, end)(text[first:last]) + text[last:]

    return edit


def cut_layer(layer: str) -> Edit:
    """Take a layer away."""

    def edit(text: str) -> str:
        begin = text.rindex("        <layer", 0, text.index(f' name="{layer}"'))
        return text[:begin] + text[text.index("</layer>\n", begin) + len("</layer>\n") :]

    return edit


def nested(count: int, tag: str = "deep") -> str:
    """Return elements inside each other."""
    return f"<{tag}>" * count + f"</{tag}>" * count
