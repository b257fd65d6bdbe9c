"""`ir-plugin explain`: the page of a finding's code."""

from __future__ import annotations

from typing import Annotated

import typer

from ir_plugin.cli.console import print_table
from ir_plugin.diagnostics import CODES
from ir_plugin.diagnostics.explain import page


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(explain)


def explain(
    code: Annotated[str, typer.Argument(help="A code such as IR302; without one, all are listed.")] = "",
) -> None:
    """Print what a code means, an example, what OpenVINO does with it, and how to mend it."""
    if code:
        typer.echo(page(code))
    else:
        print_table(
            "", ("code", "severity", "title"), [(known.id, known.severity, known.title) for known in CODES.values()]
        )
