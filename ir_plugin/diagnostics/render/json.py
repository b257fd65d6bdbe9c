r"""Findings as JSON, for programs.

The document has these keys, and keeps them as long as `version` is 1; keys may be added:

* `version`: 1
* `tool`: `name`, `version`
* `summary`: `errors`, `warnings`, `notes`: numbers
* `findings`: a list, each with
  * `code`, `severity` (`error`, `warning` or `note`), `title` (of the code), `message`
  * `file`, `line`, `column` (from 1; 0 where not known), `width`
  * `label`, `declared`, `inferred`, `because`, `help`: texts, empty where there is nothing to say
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
from ir_plugin.diagnostics.escape import ends, whole
from ir_plugin.diagnostics.finding import Finding, LayerRef
from ir_plugin.diagnostics.render.tool import NAME, tool_version

VERSION = 1


def to_json(findings: Iterable[Finding]) -> str:
    """Return the findings as one JSON document in ASCII, in the form this module describes."""
    shown = list(findings)
    counts = Counter(finding.severity for finding in shown)
    document = {
        "version": VERSION,
        "tool": {"name": NAME, "version": tool_version()},
        "summary": {"errors": counts["error"], "warnings": counts["warning"], "notes": counts["note"]},
        "findings": [_finding(finding) for finding in shown],
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, object]:
    span = finding.span
    code = CODES.get(finding.code)
    return {
        "code": whole(finding.code),
        "severity": finding.severity,
        "title": code.title if code else "",
        "message": whole(finding.message),
        "file": whole(span.file),
        "line": span.line,
        "column": span.column,
        "width": span.width,
        "label": whole(finding.label),
        "layer": _layer(finding.layer) if finding.layer else None,
        "declared": whole(finding.declared),
        "inferred": whole(finding.inferred),
        "because": whole(finding.because),
        "help": whole(finding.help),
    }


def _layer(layer: LayerRef) -> dict[str, object]:
    return {
        "id": whole(layer.id),
        "name": whole(layer.name),
        "type": whole(layer.type),
        "version": whole(layer.version),
        "part": whole(layer.part),
        "path": [whole(name) for name in ends(layer.path)],
    }
