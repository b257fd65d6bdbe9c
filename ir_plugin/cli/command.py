"""What click lacks: help for arguments, names of files where nothing else is to be completed, ranges without NaN."""

from __future__ import annotations

import math
from typing import Any

import click
from click.shell_completion import CompletionItem


class Argument(click.Argument):
    """An argument that help lists; before click 8.5 it lists options only."""

    def __init__(self, *args: Any, about: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.about = f"{about}  [required]" if self.required else about


class Real(click.FloatRange):
    """A real number of a range; NaN is neither below nor above a limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of a text."""
        found = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        return found


class Command(click.Command):
    """A command that lists its arguments and completes names of files."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        rows = [(one.human_readable_name, one.about) for one in self.params if isinstance(one, Argument)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete an option, or else a file's name: bash hands `-i images=x.npy` over in pieces."""
        return super().shell_complete(ctx, incomplete) or [CompletionItem(incomplete, type="file")]
