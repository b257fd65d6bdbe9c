"""`ir-plugin explain`: the page of a finding's code."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ir_plugin.cli.console import print_table
from ir_plugin.cli.options import Json, Quiet
from ir_plugin.diagnostics import CODES
from ir_plugin.diagnostics.explain import page


def _codes(incomplete: str) -> list[tuple[str, str]]:
    return [(code.id, code.title) for code in CODES.values() if code.id.startswith(incomplete.upper())]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(explain)


def explain(
    code: Annotated[
        str, typer.Argument(help="A code such as IR302; without one, all are listed.", autocompletion=_codes)
    ] = "",
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print what a code means, and how to mend it.

    The page has an example, and says what OpenVINO does with such a file.
    """
    if json_:
        chosen = [code.upper()] if code else list(CODES)
        pages = {name: page(name) for name in chosen}
        known = [CODES[name] for name in chosen]
        rows = [{"code": one.id, "severity": one.severity, "title": one.title, "page": pages[one.id]} for one in known]
        typer.echo(json.dumps(rows, indent=1))
    elif code and not quiet:
        typer.echo(page(code))
    elif not code:
        print_table(
            "", ("code", "severity", "title"), [(known.id, known.severity, known.title) for known in CODES.values()]
        )
