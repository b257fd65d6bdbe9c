"""`ir-plugin check`: all faults of models in one run."""

from __future__ import annotations

import glob
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.completion import words
from ir_plugin.cli.console import ascii_xml, echo, is_quiet, progress, terminal_width, wants_color
from ir_plugin.cli.status import UNREADABLE, UNUSABLE, WRONG
from ir_plugin.diagnostics import CODES, Finding, Span
from ir_plugin.diagnostics.escape import escaped
from ir_plugin.diagnostics.limits import DEFAULT_LIMITS, MAX_CHECKED_ELEMENTS, Limits
from ir_plugin.diagnostics.render import FORMATS, render
from ir_plugin.errors import Error, UnsupportedError
from ir_plugin.frontends import check_onnx, fix_onnx, is_onnx

if TYPE_CHECKING:
    from ir_plugin.operations.registry import Registry
    from ir_plugin.validation.fix import FixedFile

_COUNT = click.IntRange(min=1)
_MAX_CHANGES = 50
_MAX_NAMES = 4
_BEYOND_LIMITS = ("IR004", "ON005")
"""Codes of files that are not read further."""
_SUFFIXES = (".xml", ".onnx")
_NOT_ENTERED = ("build", "cmake-build-*", "dist", "node_modules", "venv")
"""Patterns of folders of tools inside a folder; hidden ones are not entered either."""


@dataclass(frozen=True)
class CheckArguments:
    """The arguments and options of `ir-plugin check`."""

    models: tuple[str, ...]
    format: str
    output: Path | None
    strict: bool
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    skip_other_xml: bool
    fix: bool
    diff: bool
    limit_bytes: int
    limit_layers: int
    limit_elements: int
    color: bool | None
    json_: bool

    @property
    def limits(self) -> Limits:
        """The limits of the options."""
        return Limits(self.limit_bytes, self.limit_layers, self.limit_elements)


@click.command(cls=Command)
@click.argument(
    "models",
    cls=Argument,
    metavar="MODEL…",
    nargs=-1,
    required=True,
    type=click.Path(readable=False),
    about="Files (.xml of an IR, .onnx), folders, or patterns such as 'm/*.xml'.",
)
@click.option("--format", default="full", shell_complete=words(*FORMATS), help=f"One of {', '.join(FORMATS)}.")
@click.option("--out", "-o", "--output", "output", type=options.FILE, help="Write the findings to this file.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--select", multiple=True, help="Only codes with these prefixes, e.g. IR1,IR302.")
@click.option("--ignore", multiple=True, help="No codes with these prefixes, e.g. IR405.")
@click.option("--skip-other-xml", is_flag=True, help="Skip files whose root element is not <net>.")
@click.option("--fix", is_flag=True, help="Fix in the files what has a single right answer.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing.")
@click.option("--limit-bytes", type=_COUNT, default=DEFAULT_LIMITS.bytes, help="The most bytes of a file.")
@click.option("--limit-layers", type=_COUNT, default=DEFAULT_LIMITS.layers, help="The most layers or nodes of a file.")
@click.option("--limit-elements", type=_COUNT, default=MAX_CHECKED_ELEMENTS, help="The most elements of a tensor.")
@click.option("--color/--no-color", default=None, help="Default: on a terminal; NO_COLOR, FORCE_COLOR.")
@click.option("--json", "json_", is_flag=True, help="As --format json.")
@options.quiet
@options.collected(CheckArguments)
def check(arguments: CheckArguments) -> None:
    """Report everything that is wrong with IR files and ONNX models.

    Checks schemas, structure, weights, and declared against inferred shapes and types. In a folder, hidden folders,
    build, dist, node_modules and venv are not entered, and files of other XML are one finding. In the folder of a
    language model, model, tokenizer, detokenizer and configurations are held against each other.

    --fix corrects declared dimensions and precisions that differ from the inferred ones, or the one attribute that
    makes them differ, adds missing precisions of output ports, and corrects misspelled names and words and repeated
    port ids; in ONNX models order, opsets, repeated names, declared types, locations, and what is not used. It
    changes nothing else, lists what it changes, and reports the remaining findings.

    The exit status is 0 without errors, 1 with an error (with --strict: or a warning), and 2 if the arguments are
    wrong or a file cannot be read or written.
    """
    selected, ignored = _prefixes(arguments.select), _prefixes(arguments.ignore)
    format = _format_of(arguments)
    files, missing = _files(arguments.models)
    files = [file for file in files if not (arguments.skip_other_xml and _is_other_xml(file))]
    if arguments.fix or arguments.diff:
        _fix(files, show_diff=arguments.diff)
        if arguments.diff:
            return
    checked = _check_all(files, arguments.limits) + _check_folders(files, arguments.models)
    findings = _filtered([*missing, *checked], selected, ignored)
    if format == "full":
        findings = _other_xml_once(findings, {str(file) for file in files} - set(arguments.models))
    if arguments.json_ or arguments.output is not None or not is_quiet():
        _show(findings, files, format, arguments)
    _exit_with_status(findings, arguments.strict)


def _format_of(arguments: CheckArguments) -> str:
    format = "json" if arguments.json_ else arguments.format
    if format not in FORMATS:
        raise click.BadParameter(f"{format!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    return format


def _exit_with_status(findings: list[Finding], strict: bool) -> None:
    if any(finding.code == UNREADABLE for finding in findings):
        raise click.exceptions.Exit(UNUSABLE)
    if any(finding.severity == "error" or (strict and finding.severity == "warning") for finding in findings):
        raise click.exceptions.Exit(WRONG)


def _show(findings: list[Finding], files: list[Path], format: str, arguments: CheckArguments) -> None:
    output, color = arguments.output, arguments.color
    shows_fixes = format == "full" and output is None and not arguments.fix
    fixable = _fixable(files, findings) if shows_fixes else 0
    width = terminal_width() if output is None else None
    use_color = color if color is not None else output is None and wants_color()
    text = render(findings, format, files=list(map(str, files)), color=use_color, width=width, fixable=fixable)
    if output is not None:
        from ir_plugin.writer.files import write_file

        write_file(output, text)
        return
    no_findings = f"{len(files)} model{'' if len(files) == 1 else 's'} checked, nothing found\n"
    text = ascii_xml(text) if format == "junit" else text
    echo(no_findings if format == "full" and not findings else text, end="", color=use_color)


def _prefixes(options: Iterable[str]) -> tuple[str, ...]:
    """Return the prefixes of codes in the comma-separated values of an option."""
    prefixes = tuple(part.strip().upper() for option in options for part in option.split(",") if part.strip())
    for prefix in prefixes:
        if not any(code.startswith(prefix) for code in CODES):
            raise click.BadParameter(f"no code begins with {prefix!r}; `ir-plugin explain` lists them")
    return prefixes


def _files(models: Iterable[str]) -> tuple[list[Path], list[Finding]]:
    """Return the files that arguments name, and a finding for each argument without a file."""
    files: list[Path] = []
    findings: list[Finding] = []
    for model in models:
        path = Path(model)
        if os.path.isdir(model):
            paths = sorted(_models_in(path))
        elif os.path.exists(model) or not glob.has_magic(model):
            paths = [path]
        else:
            paths = sorted(Path(name) for name in glob.glob(model, recursive=True))
        if not paths or not os.path.exists(paths[0]):
            missing = "no .xml and no .onnx is in" if os.path.isdir(model) else "there is no file"
            findings.append(_missing(f"{missing} {model!r}", model))
        else:
            files += paths
    return files, findings


def _missing(message: str, model: str) -> Finding:
    from ir_plugin.reader.missing import help_for_path

    return Finding.of(UNREADABLE, message, span=Span(model), help=help_for_path(model))


def _models_in(folder: Path) -> Iterator[Path]:
    """Yield the files with the suffix of a model in a folder and its subfolders, except folders of tools."""
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not _is_of_tools(name)]
        yield from (Path(path, name) for name in names if name.endswith(_SUFFIXES))


def _is_of_tools(folder: str) -> bool:
    return folder.startswith(".") or any(fnmatchcase(folder, pattern) for pattern in _NOT_ENTERED)


def _is_other_xml(file: Path) -> bool:
    from ir_plugin.reader.sniff import is_ir

    try:
        return not is_onnx(file) and not is_ir(file)
    except (Error, OSError):
        return False


def _other_xml_once(findings: list[Finding], inside: Container[str]) -> list[Finding]:
    """Return the findings, with one for all files inside folders that are other XML than an IR."""

    def is_other(finding: Finding) -> bool:
        return finding.code == "IR005" and finding.span.file in inside

    others = [finding for finding in findings if is_other(finding)]
    if not others:
        return findings
    first, help = others[0], "leave other XML out with --skip-other-xml"
    together = replace(first, help=help)
    if len(others) > 1:
        names = ", ".join(finding.span.file for finding in others[:_MAX_NAMES])
        more = f" and {len(others) - _MAX_NAMES} more" if len(others) > _MAX_NAMES else ""
        message = f"{len(others)} files have another root element than <net>, the root of an OpenVINO IR"
        together = Finding.of(
            "IR005", message, span=Span(first.span.file), because=f"they are {names}{more}", help=help
        )
    return [
        together if finding is first else finding for finding in findings if finding is first or not is_other(finding)
    ]


def _fix(files: Iterable[Path], *, show_diff: bool) -> None:
    """Write or show the fixes of files; a difference that needs an absent package is an error after all others."""
    registry, unread = _registry(), list[str]()
    for file in files:
        try:
            fixed = _fixed(file, registry)
        except UnsupportedError as fault:
            unread.append(f"{file}: {fault}")
            continue
        if fixed.is_changed and show_diff:
            lines = fixed.diff().split("\n")
            echo("\n".join("\t".join(map(escaped, line.split("\t"))) for line in lines), end="")
        elif fixed.is_changed:
            fixed.write()
            _list_changes(file, fixed.changes())
    if unread and show_diff:
        raise UnsupportedError("\n".join(unread))


def _fixable(files: Iterable[Path], findings: Iterable[Finding]) -> int:
    """Return the number of findings that --fix mends, but for files that are unreadable or beyond a limit."""
    listed = list(findings)
    unread = {finding.span.file for finding in listed if finding.code in (UNREADABLE, *_BEYOND_LIMITS)}
    faulty = {finding.span.file for finding in listed} - unread
    return sum(_fixed(file, _registry()).mended for file in files if str(file) in faulty)


def _fixed(file: Path, registry: Registry) -> FixedFile:
    """Return a file with its fixes; raises for an ONNX model without the package onnx."""
    from ir_plugin.schema.catalogue import standard
    from ir_plugin.validation.fix import fix_file

    return fix_onnx(file) if is_onnx(file) else fix_file(file, registry, standard())


def _list_changes(file: Path, changes: Sequence[tuple[str, str]]) -> None:
    for position, change in changes[:_MAX_CHANGES]:
        echo(escaped(f"{file}:{position}: fixed: {change}"), error=True)
    if len(changes) > _MAX_CHANGES:
        echo(escaped(f"{file}: {len(changes) - _MAX_CHANGES} more fixes"), error=True)


def _check_all(files: list[Path], limits: Limits) -> list[Finding]:
    registry = _registry()
    shown = progress(files, "checking") if len(files) > 8 else files
    return [finding for file in shown for finding in _check_file(file, registry, limits)]


def _check_folders(files: list[Path], models: Container[str]) -> list[Finding]:
    """Return the findings between the files of each folder of a language model among or inside the arguments."""
    from ir_plugin.reader.foreign import DETOKENIZER_FILE, MODEL_FILE, TOKENIZER_FILE

    names = {MODEL_FILE, TOKENIZER_FILE, DETOKENIZER_FILE}
    folders = dict.fromkeys(file.parent for file in files if file.name in names and str(file) not in models)
    if not folders:
        return []
    from ir_plugin.openvino.genai.check_folder import check_text_folder, is_text_folder

    return [finding for folder in folders if is_text_folder(folder) for finding in check_text_folder(folder)]


def _check_file(file: Path, registry: Registry, limits: Limits) -> list[Finding]:
    """Return the findings of a file; one that cannot be checked on this machine has a finding that says so."""
    from ir_plugin.schema.catalogue import standard
    from ir_plugin.validation.check import check_ir

    try:
        if is_onnx(file):
            report = check_onnx(file, limits)
        else:
            report = check_ir(file, None, registry, standard(), takes_layers=True, limits=limits)
    except UnsupportedError as fault:
        return [Finding.of(UNREADABLE, f"the file was not checked: {fault}", span=Span(str(file)))]
    return report.findings.sorted()


def _registry() -> Registry:
    """Return the operations of this library and of plugins, without importing the modules that run models."""
    from ir_plugin.operations.plugins import load_plugins
    from ir_plugin.operations.registry import Registry

    registry = Registry()
    load_plugins(registry)
    return registry


def _filtered(findings: list[Finding], selected: tuple[str, ...], ignored: tuple[str, ...]) -> list[Finding]:
    return [
        finding
        for finding in findings
        if (not selected or finding.code.startswith(selected)) and not (ignored and finding.code.startswith(ignored))
    ]
