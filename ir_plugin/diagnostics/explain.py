"""The page of a code: what a finding means, what OpenVINO does with such a file, and how to mend it."""

from __future__ import annotations

from functools import cache

from ir_plugin.diagnostics.codes import CODES
from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.suggest import close_matches
from ir_plugin.errors import InputError


def page(code: str) -> str:
    """Return the page of a code as Markdown; letter case and blanks around the code do not matter."""
    wanted = code.strip().upper()
    if wanted not in CODES:
        raise InputError(f'unknown code "{safe(code, 60)}"{_near(wanted)}')
    return _read(wanted)


def meaning(code: str) -> str:
    """Return the first paragraph of a code's page, in one line: what is wrong and why it matters."""
    return " ".join(page(code).split("\n\n")[1].split())


@cache
def _read(code: str) -> str:
    from importlib.resources import files

    return (files("ir_plugin.diagnostics") / "pages" / f"{code}.md").read_text(encoding="utf-8")


def _near(wanted: str) -> str:
    nearest = close_matches(wanted, CODES)
    return f"; did you mean {' or '.join(nearest)}?" if nearest else f"; codes run from {min(CODES)} to {max(CODES)}"
