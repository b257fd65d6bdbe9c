r"""Findings as JSON for programs.

The document has these keys, and keeps them as long as `version` is 1; keys may be added:

* `version`: 1
* `tool`: `name`, `version`
* `summary`: `errors`, `warnings`, `notes`: numbers
* `findings`: a list, each with
  * `code`, `severity` (`error`, `warning` or `note`), `title` (of the code), `message`
  * `file`, `line`, `column` (from 1; 0 where not known), `width`
  * `label`, `declared`, `inferred`, `because`, `help`: texts, possibly empty
  * `layer`: null, or `id`, `name`, `type`, `version`, `part`, and `path`: a list of the names of the layers whose
    bodies lead to it, outermost first

Texts longer than 4096 characters have `…` for their middle, paths longer than 64 for theirs; lone surrogates are
written as text, `\udcff`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from ir_plugin.diagnostics.codes import CODES
from ir_plugin.diagnostics.escape import json_text, shorten_path
from ir_plugin.diagnostics.finding import Finding
from ir_plugin.diagnostics.position import LayerRef
from ir_plugin.diagnostics.render.tool import NAME, tool_version

VERSION = 1


def to_json(findings: Iterable[Finding]) -> str:
    """Return the findings as a JSON document in ASCII, in the format described by this module."""
    ordered = list(findings)
    counts = Counter(finding.severity for finding in ordered)
    document = {
        "version": VERSION,
        "tool": {"name": NAME, "version": tool_version()},
        "summary": {"errors": counts["error"], "warnings": counts["warning"], "notes": counts["note"]},
        "findings": [_finding(finding) for finding in ordered],
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, object]:
    span = finding.span
    code = CODES.get(finding.code)
    return {
        "code": json_text(finding.code),
        "severity": finding.severity,
        "title": code.title if code else "",
        "message": json_text(finding.message),
        "file": json_text(span.file),
        "line": span.line,
        "column": span.column,
        "width": span.width,
        "label": json_text(finding.label),
        "layer": _layer(finding.layer) if finding.layer else None,
        "declared": json_text(finding.declared),
        "inferred": json_text(finding.inferred),
        "because": json_text(finding.because),
        "help": json_text(finding.help),
    }


def _layer(layer: LayerRef) -> dict[str, object]:
    return {
        "id": json_text(layer.id),
        "name": json_text(layer.name),
        "type": json_text(layer.type),
        "version": json_text(layer.version),
        "part": json_text(layer.part),
        "path": [json_text(name) for name in shorten_path(layer.path)],
    }
