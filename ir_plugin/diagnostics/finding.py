"""A finding: a fault of an IR as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, SupportsIndex, overload

from ir_plugin.diagnostics.codes import CODES, Severity
from ir_plugin.diagnostics.position import WHOLE_RUN, LayerRef, Span


class AttributeEdit(NamedTuple):
    """Another value of an attribute of the finding's layer."""

    name: str
    value: str

    def __str__(self) -> str:
        return f'{self.name}="{self.value}"'


@dataclass(frozen=True)
class Finding:
    """A fault: its code, message, position, cause and help."""

    code: str
    message: str
    span: Span = WHOLE_RUN
    label: str = ""
    """The text under the carets: `declared 113, inferred 112`."""
    layer: LayerRef | None = None
    declared: str = ""
    inferred: str = ""
    because: str = ""
    help: str = ""
    severity: Severity = field(default="error")
    edits: tuple[AttributeEdit, ...] = ()
    """The changes of one attribute that would each mend it."""

    @staticmethod
    def of(
        code: str,
        message: str = "",
        *,
        span: Span = WHOLE_RUN,
        label: str = "",
        layer: LayerRef | None = None,
        declared: str = "",
        inferred: str = "",
        because: str = "",
        help: str = "",
        severity: Severity | None = None,
    ) -> Finding:
        """Return a finding; severity and message default to the code's."""
        entry = CODES[code]
        level = severity or entry.severity
        return Finding(code, message or entry.title, span, label, layer, declared, inferred, because, help, level)

    def cells(self) -> tuple[str, ...]:
        """Return the severity with the code, the line, the layer, what is wrong, and the help."""
        wrong = "; ".join(text for text in (self.message, self.label, self.because) if text)
        layer = "" if self.layer is None else str(self.layer)
        return f"{self.severity}[{self.code}]", str(self.span.line or ""), layer, wrong, self.help

    def _repr_html_(self) -> str:
        from ir_plugin.diagnostics.findings_html import findings_table

        return findings_table([self.cells()])


class Findings:
    """The findings of a run in the order of their creation."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._all = list(findings)
        self.error_count = len(self.errors)

    def add(self, finding: Finding) -> None:
        """Append a finding."""
        self._all.append(finding)
        self.error_count += finding.severity == "error"

    def extend(self, findings: Iterable[Finding]) -> None:
        """Append several findings."""
        for finding in findings:
            self.add(finding)

    @property
    def errors(self) -> list[Finding]:
        """The findings of severity error."""
        return [finding for finding in self._all if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        """The findings of severity warning."""
        return [finding for finding in self._all if finding.severity == "warning"]

    def sorted(self) -> list[Finding]:
        """Return the findings sorted by position in the file."""
        return sorted(self._all, key=lambda item: (item.span.file, item.span.line, item.span.column, item.code))

    def __copy__(self) -> Findings:
        return Findings(self._all)

    @overload
    def __getitem__(self, position: SupportsIndex) -> Finding: ...
    @overload
    def __getitem__(self, position: slice) -> list[Finding]: ...
    def __getitem__(self, position: SupportsIndex | slice) -> Finding | list[Finding]:
        return self._all[position]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def _repr_html_(self) -> str:
        from ir_plugin.diagnostics.findings_html import findings_table

        return findings_table([finding.cells() for finding in self])

    def __repr__(self) -> str:
        return f"<Findings: {', '.join(finding.code for finding in self) or 'none'}>"
