"""Examples of the specification's pages that are wrong, with the reason."""

from __future__ import annotations

WRONG: dict[str, str] = {}
