"""Tables that fit the terminal, by rich: what has no room is shortened, folded or left out, and said to be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from ir_plugin.cli.console import echo, is_quiet, say
from ir_plugin.diagnostics.escape import safe

if TYPE_CHECKING:
    from rich.console import Console

_UNLIMITED = 100_000
_GAP = 2
_LEAST = 20
"""The width up to which texts of a flexible column are shortened before columns are left out."""
_NARROWEST = 8


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], flexible: Sequence[int] = (0,)) -> None:
    """Print a table, unless it is to be quiet.

    Columns whose name begins with `>` are set right. Those with `~` before that are left out where they are empty, and
    where the table is too wide, the last ones first and those with `~~` only then, which a line below says. The texts
    of `flexible` columns are shortened in the middle where there is no room.
    """
    if is_quiet():
        return
    texts = [[safe(str(cell)) for cell in row] for row in rows]
    screen = _console()
    widths = _widths(columns, texts)
    kept, left_out = _fitting(columns, widths, screen.width, flexible)
    rooms = _rooms(widths, kept, screen.width, flexible)
    shown = [[_shortened(row[index], rooms[index]) for index in kept] for row in texts]
    _print(screen, [columns[index].lstrip("~") for index in kept], shown)
    if left_out:
        names = ", ".join(columns[index].lstrip("~>") for index in left_out)
        say(f"… no room for {names}; --json has them")


def _console() -> Console:
    """Return the console for standard output; what is no terminal is as wide as COLUMNS says, or has no limit."""
    from rich.console import Console

    asked = os.environ.get("COLUMNS", "")
    width = int(asked) if asked.isdigit() and int(asked) else None if sys.stdout.isatty() else _UNLIMITED
    return Console(highlight=False, width=width)


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
    """Return the width of each column; 0 for one that may be left out and is empty."""
    from rich.cells import cell_len

    widths = [max((cell_len(row[index]) for row in rows), default=0) for index in range(len(columns))]
    return [
        0 if not width and name.startswith("~") else max(width, cell_len(name.lstrip("~>")))
        for name, width in zip(columns, widths, strict=True)
    ]


def _fitting(
    columns: Sequence[str], widths: Sequence[int], width: int, flexible: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the columns that have room, and those that have not though they are not empty."""
    kept = [index for index, needed in enumerate(widths) if needed or not columns[index].startswith("~")]
    left_out: list[int] = []
    least = [min(needed, _LEAST) if index in flexible else needed for index, needed in enumerate(widths)]
    unneeded = [index for index in reversed(kept) if columns[index].startswith("~")]
    for index in sorted(unneeded, key=lambda index: columns[index].startswith("~~")):
        if sum(least[at] + _GAP for at in kept) - _GAP > width:
            kept.remove(index)
            left_out.append(index)
    return kept, sorted(left_out)


def _rooms(widths: Sequence[int], kept: Sequence[int], width: int, flexible: Sequence[int]) -> dict[int, int]:
    """Return the width of each column; the flexible ones share what the others leave, the first ones first."""
    rooms = {index: min(widths[index], _LEAST) if index in flexible else widths[index] for index in kept}
    spare = width - sum(rooms.values()) - _GAP * (len(kept) - 1)
    for index in flexible:
        if index in rooms:
            more = max(min(widths[index] - rooms[index], spare), min(_NARROWEST - rooms[index], 0))
            rooms[index] += more
            spare -= more
    return rooms


def _shortened(text: str, room: int) -> str:
    """Return a text with `…` for the middle of what there is no room for."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= room:
        return text
    head = set_cell_size(text, room // 2)
    tail = set_cell_size(text[::-1], room - 1 - room // 2)[::-1]
    return f"{head}…{tail}"
