"""`ir-plugin tokenize`: the tokens of a text."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command, Utf8
from ir_plugin.cli.console import working
from ir_plugin.cli.tables import print_table


@click.command(cls=Command)
@options.folder
@click.argument("text", cls=Argument, type=Utf8(), about="The text; after -- it may begin with a dash.")
@click.option("--no-special-tokens", "is_plain", is_flag=True, help="Add no tokens such as the one that begins a row.")
@options.json
@options.quiet
def tokenize(folder: Path, text: str, is_plain: bool, json_: bool) -> None:
    """Print the tokens of a text with their places in it.

    Offsets are the positions of a piece's first character and after its last. A token that the tokenizer adds has
    none, nor has what follows a piece that the tokenizer has changed.
    """
    from ir_plugin.openvino.genai import Tokenizer
    from ir_plugin.report.text_pieces import pieces

    with working("reading"):
        rows = pieces(Tokenizer(folder), text, add_special_tokens=not is_plain)
    if json_:
        tokens = [{"id": row.id, "piece": row.text, "offset": row.offset, "is_special": row.is_special} for row in rows]
        click.echo(json.dumps({"text": text, "tokens": tokens}))
        return
    table = [
        (
            position,
            row.id,
            repr(row.text),
            "" if row.offset is None else "{}:{}".format(*row.offset),
            _note(row.is_special),
        )
        for position, row in enumerate(rows)
    ]
    print_table((">", ">id", "piece", ">offset", "~"), table, flexible=(2,))


def _note(is_special: bool) -> str:
    return "special" if is_special else ""
