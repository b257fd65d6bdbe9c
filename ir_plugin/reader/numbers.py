"""Whole numbers of files as OpenVINO reads them."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[ \t\n\r\f\v]*\+?([0-9]{1,20})", re.ASCII)
_SIGNED = re.compile(r"[ \t\n\r\f\v]*([-+]?[0-9]{1,20})", re.ASCII)
_LIMIT = 2**63


def whole_number(text: str) -> int | None:
    """Return the number that a text is; None for one that OpenVINO refuses, which only takes blanks before it."""
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 20 else None
    match = _WHOLE.fullmatch(text)
    return None if match is None else int(match[1])


def signed_number(text: str) -> int | None:
    """Return the number of 64 bits that a text is, as `whole_number` does."""
    match = _SIGNED.fullmatch(text)
    return None if match is None or not -_LIMIT <= int(match[1]) < _LIMIT else int(match[1])
