"""Write docs/codes.md: `python -m tests.docs.codes`."""

from __future__ import annotations

from pathlib import Path

from ir_plugin.diagnostics import CODES, Code
from ir_plugin.diagnostics.explain import page

PAGE = Path(__file__).parents[2] / "docs" / "codes.md"

_HEAD = """# Codes of findings

Written by `python -m tests.docs.codes` from the pages that `ir-plugin explain` prints. Of the {all} codes {errors} are
errors, {warnings} are warnings, and the others notes. Codes of IRs begin with IR, those of ONNX models with ON, and
those of folders of language models with LM. `check --select IR3` and `--ignore IR405` choose among them by how they
begin.

| code | severity | meaning |
|---|---|---|
{rows}
"""


def text() -> str:
    """Return the page of all codes: a table, then what `explain` says of each."""
    severities = [code.severity for code in CODES.values()]
    head = _HEAD.format(
        all=len(CODES),
        errors=severities.count("error"),
        warnings=severities.count("warning"),
        rows="\n".join(map(_row, CODES.values())),
    )
    return "\n".join([head, *(_section(name) for name in CODES)])


def _row(code: Code) -> str:
    return f"| [{code.id}](#{code.id.lower()}) | {code.severity} | {code.title} |"


def _section(name: str) -> str:
    title, body = page(name).strip().split("\n", 1)
    return f"#{title} {{#{name.lower()}}}\n\n*{CODES[name].severity}*\n{body}\n"


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
