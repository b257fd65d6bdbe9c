"""Output of text, and progress bars by rich on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ir_plugin.cli.one_line import OneLine, in_notebook
from ir_plugin.diagnostics.escape import escaped

if TYPE_CHECKING:
    from ir_plugin.model import Output
    from ir_plugin.tensors import Array

T = TypeVar("T")

_state = {"quiet": False, "notes": True}


def set_quiet(quiet: bool) -> None:
    """Switch text, progress and log warnings off or on."""
    import logging

    _state["quiet"] = quiet
    logging.getLogger("ir_plugin").setLevel(logging.ERROR if quiet else logging.NOTSET)


def is_quiet() -> bool:
    """Return whether text and progress are switched off."""
    return _state["quiet"]


def set_notes(enabled: bool) -> None:
    """Switch notes on standard error on or off."""
    _state["notes"] = enabled


def say(text: str = "", *, error: bool = False) -> None:
    """Print a line with its unprintable characters escaped, unless quiet."""
    if not _state["quiet"]:
        echo(escaped(text), error=error)


def echo(text: str, *, end: str = "\n", error: bool = False, color: bool | None = None) -> None:
    """Print text unchanged in the stream's encoding, with escape sequences only on terminals or with `color`."""
    import click

    click.echo(text + end, sys.stderr if error else sys.stdout, nl=False, color=color)


def wants_color() -> bool:
    """Return whether standard output is coloured: by NO_COLOR, else FORCE_COLOR, else on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def terminal_width(*, error: bool = False) -> int | None:
    """Return the width of standard output or error in columns: COLUMNS, else the terminal's; None without either."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    stream = sys.stderr if error else sys.stdout
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream.isatty() else None
    except (OSError, ValueError):
        return None


def wrapped(text: str, width: int | None, head: str = "") -> list[str]:
    """Return a head and a sentence as lines of at most `width` columns, where words allow."""
    from textwrap import wrap

    if width is None or len(head) + len(text) <= width:
        return [f"{head}{text}"]
    return wrap(
        text,
        max(width, 40),
        initial_indent=head,
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def fitted_error(message: str, head: str) -> str:
    """Return an error's text after a head, escaped, its first line in lines that fit the terminal."""
    first, *others = message.splitlines() or [""]
    return "\n".join([fitted_line(first, head), *map(escaped, others)])


def fitted_line(message: str, head: str) -> str:
    """Return a message after a head in lines that fit the terminal; its own line breaks are escaped."""
    return "\n".join(wrapped(escaped(message), terminal_width(error=True), head))


def say_wrapped(text: str, *, error: bool = False) -> None:
    """Print a sentence as `say` does, in lines that fit the terminal."""
    for line in wrapped(text, terminal_width(error=error)):
        say(line, error=error)


def ascii_xml(document: str) -> str:
    """Return XML with character references beyond ASCII, valid in every stream's encoding."""
    return document.encode("ascii", "xmlcharrefreplace").decode()


@contextmanager
def working(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show a progress bar on a terminal; yields the function that advances it.

    The compilation of a model has a separate bar. Shapes chosen for random inputs are printed at the end.
    """
    from ir_plugin.report.inputs import guessing

    hints: list[str] = []
    try:
        with guessing(lambda port, array: hints.append(_hint(port, array))), _bar(what, total) as advance:
            yield advance
    finally:
        for hint in dict.fromkeys(hints if _state["notes"] else []):
            say_wrapped(hint, error=True)


def _hint(port: Output, array: Array) -> str:
    from ir_plugin.openvino.api.lookup import names_of

    name, lengths = names_of(port)[0], "x".join(map(str, array.shape))
    return f"note: {name} {port.partial_shape} gets random {lengths}; -i {name}=… gives another"


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    if _state["quiet"] or not sys.stderr.isatty():
        yield lambda *_: None
        return
    with _notebook_bar(what, total) if in_notebook() else _terminal_bar(what, total) as advance:
        yield advance


@contextmanager
def _notebook_bar(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    from ir_plugin.compiler.progress import progress_listener

    line = OneLine(what, total)
    try:
        with progress_listener(line.compiling):
            yield line.advance
    finally:
        line.close()


@contextmanager
def _terminal_bar(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    """Show a bar, with further ones while the model and its kernels are compiled."""
    from rich.console import Console
    from rich.progress import Progress

    from ir_plugin.compiler.progress import progress_listener
    from ir_plugin.kernels.compiling import listening

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        plan = bar.add_task("compiling", visible=False)
        kernels = bar.add_task("compiling kernels", total=None, visible=False)

        def show_plan(done: int, count: int) -> None:
            bar.update(plan, completed=done, total=count, visible=done < count)

        def show_kernel(name: str) -> None:
            bar.update(kernels, description=f"compiling kernels: {name}", visible=bool(name))

        with progress_listener(show_plan), listening(show_kernel):
            yield lambda *_: bar.advance(task)


def _counted(items: Iterable[T], line: OneLine) -> Iterator[T]:
    for item in items:
        yield item
        line.advance()
    line.close()


def progress(items: Sequence[T], what: str) -> Iterable[T]:
    """Return an iterable of the items that shows a progress bar on a terminal."""
    if _state["quiet"] or not sys.stderr.isatty():
        return items
    if in_notebook():
        return _counted(items, OneLine(what, len(items)))
    from rich.console import Console
    from rich.progress import track

    return track(items, what, console=Console(stderr=True), transient=True)
