"""Standard streams that accept every text, with unencodable characters written in ASCII."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from io import TextIOWrapper

from ir_plugin.diagnostics.escape import escaped_character

_ERRORS = "ir_plugin.ascii"
_ASCII = {
    "…": "...", "›": ">", "→": "->", "×": "x", "≥": ">=", "≤": "<=", "−": "-", "–": "-", "—": "-", "‘": "'", "’": "'",
    "“": '"', "”": '"', "•": "*", "²": "2",
    **dict(zip("▁▂▃▄▅▆▇█", ".:-=+*#@", strict=True)),
}  # fmt: skip


def _in_ascii(fault: UnicodeError) -> tuple[str, int]:
    """Return ASCII for unencodable characters, and the position where encoding continues."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    text = fault.object[fault.start : fault.end]
    return "".join(_ASCII.get(letter) or _escape_sequence(letter) for letter in text), fault.end


def _escape_sequence(letter: str) -> str:
    return letter.encode("ascii", "backslashreplace").decode() if letter.isprintable() else escaped_character(letter)


def prepare_streams() -> None:
    """Make standard output and error accept every text, and discard what is written to a closed one."""
    codecs.register_error(_ERRORS, _in_ascii)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (open until the process ends)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def abandon_output() -> None:
    """Discard the buffered standard output, which cannot be written any more."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
