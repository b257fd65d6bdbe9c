"""`ir-plugin ops`: the operations that are known."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ir_plugin.cli.console import print_table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ops)


def ops(
    pattern: Annotated[str, typer.Argument(help="Only types that contain this, in any letter case.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List every operation that can be run, with the opset that introduced it and who provides it."""
    from ir_plugin.operations.registry import Registry
    from ir_plugin.plugins import load_plugins

    registry = Registry()
    load_plugins(registry)
    found = [definition for definition in registry.all() if pattern.lower() in definition.type.lower()]
    rows = [(known.stem, known.family, known.version, known.provider) for known in found]
    columns = ("operation", "family", "introduced", "provider")
    if json_:
        typer.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=1))
        return
    print_table("", columns, rows)
    typer.echo(f"\n{len(rows)} definitions of {len({known.type for known in found})} types")
