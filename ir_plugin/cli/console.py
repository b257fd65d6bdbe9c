"""Tables and progress, by rich; progress only where a terminal reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ir_plugin.diagnostics.escape import escaped, safe

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")

_state = {"quiet": False}


def set_quiet(quiet: bool) -> None:
    """Print no text and no progress from now on, or do."""
    _state["quiet"] = quiet


def say(text: str = "", *, error: bool = False) -> None:
    """Print a line whose file-controlled parts are made safe here, unless it is to be quiet."""
    import typer

    if not _state["quiet"]:
        typer.echo(escaped(text), err=error)


@contextmanager
def working(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show that something is being done, where a terminal reads; yields what is to be called after each part."""
    if _state["quiet"] or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import Progress

    with Progress(console=console(error=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda *_: bar.advance(task)


def console(error: bool = False) -> Console:
    """Return the console for output, or for messages."""
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    width = None if stream.isatty() else 160
    return Console(stderr=error, highlight=False, width=width, soft_wrap=not stream.isatty())


def progress(items: Sequence[T], what: str) -> Iterable[T]:
    """Yield the items, with a progress bar where a terminal reads."""
    if _state["quiet"] or not sys.stderr.isatty():
        return items
    from rich.progress import track

    return track(items, what, console=console(error=True), transient=True)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table, unless it is to be quiet; columns whose name begins with `>` are set right."""
    if _state["quiet"]:
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    for row in rows:
        table.add_row(*(escape(safe(str(cell))) for cell in row))
    console().print(table)
