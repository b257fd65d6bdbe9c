"""Write docs/onnx-operators.md: `python -m tests.onnx.operators`."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from onnx import ModelProto, defs, load

from ir_plugin.frontends.onnx.registry import translator, translators
from ir_plugin.frontends.onnx.walking import all_nodes
from tests.onnx.cases import cases, unlike
from tests.onnx.converted import OWN, reasons
from tests.onnx.report import DECIDED

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "onnx-operators.md"
_HEAD = """# ONNX operators

Written by `python -m tests.onnx.operators` from the schemas of the package `onnx`, the translators of this library and
the results of its tests. Of {operators} operators in {versions} versions, {translated} versions are translated,
{functions} are expanded by the functions that define them in ONNX, and {missing} are not supported. {passed} of ONNX's
{all} backend tests have ONNX's result. The page [ONNX's node tests](onnx-nodes.md) has another
subject: what this library computes for the IRs that OpenVINO makes of these tests.

* **versions**: those of the operator's schema; in brackets those that are not supported
* **by**: a *translator* into operations of the opsets, or the *function* of the operator's schema
* **cases**: ONNX's backend tests whose models have the operator, and how many of them have ONNX's result
* **tests**: files of `tests/onnx` that name the operator
"""


_CONVERTED = """
## The converted IRs in OpenVINO

`python -m tests.onnx.converted` writes the IR of each case as `ir-plugin convert` does, reads it with OpenVINO,
and compares numbers, shapes, types and tensor names. Of {runs} cases OpenVINO's CPU computes our outputs. {own} IRs
have operations of this library's `extension` opset, or element types that OpenVINO lacks. {others} cases differ:
"""


class Version(NamedTuple):
    """A version of an operator's schema, and what supports it: a translator, a function or nothing."""

    number: int
    support: str


def operators() -> dict[tuple[str, str], list[Version]]:
    """Return the versions of all operators, by domain and name."""
    versions: dict[tuple[str, str], list[Version]] = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        versions[schema.domain, schema.name].append(Version(schema.since_version, _support(schema)))
    for known in translators():
        if (known.domain, known.type) not in versions or known.domain not in _domains():
            versions[known.domain, known.type].append(Version(known.since, "translator"))
    return {key: sorted(versions[key]) for key in sorted(versions, key=lambda key: (key[0], key[1].lower()))}


@cache
def _domains() -> set[str]:
    return {schema.domain for schema in defs.get_all_schemas_with_history()}


def _support(schema: Any) -> str:
    if translator(schema.domain, schema.name, schema.since_version) is not None:
        return "translator"
    return "function" if schema.has_function or schema.has_context_dependent_function else ""


@cache
def cases_of() -> dict[tuple[str, str], list[str]]:
    """Return the names of the cases whose models have an operator."""
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, case in cases().items():
        model = case.model()
        proto = model if isinstance(model, ModelProto) else load(model, load_external_data=False)
        nodes = [*proto.graph.node, *(node for function in proto.functions for node in function.node)]
        for key in {(node.domain, node.op_type) for node in all_nodes(nodes)}:
            names[key].append(name)
    return names


@cache
def _words() -> dict[str, set[str]]:
    """Return the quoted words of each test file."""
    return {path.stem: set(re.findall(r'["\' ]([A-Z]\w+)["\'(]', path.read_text("utf-8")))
            for path in sorted(HERE.rglob("test_*.py"))}  # fmt: skip


def text() -> str:
    """Return the page as Markdown."""
    warnings.simplefilter("ignore")
    known, wrong = operators(), unlike()
    supports = [version.support for versions in known.values() for version in versions]
    head = _HEAD.format(
        operators=len(known), versions=len(supports), translated=supports.count("translator"),
        functions=supports.count("function"), missing=supports.count(""), passed=len(cases()) - len(wrong),
        all=len(cases()),
    )  # fmt: skip
    lines = [head]
    for domain in dict.fromkeys(domain for domain, _ in known):
        lines += [
            f"\n## {domain or 'ai.onnx'}\n",
            "| operator | versions | by | cases | tests |",
            "|---|---|---|---|---|",
        ]
        lines += [_row(key, versions, wrong) for key, versions in known.items() if key[0] == domain]
    lines += ["\n## Cases with another result, and why\n", "| case | reason |", "|---|---|"]
    lines += [f"| {name} | {_cell(reason)} |" for name, reason in sorted(wrong.items())]
    return "\n".join([*lines, *_converted()]) + "\n"


def _converted() -> list[str]:
    """Return the section on the IRs of the cases in OpenVINO."""
    known = reasons()
    own = sum(reason.startswith(OWN) for reason in known.values())
    runs = len(cases()) - len(unlike()) - len(known)
    differing: dict[str, list[str]] = defaultdict(list)
    for name, reason in sorted(known.items()):
        if not reason.startswith(OWN):
            differing[reason.removeprefix(DECIDED).strip()].append(name)
    text = _CONVERTED.format(runs=runs, own=own, others=len(known) - own)
    rows = [f"| {', '.join(names)} | {_cell(reason)} |" for reason, names in sorted(differing.items())]
    return [text, "| cases | why OpenVINO's CPU differs |", "|---|---|", *rows]


def _row(key: tuple[str, str], versions: list[Version], wrong: dict[str, str]) -> str:
    numbers = ", ".join(str(version.number) if version.support else f"({version.number})" for version in versions)
    by = " and ".join(sorted({version.support for version in versions} - {""}, reverse=True)) or "not supported"
    names = cases_of().get(key, [])
    passed = sum(name not in wrong for name in names)
    tests = ", ".join(stem for stem, words in _words().items() if key[1] in words)
    return f"| {key[1]} | {numbers} | {by} | {f'{passed} of {len(names)}' if names else ''} | {tests} |"


def _cell(reason: str) -> str:
    return " ".join(reason.replace("|", "\\|").replace("<", "&lt;").split())


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
