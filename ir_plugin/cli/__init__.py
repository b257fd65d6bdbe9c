"""The command line: `ir-plugin check`, `info`, `run`, `ops`, `explain`."""

from __future__ import annotations


def main() -> None:
    """Run the command line; the exit status is 0, 1 for a wrong model, 2 for wrong arguments or environment."""
    from ir_plugin.cli.app import run

    run()
