"""Shell completion: the set-up script, and words and files as values of options."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

VARIABLE = "_IR_PLUGIN_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_GUESSED = "$SHELL"

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def words(*choices: str) -> Completion:
    """Return a completion that offers the choices."""
    return lambda _context, _parameter, prefix: [CompletionItem(word) for word in choices if word.startswith(prefix)]


def files(_context: click.Context, _parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    """Leave the completion of a file name to the shell."""
    return [CompletionItem(prefix, type="file")]


def _show(context: click.Context, _parameter: click.Parameter, requested: str | None) -> None:
    if requested is None or context.resilient_parsing:
        return
    shell = Path(os.environ.get("SHELL", "")).name if requested == _GUESSED else requested
    completion = get_completion_class(shell) if shell in SHELLS else None
    if completion is None:
        reason = (
            f"{shell!r} is not one of {', '.join(SHELLS)}" if shell else "your shell is not known, as $SHELL is not set"
        )
        help = "" if requested == shell else f"; name it: --show-completion {SHELLS[0]}"
        raise click.BadParameter(reason + help, param_hint="--show-completion")
    click.echo(completion(context.command, {}, "ir-plugin", VARIABLE).source())
    context.exit()


show_completion = click.option(
    "--show-completion",
    metavar="[SHELL]",
    is_flag=False,
    flag_value=_GUESSED,
    is_eager=True,
    expose_value=False,
    callback=_show,
    shell_complete=words(*SHELLS),
    help=f"Print the completion script for one of {', '.join(SHELLS)}; default: your shell.",
)
