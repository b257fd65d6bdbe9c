"""`ir-plugin explain`: the page of a code."""

from __future__ import annotations

import json

import click
from click.shell_completion import CompletionItem

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.console import echo, is_quiet
from ir_plugin.cli.tables import print_table
from ir_plugin.diagnostics import CODES
from ir_plugin.diagnostics.explain import page


def _codes(_context: click.Context, _parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    return [CompletionItem(code.id, help=code.title) for code in CODES.values() if code.id.startswith(prefix.upper())]


@click.command(cls=Command)
@click.argument(
    "code", cls=Argument, default="", shell_complete=_codes, about="A code such as IR302; without one, all are listed."
)
@options.json
@options.quiet
def explain(code: str, json_: bool) -> None:
    """Print what a code means and how to fix its fault.

    The page has an example, and describes what OpenVINO does with such a file.
    """
    if json_:
        names = [code.upper()] if code else list(CODES)
        pages = {name: page(name) for name in names}
        rows = [
            {"code": name, "severity": CODES[name].severity, "title": CODES[name].title, "page": text}
            for name, text in pages.items()
        ]
        click.echo(json.dumps(rows, indent=1))
    elif code and not is_quiet():
        echo(page(code))
    elif not code:
        listed = [(entry.id, entry.severity, entry.title) for entry in CODES.values()]
        print_table(("code", "severity", "title"), listed, flexible=(2,))
