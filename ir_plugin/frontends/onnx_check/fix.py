"""Fixes of an ONNX file: what has a single right answer is changed, everything else stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ir_plugin.diagnostics import Finding, Findings
from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.faults import require_onnx
from ir_plugin.frontends.onnx.reading import load_onnx
from ir_plugin.frontends.onnx_check.check import check_proto
from ir_plugin.frontends.onnx_check.collector import Collector, Fix
from ir_plugin.frontends.onnx_check.model_text import text_of
from ir_plugin.reader.document import read_bytes
from ir_plugin.validation.fix import FixedFile

_OF_TYPES = frozenset(["ON302", "ON303", "ON304"])
"""Codes of faults of declared types alone; with other errors the computed types are not trusted."""
_UNUSED = frozenset(["ON207"])
"""Codes of what is deleted only where there is no error, as a wrong name elsewhere can be why nothing reads it."""
_MAX_ROUNDS = 10


@dataclass(frozen=True)
class FixedOnnx(FixedFile):
    """An ONNX file before and after its fixes."""

    done: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> tuple[list[str], list[str]]:
        """Return the models before and after the fixes as lines of text."""
        from onnx import ModelProto

        before, after = (list(text_of(ModelProto.FromString(content))) for content in (self.before, self.after))
        return before, after

    def changes(self) -> list[tuple[str, str]]:
        """Return where the model is changed, and how."""
        return self.done


def fix_onnx(path: Path) -> FixedOnnx:
    """Return a file with the corrections of those faults that have one right answer.

    Structure comes first, then declared types, then what is not used. A step that introduces errors is discarded.
    """
    require_onnx()
    try:
        before = read_bytes(path)[0]
        proto, files = load_onnx(path)
    except Error:
        return FixedOnnx(path, b"", b"")
    first = current = Collector(str(path))
    check_proto(current, proto, files)
    after, done = before, list[tuple[str, str]]()
    for _ in range(_MAX_ROUNDS):
        changed = _apply(current)
        if not changed:
            break
        collector = Collector(str(path))
        check_proto(collector, proto, files)
        if not _is_better(collector.findings, current.findings):
            break
        current, after, done = collector, proto.SerializeToString(), [*done, *changed]
    return FixedOnnx(path, before, after, max(len(first.findings) - len(current.findings), 0), done)


def _apply(collector: Collector) -> list[tuple[str, str]]:
    """Change the model by the fixes of the first kind that changes anything; return where and what."""
    codes = {finding.code for finding in collector.findings.errors}
    kinds = [_chosen(collector, without=_OF_TYPES | _UNUSED)]
    if codes <= _OF_TYPES:
        kinds.append(_chosen(collector, only=_OF_TYPES))
    if not codes:
        kinds.append(_chosen(collector, only=_UNUSED))
    for fixes in kinds:
        changed = [(finding.span.path, text) for fix, finding in fixes.items() if (text := fix())]
        if changed:
            return changed
    return []


def _chosen(
    collector: Collector, only: Container[str] | None = None, without: Container[str] = ()
) -> dict[Any, Finding]:
    """Return each fix of findings of these codes with the first of them."""
    chosen: dict[Fix, Finding] = {}
    for finding, fix in collector.fixes:
        if finding.code not in without and (only is None or finding.code in only):
            chosen.setdefault(fix, finding)
    return chosen


def _is_better(after: Findings, before: Findings) -> bool:
    """Return whether there are no new errors but of declared types, which may be uncovered."""
    new, old = (
        Counter(item.code for item in findings.errors if item.code not in _OF_TYPES) for findings in (after, before)
    )
    return not new - old
