"""Fixes of faults with a single right answer; every other byte of the file is preserved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from ir_plugin.diagnostics import Findings
from ir_plugin.errors import Error
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.registry import Registry
from ir_plugin.reader.document import Document, read_bytes
from ir_plugin.reader.edits import Editor
from ir_plugin.reader.reading import ElementOrigin
from ir_plugin.reader.spellings import fix_spellings
from ir_plugin.reader.weights import WeightsSource
from ir_plugin.schema import Catalogue
from ir_plugin.tensors import PartialShape
from ir_plugin.validation.changes import changes
from ir_plugin.validation.check import check_ir
from ir_plugin.writer.files import replacing

_OF_PORTS = frozenset(["IR302", "IR303", "IR304", "IR305", "IR105", "IR111"])
"""Codes of faults of ports alone; with other errors the inferred shapes are not trusted."""


@dataclass(frozen=True)
class FixedFile:
    """The content of a file before and after its fixes."""

    path: Path
    before: bytes
    after: bytes
    mended: int = 0
    """The number of findings that the fixes mend."""

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to fix."""
        return self.before != self.after

    def lines(self) -> tuple[list[str], list[str]]:
        """Return the lines before and after the fixes, with their ends."""
        before, after = (_lines(text.decode("utf-8", "replace")) for text in (self.before, self.after))
        return before, after

    def diff(self) -> str:
        """Return the unified diff, empty if nothing changes."""
        before, after = self.lines()
        lines = unified_diff(before, after, str(self.path), f"{self.path} (fixed)")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def changes(self) -> list[tuple[str, str]]:
        """Return the changed lines as their number and the part that changes."""
        return [(str(line), change) for line, change in changes(*self.lines())]

    def write(self) -> None:
        """Replace the file atomically."""
        with replacing(self.path, durable=True) as (file,):
            file.write(self.after)
            if self.path.read_bytes() != self.before:
                raise Error(f"{self.path} was changed by another program meanwhile; nothing is written")


def _lines(text: str) -> list[str]:
    """Return the lines with their ends, split at line feeds only."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def fix_file(path: Path, registry: Registry, catalogue: Catalogue, weights: WeightsSource = None) -> FixedFile:
    """Return a file with corrected spellings and port ids, and the inferred dimensions and precisions.

    An attribute that alone explains what its layer and those that read it declare is changed instead of their ports.
    A step that introduces or uncovers errors is discarded.
    """
    before = read_bytes(path)[0]
    if weights is None:
        default = path.with_suffix(".bin")
        weights = default if default.exists() else None

    def check(text: bytes) -> _Version:
        report = check_ir(text, weights, registry, catalogue)
        return _Version(text, report.findings, report.model)

    document = _document(before, str(path))
    if document is None:
        return FixedFile(path, before, before)
    first = current = check(before)
    respelled = fix_spellings(document, registry, catalogue)
    if respelled != before and _is_better((version := check(respelled)).findings, current.findings, _OF_PORTS):
        current = version
    edited = _fix_attributes(current)
    if edited is not None and len((version := check(edited)).findings.errors) < len(current.findings.errors):
        current = version
    with_ports = _fix_ports(current)
    if with_ports is not None and _is_better((version := check(with_ports)).findings, current.findings):
        current = version
    return FixedFile(path, before, current.text, max(len(first.findings) - len(current.findings), 0))


@dataclass(frozen=True)
class _Version:
    """A text of the file, its findings, and the model as far as it can be read."""

    text: bytes
    findings: Findings
    model: Model | None


def _document(data: bytes, file: str) -> Document | None:
    """Return the parsed file, or None if it cannot be parsed or is not in UTF-8, which edits would re-encode."""
    try:
        document = Document(data, file)
        root = document.root
    except Error:
        return None
    is_plain = document.source_map.data == data and root.tag == "net"
    return document if is_plain else None


def _is_better(after: Findings, before: Findings, besides: Container[str] = ()) -> bool:
    """Return whether there are no new errors, ignoring the codes in `besides`."""
    new, old = (
        Counter(item.code for item in findings.errors if item.code not in besides) for findings in (after, before)
    )
    return not new - old


def _fix_attributes(version: _Version) -> bytes | None:
    """Return the text with the attributes that alone explain what the ports of their layers declare."""
    edits = {
        (finding.layer.path, finding.layer.id): finding.edits[0]
        for finding in version.findings
        if finding.layer is not None and len(finding.edits) == 1
    }
    if version.model is None or not edits:
        return None
    editor: Editor | None = None
    for node in _ordered(version.model):
        edit, origin = edits.get((node.path, node.id)), node.origin
        data = origin.element.find("data") if isinstance(origin, ElementOrigin) else None
        if edit is not None and isinstance(origin, ElementOrigin) and data is not None:
            editor = editor or Editor(origin.document)
            editor.set_attribute(data, edit.name, edit.value)
    return editor.result() if editor is not None and len(editor) else None


def _fix_ports(version: _Version) -> bytes | None:
    """Return the text with inferred dimensions and precisions in all ports that contradict or lack them.

    There is none where an error is not one of ports alone.
    """
    is_of_ports = all(finding.code in _OF_PORTS and not finding.edits for finding in version.findings.errors)
    if version.model is None or not is_of_ports:
        return None
    editor: Editor | None = None
    for node in _ordered(version.model):
        origin = node.origin
        if not isinstance(origin, ElementOrigin):
            continue
        editor = editor or Editor(origin.document)
        for direction in ("input", "output"):
            _fix_direction(editor, origin, node, direction)
    return editor.result() if editor is not None and len(editor) else None


def _ordered(model: Model) -> Iterator[Node]:
    waiting = [model]
    while waiting:
        current = waiting.pop()
        yield from current.ordered()
        waiting += [subgraph.body for _, _, subgraph in current.bodies()]


def _fix_direction(editor: Editor, origin: ElementOrigin, node: Node, direction: str) -> None:
    elements = {str(port.get("id")): port for port in origin.element.iterfind(f"{direction}/port")}
    for port in node.inputs if direction == "input" else node.outputs:
        element = elements.get(str(port.port_id))
        if element is None:
            continue
        tensor = port.tensor_info
        precision = element.get("precision")
        unknown = port.declared.element_type is None and precision not in ("dynamic", "UNSPECIFIED", "undefined")
        is_writable = tensor.element_type.is_static and (precision is not None or isinstance(port, Output))
        if is_writable and (unknown or port.declared.element_type not in (None, tensor.element_type)):
            editor.set_attribute(element, "precision", tensor.element_type.precision)
        dims = _dims(tensor.shape)
        declared = port.declared.shape
        is_malformed = declared is None and element.find("dim") is not None
        if dims is not None and (is_malformed or (declared is not None and not declared.compatible(tensor.shape))):
            editor.set_dims(element, dims)


def _dims(shape: PartialShape) -> list[int] | None:
    """Return the lengths as a port writes them, -1 for an unknown one."""
    return None if shape.dims is None else [dim.lower if dim.is_static else -1 for dim in shape.dims]
