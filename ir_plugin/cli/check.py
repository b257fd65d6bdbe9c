"""`ir-plugin check`: everything that is wrong with some models, in one run."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.completion import words
from ir_plugin.cli.console import ascii_xml, echo, is_quiet, progress, wants_color
from ir_plugin.cli.status import UNREADABLE, UNUSABLE, WRONG
from ir_plugin.diagnostics import CODES, Finding
from ir_plugin.diagnostics.render import FORMATS, render

if TYPE_CHECKING:
    from ir_plugin.operations.registry import Registry


@click.command(cls=Command)
@click.argument(
    "models",
    cls=Argument,
    metavar="MODEL…",
    nargs=-1,
    required=True,
    type=click.Path(readable=False),
    about="Files, folders, or patterns such as 'm/*.xml'.",
)
@click.option("--format", default="full", shell_complete=words(*FORMATS), help=f"One of {', '.join(FORMATS)}.")
@click.option("--output", type=options.FILE, help="Write the findings to this file.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--select", multiple=True, help="Only codes that begin so, e.g. IR1,IR302.")
@click.option("--ignore", multiple=True, help="No codes that begin so, e.g. IR405.")
@click.option("--fix", is_flag=True, help="Write what has one right answer into the files.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing.")
@click.option("--color/--no-color", default=None, help="Default: where a terminal reads; NO_COLOR, FORCE_COLOR.")
@click.option("--json", "json_", is_flag=True, help="As --format json.")
@options.quiet
def check(
    models: tuple[str, ...],
    format: str,
    output: Path | None,
    strict: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool,
    diff: bool,
    color: bool | None,
    json_: bool,
) -> None:
    """Say everything that is wrong with some IRs.

    They are held against schemas, structure, weights, and inferred shapes and types.

    --fix corrects declared dimensions and precisions that differ from the inferred ones, adds precisions that output
    ports lack, and corrects misspelled names and words and doubled port ids; all else in a file stays as it is. What is
    left to report is what is reported.

    The exit status is 0 where nothing is wrong, 1 where there is an error (with --strict: or a warning), 2 where the
    call itself is wrong or a file cannot be read or written.
    """
    chosen, left_out = _prefixes(select), _prefixes(ignore)
    format = "json" if json_ else format
    if format not in FORMATS:
        raise click.BadParameter(f"{format!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    files = list(_files(models))
    if fix or diff:
        _fix(files, write=fix and not diff, shown=diff)
        if diff:
            return
    findings = _kept(_check_all(files), chosen, left_out)
    if json_ or output is not None or not is_quiet():
        _show(findings, files, format, output, color)
    if any(finding.code == UNREADABLE for finding in findings):
        raise click.exceptions.Exit(UNUSABLE)
    if any(finding.severity == "error" or (strict and finding.severity == "warning") for finding in findings):
        raise click.exceptions.Exit(WRONG)


def _show(findings: list[Finding], files: list[Path], format: str, output: Path | None, color: bool | None) -> None:
    shown = color if color is not None else output is None and wants_color()
    text = render(findings, format, files=[str(file) for file in files], color=shown)
    if output is not None:
        from ir_plugin.writer.files import write_file

        write_file(output, text)
        return
    nothing = f"{len(files)} model{'' if len(files) == 1 else 's'} checked, nothing found\n"
    text = ascii_xml(text) if format == "junit" else text
    echo(nothing if format == "full" and not findings else text, end="", color=shown)


def _prefixes(options: Iterable[str]) -> tuple[str, ...]:
    """Return the beginnings of codes that options name, each of them one or several behind commas."""
    found = tuple(part.strip().upper() for option in options for part in option.split(",") if part.strip())
    for prefix in found:
        if not any(code.startswith(prefix) for code in CODES):
            raise click.BadParameter(f"no code begins with {prefix!r}; `ir-plugin explain` lists them")
    return found


def _files(models: Iterable[str]) -> Iterable[Path]:
    for model in models:
        path = Path(model)
        if os.path.isdir(model):
            found = sorted(path.rglob("*.xml"))
        elif os.path.exists(model) or not glob.has_magic(model):
            found = [path]
        else:
            found = sorted(Path(name) for name in glob.glob(model, recursive=True))
        if not found or not os.path.exists(found[0]):
            nothing = "no .xml is in" if os.path.isdir(model) else "there is no file"
            raise click.BadParameter(f"{nothing} {model!r}")
        yield from found


def _fix(files: Iterable[Path], *, write: bool, shown: bool) -> None:
    from ir_plugin.diagnostics.escape import escaped
    from ir_plugin.schema.catalogue import standard
    from ir_plugin.validation.fix import fix_file

    registry = _registry()
    for file in files:
        fixed = fix_file(file, registry, standard())
        if shown and fixed.is_changed:
            lines = fixed.diff().split("\n")
            echo("\n".join("\t".join(map(escaped, line.split("\t"))) for line in lines), end="")
        if write and fixed.is_changed:
            fixed.write()
            echo(escaped(f"{file}: fixed"), error=True)


def _check_all(files: list[Path]) -> list[Finding]:
    from ir_plugin.schema.catalogue import standard
    from ir_plugin.validation.check import check_ir

    registry = _registry()
    findings: list[Finding] = []
    for file in progress(files, "checking") if len(files) > 8 else files:
        findings += check_ir(file, None, registry, standard()).findings.sorted()
    return findings


def _registry() -> Registry:
    """Return the operations of this library and of installed plugins; what only runs models is not imported."""
    from ir_plugin.operations.registry import Registry
    from ir_plugin.plugins import load_plugins

    registry = Registry()
    load_plugins(registry)
    return registry


def _kept(findings: list[Finding], chosen: tuple[str, ...], left_out: tuple[str, ...]) -> list[Finding]:
    return [
        finding
        for finding in findings
        if (not chosen or finding.code.startswith(chosen)) and not (left_out and finding.code.startswith(left_out))
    ]
