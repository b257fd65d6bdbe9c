"""Findings as SARIF 2.1.0, which code hosts show at the lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePath

from ir_plugin.diagnostics.codes import CODES, Code
from ir_plugin.diagnostics.escape import json_text, safe, safe_layer, shorten_path
from ir_plugin.diagnostics.explain import meaning, page
from ir_plugin.diagnostics.finding import Finding
from ir_plugin.diagnostics.position import LayerRef, Span
from ir_plugin.diagnostics.render.text import word_of
from ir_plugin.diagnostics.render.tool import NAME, tool_version

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_INDEX = {code: index for index, code in enumerate(CODES)}
_ROOT = "%SRCROOT%"


def to_sarif(findings: Iterable[Finding]) -> str:
    """Return a SARIF run in ASCII, with every code as a rule and every finding as a result."""
    driver = {"name": NAME, "version": tool_version(), "rules": [_rule(code) for code in CODES.values()]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: Code) -> dict[str, object]:
    text = page(code.id)
    return {
        "id": code.id,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": meaning(code.id)},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": code.severity},
    }


def _result(finding: Finding) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": json_text(finding.code),
        "level": finding.severity,
        "message": _message(finding),
    }
    if finding.code in _INDEX:
        result["ruleIndex"] = _INDEX[finding.code]
    location: dict[str, object] = {}
    if finding.span.file:
        location["physicalLocation"] = _physical(finding.span)
    if finding.layer:
        location["logicalLocations"] = [_logical(finding.layer)]
    if location:
        result["locations"] = [location]
    notes = {
        "declared": finding.declared,
        "inferred": finding.inferred,
        "because": finding.because,
        "help": finding.help,
    }
    properties = {name: json_text(text) for name, text in notes.items() if text}
    if properties:
        result["properties"] = properties
    return result


def _message(finding: Finding) -> dict[str, str]:
    message = safe(finding.message, 1000)
    lines = [f"{message}: {safe(finding.label)}" if finding.label else message]
    if finding.layer:
        lines.append(f"{word_of(finding)}: {safe_layer(finding.layer)}")
    lines += [
        f"{name}: {safe(text, 1000)}" for name, text in (("because", finding.because), ("help", finding.help)) if text
    ]
    return {"text": "\n".join(lines)}


def _physical(span: Span) -> dict[str, object]:
    physical: dict[str, object] = {"artifactLocation": _artifact(span.file)}
    if span.line:
        region = {"startLine": span.line}
        if span.column:
            region |= {"startColumn": span.column, "endColumn": span.column + max(span.width, 1)}
        physical["region"] = region
    return physical


def _artifact(file: str) -> dict[str, object]:
    from urllib.parse import quote

    path = PurePath(file)
    text = path.as_posix()
    if path.is_absolute():
        return {"uri": f"file://{'' if text.startswith('/') else '/'}{quote(text, '/:', errors='surrogatepass')}"}
    return {"uri": quote(text, errors="surrogatepass"), "uriBaseId": _ROOT}


def _logical(layer: LayerRef) -> dict[str, object]:
    properties = {"id": layer.id, "type": layer.type, "version": layer.version, "part": layer.part}
    return {
        "name": json_text(layer.name),
        "fullyQualifiedName": json_text(" > ".join((*shorten_path(layer.path), layer.name))),
        "kind": "element",
        "properties": {name: json_text(text) for name, text in properties.items() if text},
    }
