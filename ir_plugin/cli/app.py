"""The application: a group of verbs, each a module imported on demand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from ir_plugin import __version__
from ir_plugin.cli.completion import VARIABLE, show_completion
from ir_plugin.cli.console import echo, fitted_error, fitted_line, terminal_width
from ir_plugin.cli.status import INTERRUPTED, UNUSABLE, status_of
from ir_plugin.cli.streams import abandon_output, prepare_streams
from ir_plugin.errors import Error

__all__ = ["VERBS", "app", "run"]

_HEAD = "Error: "
"""What click writes before a message about the command line."""

VERBS = {
    "check": "check",
    "info": "info",
    "run": "run_model",
    "map": "map_model",
    "serve": "serve",
    "dump": "dump",
    "compare": "compare",
    "profile": "profile",
    "benchmark": "benchmark",
    "warm": "warm",
    "graph": "graph",
    "convert": "convert",
    "report": "report",
    "cut": "cut",
    "reduce": "reduce",
    "simplify": "simplify",
    "diff": "diff",
    "ops": "ops",
    "explain": "explain",
    "tokenize": "tokenize",
    "generate": "generate",
    "chat": "chat",
}


class Verbs(click.Group):
    """The group of commands, which imports a command's module on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the help."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a verb."""
        del ctx
        if cmd_name not in VERBS:
            return None
        command: click.Command = getattr(import_module(f"ir_plugin.cli.{VERBS[cmd_name]}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command and its arguments, or raise with the verb that may be meant."""
        if args[0] in VERBS or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        near = " or ".join(map(repr, get_close_matches(args[0], VERBS)))
        raise click.UsageError(f"No such command {args[0]!r}." + (f" Did you mean {near}?" if near else ""), ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help and exit with status 2."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True, color=ctx.color)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the arguments before the verb."""
        with _escaped_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Parse the arguments after the verb, and run it."""
        with _escaped_errors():
            return super().invoke(ctx)


@contextmanager
def _escaped_errors() -> Iterator[None]:
    """Escape and wrap error messages about the command line, and exit silently on an interrupt."""
    try:
        yield
    except click.UsageError as fault:
        message = fitted_line(fault.format_message(), _HEAD).removeprefix(_HEAD)
        raise click.UsageError(message, fault.ctx) from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


@click.group("ir-plugin", cls=Verbs, context_settings={"show_default": True, "help_option_names": ["-h", "--help"]})
@click.version_option(
    __version__, prog_name="ir-plugin", message="%(prog)s %(version)s", help="Print the version and exit."
)
@show_completion
def app() -> None:
    """Load, validate, explain and run OpenVINO IR with NumPy."""


def run() -> None:
    """Run the command line; an `Error` is printed without a traceback, with the exit status of `status_of`."""
    prepare_streams()
    try:
        try:
            app(complete_var=VARIABLE)
        finally:
            sys.stdout.flush()
    except Error as fault:
        _fail(_fitted(fault), status_of(fault))
    except MemoryError:
        _fail("there is not enough memory", UNUSABLE)
    except BrokenPipeError:
        abandon_output()
        sys.exit(1)
    except OSError as fault:
        abandon_output()
        subject = "the output cannot be written" if fault.filename is None else str(fault.filename)
        _fail(f"{subject}: {fault.strerror or fault}", UNUSABLE)


def _fitted(fault: Error) -> str:
    """Return an error's text, the findings in it as wide as the terminal."""
    width = terminal_width(error=True)
    if width is None or not fault.findings:
        return str(fault)
    from ir_plugin.diagnostics.render import render

    errors = [finding for finding in fault.findings if finding.severity == "error"]
    return str(fault).replace(render(errors).rstrip(), render(errors, width=width).rstrip())


def _fail(message: str, status: int) -> NoReturn:
    """Print an error if possible, its first line in lines that fit the terminal, and exit with a status."""
    with suppress(OSError):
        echo(fitted_error(message, "error: "), error=True)
    sys.exit(status)
