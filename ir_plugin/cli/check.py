"""`ir-plugin check`: everything that is wrong with some models, in one run."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from ir_plugin.cli.console import progress
from ir_plugin.diagnostics import CODES, Finding
from ir_plugin.diagnostics.render import FORMATS, render


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def check(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL…", help="Files, folders, or patterns such as 'm/*.xml'.")
    ],
    format: Annotated[str, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = "full",
    output: Annotated[Path | None, typer.Option(help="Write the findings to this file.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    select: Annotated[list[str] | None, typer.Option(help="Only codes that begin so, e.g. IR3.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="No codes that begin so, e.g. IR405.")] = None,
    color: Annotated[bool | None, typer.Option("--color/--no-color", help="Default: where a terminal reads.")] = None,
) -> None:
    """Check IRs against schemas, structure, weights, and inferred shapes and types.

    The exit status is 0 where nothing is wrong, 1 where there is an error (with --strict: or a warning), 2 where the
    call itself is wrong or there is no such file.
    """
    _require_codes([*(select or ()), *(ignore or ())])
    if format not in FORMATS:
        raise typer.BadParameter(f"{format!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    files = list(_files(models))
    findings = _kept(_check_all(files), tuple(select or ()), tuple(ignore or ()))
    shown = color if color is not None else output is None and sys.stdout.isatty()
    text = render(findings, format, files=[str(file) for file in files], color=shown)
    if output is not None:
        output.write_text(text, "utf-8")
    else:
        typer.echo(text, nl=False)
        if format == "full" and not findings:
            typer.echo(f"{len(files)} model{'' if len(files) == 1 else 's'} checked, nothing found")
    if any(finding.severity == "error" or (strict and finding.severity == "warning") for finding in findings):
        raise typer.Exit(1)


def _require_codes(prefixes: Iterable[str]) -> None:
    for prefix in prefixes:
        if not any(code.startswith(prefix.upper()) for code in CODES):
            raise typer.BadParameter(f"no code begins with {prefix!r}; `ir-plugin explain` lists them")


def _files(models: Iterable[str]) -> Iterable[Path]:
    for model in models:
        path = Path(model)
        if path.is_dir():
            found = sorted(path.rglob("*.xml"))
        elif path.exists() or not glob.has_magic(model):
            found = [path]
        else:
            found = sorted(Path(name) for name in glob.glob(model, recursive=True))
        if not found or not found[0].exists():
            raise typer.BadParameter(f"there is no file {model!r}" if not path.is_dir() else f"no .xml is in {model!r}")
        yield from found


def _check_all(files: list[Path]) -> list[Finding]:
    from ir_plugin.api import Core

    core = Core()
    findings: list[Finding] = []
    for file in progress(files, "checking") if len(files) > 8 else files:
        findings += core.validate(file).findings.sorted()
    return findings


def _kept(findings: list[Finding], select: tuple[str, ...], ignore: tuple[str, ...]) -> list[Finding]:
    chosen = tuple(prefix.upper() for prefix in select)
    left_out = tuple(prefix.upper() for prefix in ignore)
    return [
        finding
        for finding in findings
        if (not chosen or finding.code.startswith(chosen)) and not (left_out and finding.code.startswith(left_out))
    ]
