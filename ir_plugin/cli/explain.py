"""`ir-plugin explain`: the page of a finding's code."""

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


def _codes(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(code.id, help=code.title) for code in CODES.values() if code.id.startswith(begun.upper())]


@click.command(cls=Command)
@click.argument(
    "code",
    cls=Argument,
    default="",
    shell_complete=_codes,
    about="A code such as IR302; without one, all are listed.",
)
@options.json
@options.quiet
def explain(code: str, json_: bool) -> None:
    """Print what a code means, and how to mend it.

    The page has an example, and says what OpenVINO does with such a file.
    """
    if json_:
        chosen = [code.upper()] if code else list(CODES)
        pages = {name: page(name) for name in chosen}
        known = [CODES[name] for name in chosen]
        rows = [{"code": one.id, "severity": one.severity, "title": one.title, "page": pages[one.id]} for one in known]
        click.echo(json.dumps(rows, indent=1))
    elif code and not is_quiet():
        echo(page(code))
    elif not code:
        listed = [(known.id, known.severity, known.title) for known in CODES.values()]
        print_table(("code", "severity", "title"), listed, flexible=(2,))
