"""Tables that fit the terminal, by rich: cells are shortened or folded, and columns left out with a note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from ir_plugin.cli.console import echo, is_quiet, say, terminal_width
from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.shorten import shortened_apart

if TYPE_CHECKING:
    from rich.console import Console

_UNLIMITED = 100_000
_GAP = 2
_MIN_WIDTH = 20
"""The width to which a flexible column is shortened before columns are left out."""
_NARROWEST = 8


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], flexible: Sequence[int] = (0,)) -> None:
    """Print a table, unless quiet.

    Columns whose name begins with `>` are aligned right. Columns with a `~` before that are left out if they are empty
    or the table is too wide, the last first and those with `~~` at the end, with a note below. The texts of `flexible`
    columns are shortened in the middle if there is no room.
    """
    if is_quiet():
        return
    texts = [[safe(str(cell)) for cell in row] for row in rows]
    screen = _console()
    widths = _widths(columns, texts)
    visible, omitted = _fitting(columns, widths, screen.width, flexible)
    rooms = _rooms(widths, visible, screen.width, flexible)
    fitted = [_fitted([row[index] for row in texts], rooms[index]) for index in visible]
    cells = list(zip(*fitted, strict=True))
    _print(screen, [columns[index].lstrip("~") for index in visible], cells)
    if omitted:
        names = ", ".join(columns[index].lstrip("~>") for index in omitted)
        say(f"… no room for {names}; --json has them")


def _console() -> Console:
    """Return the console for standard output; without a terminal its width is COLUMNS, or unlimited."""
    from rich.console import Console

    return Console(highlight=False, width=terminal_width() or _UNLIMITED)


def _print(screen: Console, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for name in columns:
        justify: Literal["left", "right"] = "right" if name.startswith(">") else "left"
        table.add_column(name.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    with screen.capture() as captured:
        screen.print(table)
    echo("\n".join(line.rstrip() for line in captured.get().splitlines()), color=screen.is_terminal)


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column, 0 for an empty one that may be left out."""
    from rich.cells import cell_len

    widths = [max((cell_len(row[index]) for row in rows), default=0) for index in range(len(columns))]
    return [
        0 if not width and name.startswith("~") else max(width, cell_len(name.lstrip("~>")))
        for name, width in zip(columns, widths, strict=True)
    ]


def _fitting(
    columns: Sequence[str], widths: Sequence[int], width: int, flexible: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the columns that fit, and the non-empty columns that do not."""
    visible = [index for index, needed in enumerate(widths) if needed or not columns[index].startswith("~")]
    omitted: list[int] = []
    least = [min(needed, _MIN_WIDTH) if index in flexible else needed for index, needed in enumerate(widths)]
    optional = [index for index in reversed(visible) if columns[index].startswith("~")]
    for index in sorted(optional, key=lambda index: columns[index].startswith("~~")):
        if sum(least[column] + _GAP for column in visible) - _GAP > width:
            visible.remove(index)
            omitted.append(index)
    return visible, sorted(omitted)


def _rooms(widths: Sequence[int], visible: Sequence[int], width: int, flexible: Sequence[int]) -> dict[int, int]:
    """Return the width of each visible column; flexible columns take the remaining width in order."""
    rooms = {index: min(widths[index], _MIN_WIDTH) if index in flexible else widths[index] for index in visible}
    spare = width - sum(rooms.values()) - _GAP * (len(visible) - 1)
    for index in flexible:
        if index in rooms:
            more = max(min(widths[index] - rooms[index], spare), min(_NARROWEST - rooms[index], 0))
            rooms[index] += more
            spare -= more
    return rooms


def _fitted(texts: Sequence[str], room: int) -> list[str]:
    """Shorten the cells of a column to a width; different cells stay different."""
    from rich.cells import cell_len, set_cell_size

    short = shortened_apart([text for text in texts if cell_len(text) > room], room)
    return [set_cell_size(name, room) if cell_len(name := short.get(text, text)) > room else name for text in texts]
