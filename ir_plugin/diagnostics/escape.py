"""Escaping of text from files: control characters, terminal escapes and bidirectional marks become visible."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate, takewhile

from ir_plugin.diagnostics.position import LayerRef

_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def safe(text: str, limit: int = 400) -> str:
    r"""Return text as one line of printable characters, with others written as `\x1b` or `\u202e`, and with `…` for
    its middle if it is longer than `limit`.
    """
    if len(text) <= limit:
        escaped_text = escaped(text)
        if len(escaped_text) <= limit:
            return escaped_text
    half = (max(limit, 3) - 1) // 2
    return f"{_fitting_text(text[:half], half)}…{_fitting_text(text[-half:][::-1], half, back=True)}"


def escaped(text: str) -> str:
    r"""Return text of any length with every unprintable character written as `\x1b` or `\u202e`."""
    return text if text.isprintable() else "".join(map(escaped_character, text))


def escaped_character(character: str) -> str:
    r"""Return a printable character itself, and any other as `\n`, `\x1b`, `\u202e` or `\U000e0001`."""
    if character.isprintable():
        return character
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return _SHORT.get(character, f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}")


def json_text(text: str, limit: int = 4096) -> str:
    r"""Return text for any JSON reader: lone surrogates written as `\udcff`, and `…` for its middle if it is longer
    than `limit`.
    """
    if len(text) > limit:
        half = (limit - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def shorten_path(names: tuple[str, ...], limit: int = 64) -> tuple[str, ...]:
    """Return names with `…` for the middle ones if there are more than `limit`."""
    half = limit // 2
    return names if len(names) <= limit else (*names[:half], "…", *names[-half:])


def safe_layer(layer: LayerRef) -> str:
    """Return a layer with its part and its enclosing bodies as one line; the finding's span says where it is built."""
    shown = replace(
        layer,
        id=safe(layer.id, 24),
        name=safe(layer.name, 120),
        type=safe(layer.type, 60),
        version=safe(layer.version, 24),
        part=safe(layer.part, 120),
        path=tuple(safe(name, 60) for name in shorten_path(layer.path, 6)),
        built="",
    )
    return str(shown)


def _fitting_text(text: str, limit: int, *, back: bool = False) -> str:
    pieces = [escaped_character(character) for character in text]
    count = sum(1 for _ in takewhile(lambda length: length <= limit, accumulate(map(len, pieces))))
    fitting = pieces[:count]
    return "".join(reversed(fitting) if back else fitting)
