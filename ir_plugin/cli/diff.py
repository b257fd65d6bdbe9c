"""`ir-plugin diff`: the structural difference of two models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.completion import words
from ir_plugin.cli.console import ascii_xml, echo, is_quiet, say, wants_color, working
from ir_plugin.cli.status import WRONG
from ir_plugin.errors import Error, InputError

if TYPE_CHECKING:
    from ir_plugin.report.difference import Difference

FORMATS = ("text", "json", "html")
_SUFFIXES = {".json": "json", ".html": "html", ".htm": "html"}
_COLORS = {"+": "green", "-": "red", "~": "yellow"}
_MAX_LINES = 200


@click.command(cls=Command)
@click.argument("first", cls=Argument, metavar="A", type=options.FILE, about="The .xml of a model.")
@click.argument("second", cls=Argument, metavar="B", type=options.FILE, about="The .xml of the other one.")
@click.option("--format", default="", show_default=False, shell_complete=words(*FORMATS),
              help=f"One of {', '.join(FORMATS)}; default: by the name of --out.")  # fmt: skip
@click.option("--out", "-o", type=options.FILE, help="Write to this file.")
@click.option("--rt-info", is_flag=True, help="Compare runtime information too.")
@click.option("--all", "everything", is_flag=True, help="A line for every change, and for outputs that follow from it.")
@options.json
@options.quiet
def diff(
    first: Path, second: Path, format: str, out: Path | None, rt_info: bool, everything: bool, json_: bool
) -> None:
    """Compare the structure of two models.

    Shows layers that are added, removed or rewired, other types, attributes, constants, tensor names, element types and
    shapes, also in bodies. Ids, the order of layers and their names do not count. The exit status is 0 if the models
    are equal, 1 if they differ, 2 if one cannot be read.
    """
    kind = "json" if json_ else format or ("text" if out is None else _SUFFIXES.get(out.suffix.lower(), "text"))
    if kind not in FORMATS:
        raise click.BadParameter(f"{kind!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    difference = _difference(first, second, rt_info)
    if out is not None:
        from ir_plugin.writer.files import write_file

        write_file(out, _document(difference, kind))
        say(f"{out} is written")
    elif kind == "text":
        _print(difference, everything)
    else:
        echo(ascii_xml(_document(difference, kind)) if kind == "html" else difference.to_json())
    if difference:
        raise click.exceptions.Exit(WRONG)


def _difference(first: Path, second: Path, rt_info: bool) -> Difference:
    """Return the difference; a model that cannot be read is an error of status 2, as status 1 says that they differ."""
    from ir_plugin.report.difference import diff as compared

    try:
        with working("comparing"):
            return compared(first, second, rt_info=rt_info)
    except Error as fault:
        raise InputError(str(fault), fault.findings) from fault


def _document(difference: Difference, kind: str) -> str:
    if kind == "html":
        return difference.to_html()
    return difference.to_json() + "\n" if kind == "json" else f"{difference}\n"


def _print(difference: Difference, everything: bool) -> None:
    from ir_plugin.report.difference_text import line_of, sign, verdict

    if is_quiet():
        return
    changes = [*difference, *(difference.consequences if everything else ())]
    color = wants_color()
    for change in changes if everything else changes[:_MAX_LINES]:
        line = line_of(change)
        echo(click.style(line, fg=_COLORS[sign(change)]) if color else line, color=color)
    if len(changes) > _MAX_LINES and not everything:
        say(f"… {_MAX_LINES} of {len(changes):,} changes; --all lists every one")
    say(verdict(difference))
