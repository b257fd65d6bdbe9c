"""Layouts: the meaning of the dimensions of a tensor."""

from __future__ import annotations

import re

from ir_plugin.errors import InputError, require, wrong_type

_SCALAR = "**SCALAR**"
_WORDS = {"B": "N", "BATCH": "N", "CHANNELS": "C", "CHANNEL": "C", "DEPTH": "D", "HEIGHT": "H", "WIDTH": "W"}
_NAME = re.compile(r"\w+", re.ASCII)


class Layout:
    """Names of dimensions, as `openvino.Layout`: `Layout("NCHW")`, `Layout("[N,C,...]")`, `Layout("N...C")`."""

    __slots__ = ("names",)

    names: tuple[str, ...]
    """One name per dimension: `?` for a dimension without a name, `...` for any number of dimensions."""

    def __init__(self, text: str = "") -> None:
        if not isinstance(text, str):
            raise wrong_type("layout_str", "text", text)
        self.names = (_SCALAR,) if text.strip().upper() == _SCALAR else _parse(text.strip())

    @staticmethod
    def scalar() -> Layout:
        """Return the layout of a tensor without dimensions."""
        return Layout(_SCALAR)

    @property
    def empty(self) -> bool:
        """Whether nothing is known."""
        return self.names == ("...",)

    def has_name(self, name: str) -> bool:
        """Return whether a dimension has this name."""
        return _canonical(name) in self.names

    def get_index_by_name(self, name: str) -> int:
        """Return the index of the dimension of this name, counted from the end after `...`."""
        canonical = _canonical(name)
        if canonical not in self.names:
            raise InputError(f"the layout {self} has no dimension {name}")
        index = self.names.index(canonical)
        counts_from_end = "..." in self.names and self.names.index("...") < index
        return index - len(self.names) if counts_from_end else index

    def fits(self, ndim: int | None) -> bool:
        """Return whether a tensor of this rank can have the layout; None is any rank."""
        if ndim is None:
            return True
        if self.names == (_SCALAR,):
            return ndim == 0
        return ndim >= len(self.names) - 1 if "..." in self.names else ndim == len(self.names)

    def to_string(self) -> str:
        """Return the text as OpenVINO writes it: `[N,C,H,W]`."""
        return _SCALAR if self.names == (_SCALAR,) else f"[{','.join(self.names)}]"

    __str__ = to_string

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            try:
                other = Layout(other)
            except InputError:
                return False
        return self.names == other.names if isinstance(other, Layout) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"<Layout: {self}>"


def _canonical(name: str) -> str:
    require(name, str, "the name of a dimension", "name")
    upper = name.strip().upper()
    return _WORDS.get(upper, upper)


def _parse(text: str) -> tuple[str, ...]:
    if not text:
        return ("...",)
    inner = text[1:-1] if text[0] == "[" and text[-1] == "]" else ""
    if text[0] == "[" and not inner:
        raise InputError(f"{text!r} is not a layout: it has no dimensions")
    words = inner.split(",") if inner else list(text.replace("...", "\0"))
    names = tuple(_canonical(word.replace("\0", "...")) for word in words)
    for name in names:
        if name not in ("...", "?") and not _NAME.fullmatch(name):
            raise InputError(f"Layout name is invalid ({name}): {text!r} is not a layout; use letters, digits and _")
    for name in names:
        if name != "?" and names.count(name) > 1:
            raise InputError(f"{text!r} is not a layout: the dimension {name} occurs twice")
    return names
