"""The page of a code: the meaning of a finding, what OpenVINO does with such a file, and the fix."""

from __future__ import annotations

from functools import lru_cache

from ir_plugin.diagnostics.codes import CODES
from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.suggest import close_matches
from ir_plugin.errors import InputError


def page(code: str) -> str:
    """Return the page of a code as Markdown; letter case and surrounding blanks do not matter."""
    id = code.strip().upper()
    if id not in CODES:
        raise InputError(f'unknown code "{safe(code, 60)}"{_near(id)}')
    return _read(id)


def meaning(code: str) -> str:
    """Return the first paragraph of a code's page as one line: the fault and why it matters."""
    return " ".join(page(code).split("\n\n")[1].split())


@lru_cache(maxsize=1024)
def _read(code: str) -> str:
    from importlib.resources import files

    return (files("ir_plugin.diagnostics") / "pages" / f"{code}.md").read_text(encoding="utf-8")


def _near(id: str) -> str:
    nearest = close_matches(id, CODES)
    return f"; did you mean {' or '.join(nearest)}?" if nearest else f"; codes run from {min(CODES)} to {max(CODES)}"
