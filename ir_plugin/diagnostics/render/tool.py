"""The name and version of this tool in the data formats."""

from __future__ import annotations

NAME = "ir-plugin"


def tool_version() -> str:
    """Return the version of the installed package, or `0` if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "0"
