"""The command line: `ir-plugin check`, `info`, `run`, `ops`, `explain`."""

from __future__ import annotations


def main() -> None:
    """Run the command line; the exit status is 0, 1 for findings or failures, 2 for a wrong call."""
    from ir_plugin.cli.app import run

    run()
