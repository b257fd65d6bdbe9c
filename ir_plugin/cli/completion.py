"""What a shell completes: the script that sets it up, and words and files for values of options."""

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


def words(*known: str) -> Completion:
    """Return a completion by some words."""
    return lambda _context, _parameter, begun: [CompletionItem(word) for word in known if word.startswith(begun)]


def files(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a file, which the shell does."""
    return [CompletionItem(begun, type="file")]


def _show(context: click.Context, _parameter: click.Parameter, wanted: str | None) -> None:
    if wanted is None or context.resilient_parsing:
        return
    shell = Path(os.environ.get("SHELL", "")).name if wanted == _GUESSED else wanted
    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        what = f"{shell!r} is none of {', '.join(SHELLS)}" if shell else "your shell is not known, as $SHELL is not set"
        help = "" if wanted == shell else f"; name it: --show-completion {SHELLS[0]}"
        raise click.BadParameter(what + help, param_hint="--show-completion")
    click.echo(found(context.command, {}, "ir-plugin", VARIABLE).source())
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
