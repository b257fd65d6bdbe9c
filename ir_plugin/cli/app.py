"""The application: one typer command a verb."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ir_plugin import __version__
from ir_plugin.cli.options import ModelPath
from ir_plugin.errors import Error

app = typer.Typer(
    name="ir-plugin",
    help="Load, validate, explain and run OpenVINO IR with NumPy.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

__all__ = ["ModelPath", "app", "commands", "run"]


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"ir-plugin {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    del version


def commands() -> typer.Typer:
    """Return the application with all its commands."""
    from ir_plugin.cli import benchmark, check, compare, dump, explain, graph, info, ops, profile, run_model

    if not app.registered_commands:
        for module in (check, info, run_model, dump, compare, profile, benchmark, graph, ops, explain):
            module.register(app)
    return app


def run() -> None:
    """Run the command line; an error of ours is printed without a traceback and ends with status 1."""
    try:
        commands()()
    except Error as fault:
        from ir_plugin.diagnostics.escape import escaped

        text = "\n".join(escaped(line) for line in str(fault).splitlines())
        typer.echo(f"error: {text}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(1)
