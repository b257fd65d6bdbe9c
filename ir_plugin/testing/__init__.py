"""Assertions for tests of models: agreement with a reference, no errors, and unchanged outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ir_plugin.testing.assertions import assert_agrees, assert_matches_snapshot, assert_valid

__all__ = ["assert_agrees", "assert_matches_snapshot", "assert_valid"]


def __getattr__(name: str) -> Any:
    """Import an assertion when it is first used: pytest imports this package with its plugin, in every project."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ir_plugin.testing import assertions

    return getattr(assertions, name)
