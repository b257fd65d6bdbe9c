"""A finding: a fault of an IR as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import SupportsIndex, overload

from ir_plugin.diagnostics.codes import CODES, Severity


@dataclass(frozen=True)
class Span:
    """A range of `width` characters in a file; lines and columns count from 1, and line 0 is the whole file."""

    file: str = ""
    line: int = 0
    column: int = 0
    width: int = 0
    text: str = ""
    """The source line for display, empty if unknown."""
    path: str = ""
    """The graph and the node in a file without lines: `main_graph/conv1`."""


@dataclass(frozen=True)
class LayerRef:
    """The layer of a finding, and its part."""

    id: str
    name: str
    type: str
    version: str = ""
    part: str = ""
    """The port, dimension or attribute: `output port 1, dimension 3`, `attribute "axis"`."""
    path: tuple[str, ...] = ()
    """Names of the layers whose bodies lead to this layer, outermost first."""
    built: str = ""
    """The file and line of Python that built the layer, empty for a layer of a file."""

    def __str__(self) -> str:
        number = self.version.removeprefix("opset")
        shown = f"{self.type}-{number}" if number else self.type
        kind = f"id {self.id}, {shown}" if self.id else shown
        inside = "".join(f', in the body of "{name}"' for name in reversed(self.path))
        built = f", built at {self.built}" if self.built else ""
        return f'"{self.name}" ({kind}){", " + self.part if self.part else ""}{inside}{built}'


@dataclass(frozen=True)
class Finding:
    """A fault: its code, message, position, cause and help."""

    code: str
    message: str
    span: Span = Span()
    label: str = ""
    """The text under the carets: `declared 113, inferred 112`."""
    layer: LayerRef | None = None
    declared: str = ""
    inferred: str = ""
    because: str = ""
    help: str = ""
    severity: Severity = field(default="error")

    @staticmethod
    def of(
        code: str,
        message: str = "",
        *,
        span: Span = Span(),
        label: str = "",
        layer: LayerRef | None = None,
        declared: str = "",
        inferred: str = "",
        because: str = "",
        help: str = "",
        severity: Severity | None = None,
    ) -> Finding:
        """Return a finding whose severity and message default to those of its code."""
        entry = CODES[code]
        level = severity or entry.severity
        return Finding(code, message or entry.title, span, label, layer, declared, inferred, because, help, level)

    def _repr_html_(self) -> str:
        from ir_plugin.diagnostics.findings_html import findings_table

        return findings_table([self])


class Findings:
    """The findings of a run in the order of their creation."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._all = list(findings)
        self.error_count = len(self.errors)

    def add(self, finding: Finding) -> None:
        """Append a finding."""
        self._all.append(finding)
        self.error_count += finding.severity == "error"

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

        return findings_table(self._all)

    def __repr__(self) -> str:
        return f"<Findings: {', '.join(finding.code for finding in self) or 'none'}>"
