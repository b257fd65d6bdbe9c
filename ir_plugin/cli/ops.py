"""`ir-plugin ops`: the known operations."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from difflib import get_close_matches

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.console import echo, say
from ir_plugin.cli.tables import print_table
from ir_plugin.errors import InputError
from ir_plugin.operations import opsets
from ir_plugin.operations.differences import DECLINED, FAULTY, FOLLOWED
from ir_plugin.operations.differences import differences as stated_differences
from ir_plugin.operations.registry import Definition, Registry, built_in

COLUMNS = ("operation", "family", "opsets", "state", "what it computes")


@click.command(cls=Command)
@click.argument("pattern", cls=Argument, default="", about="Only types that contain this, in any letter case.")
@options.json
@click.option("--markdown", is_flag=True, help="Print the page docs/operations.md.")
@click.option("--differences", is_flag=True, help="Print the page docs/differences.md.")
@options.quiet
def ops(pattern: str, json_: bool, markdown: bool, differences: bool) -> None:
    """List the known operations, and whether they run.

    These are the operations of OpenVINO's opsets and of installed plugins.
    """
    from ir_plugin.operations.plugins import load_plugins

    registry = Registry()
    load_plugins(registry)
    rows = [row for row in table(registry) if pattern.lower() in row[0].lower()]
    if not rows:
        raise InputError(_nothing(pattern, registry))
    if differences:
        echo(differences_page(registry), end="")
    elif markdown:
        echo(page(rows), end="")
    elif json_:
        click.echo(json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in rows], indent=1))
    else:
        print_table(COLUMNS[:4], [row[:4] for row in rows])
        say()
        say(_count(rows))


def _nothing(pattern: str, registry: Registry) -> str:
    types = {row[0].rpartition("-")[0].lower(): row[0].rpartition("-")[0] for row in table(registry)}
    near = [types[name] for name in get_close_matches(pattern.lower(), types, 3, 0.6)]
    help = f"; did you mean {' or '.join(near)}?" if near else "; `ir-plugin ops` lists all operations"
    return f"no operation has {pattern!r} in its name{help}"


def table(registry: Registry) -> list[tuple[str, ...]]:
    """Return a row for each definition: first the opsets', implemented or not, then the plugins'."""
    remaining = {definition.stem: definition for definition in registry.all()}
    rows: list[tuple[str, ...]] = []
    for row in sorted(opsets.rows(), key=lambda row: (row.type.lower(), row.introduced)):
        stem = f"{row.type}-{row.introduced}"
        opset_range = f"{row.introduced}" if row.last == row.introduced else f"{row.introduced}-{row.last}"
        definition = remaining.pop(stem, None)
        if definition is None:
            rows.append((stem, "", opset_range, "missing", ""))
        else:
            rows.append((stem, definition.family, opset_range, _state(definition), _summary(definition)))
    return rows + [
        (stem, definition.family, definition.version, _state(definition), _summary(definition))
        for stem, definition in remaining.items()
    ]


def _state(definition: Definition) -> str:
    ours = built_in().get((opsets.key(definition.type), definition.version))
    return "runs" if ours is not None and ours.cls is definition.cls else f"runs, by {definition.provider}"


def _summary(definition: Definition) -> str:
    text = inspect.getdoc(definition.cls) or ""
    return " ".join(text.split("\n\n")[0].split()).partition(" Specification:")[0]


def _count(rows: list[tuple[str, ...]]) -> str:
    running = sum(row[3] != "missing" for row in rows)
    types = len({row[0].rpartition("-")[0] for row in rows})
    definitions = "definition" if len(rows) == 1 else "definitions"
    kinds = "type" if types == 1 else "types"
    return f"{running} of {len(rows)} {definitions} of {types} {kinds} run{'s' if running == 1 else ''}"


def page(rows: list[tuple[str, ...]]) -> str:
    """Return the rows as a page of Markdown."""
    lines = [
        "# Operations",
        "",
        "Written by `ir-plugin ops --markdown`. A definition is named by its type and the opset that introduced it;",
        f"`opsets` are those that hold it. {_count(rows)}.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
    ]
    lines += [_table_row(row) for row in rows]
    return "\n".join(lines) + "\n"


def differences_page(registry: Registry) -> str:
    """Return the differences from the specification's pages as a page of Markdown."""
    lines = ["# Differences from the specification", "", *_DIFFERENCES_HEAD]
    differences = stated_differences(registry.all())
    for kind, title, text in _DIFFERENCES_PARTS:
        lines += ["", f"## {title}", "", text, "", "| operation | difference | example |", "|---|---|---|"]
        lines += [
            _table_row((", ".join(item.operations), item.text, item.example))
            for item in differences
            if item.kind == kind
        ]
    return "\n".join(lines) + "\n"


_DIFFERENCES_HEAD = (
    "Written by `ir-plugin ops --differences` from the docstrings of the operations. An IR is made by OpenVINO's tools",
    "for OpenVINO: where OpenVINO agrees with itself against the page of an operation, this library does as OpenVINO",
    "does. Where its CPU plugin alone departs, this library keeps to the page and to OpenVINO's reference.",
)
_DIFFERENCES_PARTS = (
    (
        FOLLOWED,
        "As OpenVINO, not the page",
        "This library computes what OpenVINO computes; the page says something else.",
    ),
    (
        DECLINED,
        "OpenVINO's CPU alone",
        "This library computes what the page says; OpenVINO's CPU gives something else.",
    ),
    (
        FAULTY,
        "OpenVINO's tokenizers alone",
        "This library gives what Hugging Face's tokenizers give, or an error; openvino-tokenizers 2026.4.1 does not.",
    ),
)


def _table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
