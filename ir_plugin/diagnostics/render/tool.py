"""What the data formats say of this program."""

from __future__ import annotations

NAME = "ir-plugin"


def tool_version() -> str:
    """Return the version of the installed package, or `0` where it runs without being installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "0"
