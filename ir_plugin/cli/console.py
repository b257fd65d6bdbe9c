"""Tables and progress, by rich; progress only where a terminal reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

from ir_plugin.diagnostics.escape import escaped, safe

if TYPE_CHECKING:
    from rich.console import Console

    from ir_plugin.model import Output
    from ir_plugin.tensors import Array

T = TypeVar("T")

_LEAST_NAME = 20

_state = {"quiet": False, "notes": True}


def set_quiet(quiet: bool) -> None:
    """Print no text, no progress and no warnings of the log from now on, or do."""
    import logging

    _state["quiet"] = quiet
    logging.getLogger("ir_plugin").setLevel(logging.ERROR if quiet else logging.NOTSET)


def is_quiet() -> bool:
    """Return whether no text and no progress is to be printed."""
    return _state["quiet"]


def set_notes(wanted: bool) -> None:
    """Print notes beside the output from now on, or do not."""
    _state["notes"] = wanted


def say(text: str = "", *, error: bool = False) -> None:
    """Print a line whose file-controlled parts are made safe here, unless it is to be quiet."""
    if not _state["quiet"]:
        echo(escaped(text), error=error)


def echo(text: str, *, end: str = "\n", error: bool = False, color: bool | None = None) -> None:
    """Print text as it is, in the encoding of the stream; escape sequences go to terminals only, or where `color`."""
    import click

    click.echo(text + end, sys.stderr if error else sys.stdout, nl=False, color=color)


def ascii_xml(document: str) -> str:
    """Return XML whose characters beyond ASCII are references, which a stream of any encoding takes."""
    return document.encode("ascii", "xmlcharrefreplace").decode()


@contextmanager
def working(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show that something is being done, where a terminal reads; yields what is to be called after each part.

    A model that is compiled meanwhile has a bar of its own. Shapes that are chosen for random inputs are told at the
    end.
    """
    from ir_plugin.report.inputs import guessing

    hints: list[str] = []
    try:
        with guessing(lambda port, array: hints.append(_hint(port, array))), _bar(what, total) as advance:
            yield advance
    finally:
        for hint in dict.fromkeys(hints if _state["notes"] else []):
            say(hint, error=True)


def _hint(port: Output, array: Array) -> str:
    from ir_plugin.api.lookup import names_of

    name, used = names_of(port)[0], "x".join(map(str, array.shape))
    return f"note: {name} {port.partial_shape} gets random {used}; -i {name}=… gives another"


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    if _state["quiet"] or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import Progress

    from ir_plugin.compiler.progress import progress_listener
    from ir_plugin.kernels.compiling import listening

    with Progress(console=console(error=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        plan = bar.add_task("compiling", visible=False)
        kernels = bar.add_task("compiling kernels", total=None, visible=False)

        def show_plan(done: int, count: int) -> None:
            bar.update(plan, completed=done, total=count, visible=done < count)

        def show_kernel(name: str) -> None:
            bar.update(kernels, description=f"compiling kernels: {name}", visible=bool(name))

        with progress_listener(show_plan), listening(show_kernel):
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


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], named: int = 0) -> None:
    """Print a table, unless it is to be quiet.

    Columns whose name begins with `>` are set right. Those with `~` before that are left out where they are empty, and
    in a narrow terminal, the last ones first. The texts of the column `named` are folded where there is no room.
    """
    if _state["quiet"]:
        return
    from rich.markup import escape
    from rich.table import Table

    screen = console()
    texts = [[safe(str(cell)) for cell in row] for row in rows]
    kept = _fitting(columns, texts, screen.width, named)
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index in kept:
        name = columns[index].removeprefix("~")
        justify: Literal["left", "right"] = "right" if name.startswith(">") else "left"
        table.add_column(name.removeprefix(">"), justify=justify, overflow="fold", no_wrap=index != named)
    for row in texts:
        table.add_row(*(escape(row[index]) for index in kept))
    screen.print(table)


def _fitting(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, named: int) -> list[int]:
    """Return the columns that have room beside the one at `named`, which has at least some letters.

    Those that may be left out are, where they are empty.
    """
    from rich.cells import cell_len

    widths = [max(map(cell_len, [name.lstrip("~>"), *(row[at] for row in rows)])) for at, name in enumerate(columns)]
    widths[named] = min(widths[named], _LEAST_NAME)
    needed = [not name.startswith("~") or any(row[at] for row in rows) for at, name in enumerate(columns)]
    kept = [index for index in range(len(columns)) if needed[index]]
    for index in reversed(kept.copy()):
        if sum(widths[at] + 2 for at in kept) - 2 > width and columns[index].startswith("~"):
            kept.remove(index)
    return kept
