"""JSON without the words Infinity and NaN, which readers other than Python's refuse."""

from __future__ import annotations

import json
from typing import Any


def json_text(data: dict[str, Any]) -> str:
    """Return plain data as a JSON document, with infinities and NaN as text."""
    return json.dumps(strict_json(data), indent=1, allow_nan=False)


def strict_json(value: Any) -> Any:
    """Return plain data for JSON, with infinities and NaN as text."""
    if isinstance(value, dict):
        return {str(key): strict_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict_json(item) for item in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
