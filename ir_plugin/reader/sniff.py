"""Whether a file is an IR at all, from its first bytes."""

from __future__ import annotations

import re
from pathlib import Path

from ir_plugin.reader.document import open_model

_BEFORE_ROOT = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_ROOT = re.compile(r"\s*<net[\s/>]")
_BYTES = 65536


def is_ir(path: Path) -> bool:
    """Return whether the first element of a file is `<net>`, as an IR's is; the rest may be malformed."""
    with open_model(path) as file:
        start = file.read(_BYTES)
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = start.decode(encoding, "replace")
    position = 0
    while (match := _BEFORE_ROOT.match(text, position)) is not None:
        position = match.end()
    return _ROOT.match(text, position) is not None
