"""Text from files made safe to show: control characters, terminal escapes and bidirectional marks become visible."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate, takewhile

from ir_plugin.diagnostics.finding import LayerRef

_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def safe(text: str, limit: int = 400) -> str:
    r"""Return text in one line of printable characters, the others written as `\x1b` or `\u202e`, and `…` for the
    middle of what is longer than `limit`.
    """
    if len(text) <= limit:
        shown = escaped(text)
        if len(shown) <= limit:
            return shown
    half = (max(limit, 3) - 1) // 2
    return f"{_head(text[:half], half)}…{_head(text[-half:][::-1], half, back=True)}"


def escaped(text: str) -> str:
    r"""Return text with every character that is not printable written as `\x1b` or `\u202e`, whatever its length."""
    return text if text.isprintable() else "".join(map(escaped_character, text))


def escaped_character(character: str) -> str:
    r"""Return a printable character as it is, and another one as `\n`, `\x1b`, `\u202e` or `\U000e0001`."""
    if character.isprintable():
        return character
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return _SHORT.get(character, f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}")


def whole(text: str, limit: int = 4096) -> str:
    r"""Return text as data that any JSON reader takes: lone surrogates written as `\udcff`, and `…` for the middle of
    what is longer than `limit`.
    """
    if len(text) > limit:
        half = (limit - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def ends(names: tuple[str, ...], limit: int = 64) -> tuple[str, ...]:
    """Return names with `…` for the middle of what are more than `limit`."""
    half = limit // 2
    return names if len(names) <= limit else (*names[:half], "…", *names[-half:])


def safe_layer(layer: LayerRef) -> str:
    """Return the layer with its part and the bodies it lies in, in one line."""
    shown = replace(
        layer,
        id=safe(layer.id, 24),
        name=safe(layer.name, 120),
        type=safe(layer.type, 60),
        version=safe(layer.version, 24),
        part=safe(layer.part, 120),
        path=tuple(safe(name, 60) for name in ends(layer.path, 6)),
    )
    return str(shown)


def _head(text: str, limit: int, *, back: bool = False) -> str:
    pieces = [escaped_character(character) for character in text]
    count = sum(1 for _ in takewhile(lambda length: length <= limit, accumulate(map(len, pieces))))
    kept = pieces[:count]
    return "".join(reversed(kept) if back else kept)
