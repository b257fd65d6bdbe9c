"""The optimizations that OpenVINO applies to a model when it has built preprocessing."""

from __future__ import annotations

from ir_plugin.model import Model


def simplify(model: Model) -> None:
    """Simplify."""
