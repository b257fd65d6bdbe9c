"""Extensions of click: help for arguments, completion of file names, texts of UTF-8, ranges without NaN."""

from __future__ import annotations

import math
from typing import Any

import click
from click.shell_completion import CompletionItem


class Argument(click.Argument):
    """An argument with help, which click before 8.5 lists for options only."""

    def __init__(self, *args: Any, about: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.about = f"{about}  [required]" if self.required else about


class Real(click.FloatRange):
    """A real number within a range; NaN is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of a text."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        return number


class Utf8(click.types.StringParamType):
    """A text; an argument whose bytes are no UTF-8 is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text."""
        text = super().convert(value, param, ctx)
        try:
            text.encode()
        except UnicodeEncodeError as fault:
            self.fail(f"the character at position {fault.start} is no UTF-8.", param, ctx)
        return text


class Command(click.Command):
    """A command that lists its arguments and completes names of files."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        rows = [
            (argument.human_readable_name, argument.about) for argument in self.params if isinstance(argument, Argument)
        ]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete an option, or else a file name, as bash splits `-i images=x.npy` into pieces."""
        return super().shell_complete(ctx, incomplete) or [CompletionItem(incomplete, type="file")]
