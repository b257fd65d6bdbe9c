"""Reads the configuration files of a folder, and tells where a value stands in them."""

from __future__ import annotations

import codecs
import json
import os
import re
from pathlib import Path
from typing import Any

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.errors import ReadError
from ir_plugin.reader.missing import help_for_path

TEMPLATE_FILE = "chat_template.jinja"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_COLON = re.compile(r"\s*:")


def read_json(path: Path) -> dict[str, Any]:
    """Return the content of a configuration file, an empty dictionary where there is none."""
    if not os.path.lexists(path):
        return {}
    text = read_text(path)
    try:
        content = json.loads(text)
    except json.JSONDecodeError as fault:
        reason = f"is not a JSON file: {fault}"
        raise _malformed(path, reason, line_span(path, text, fault.lineno, fault.colno)) from None
    except (ValueError, RecursionError) as fault:
        raise _malformed(path, f"cannot be read as JSON: {fault}", Span(str(path))) from None
    if not isinstance(content, dict):
        reason = f"holds a {type(content).__name__}; a JSON object is needed"
        raise _malformed(path, reason, line_span(path, text, 1))
    return content


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark."""
    try:
        return path.read_text("utf-8-sig")
    except OSError as fault:
        reason = f"cannot be read: {fault.strerror}; {help_for_path(path)}"
        raise _malformed(path, reason, Span(str(path))) from None
    except UnicodeDecodeError as fault:
        if fault.object.startswith(_UTF16):
            raise _malformed(path, "is UTF-16; UTF-8 is needed", Span(str(path))) from None
        line = fault.object.count(b"\n", 0, fault.start) + 1
        raise _malformed(path, f"is not UTF-8: {fault.reason} in line {line}", Span(str(path), line)) from None


def _malformed(path: Path, reason: str, span: Span) -> ReadError:
    finding = Finding.of("LM002", f"the configuration cannot be used: it {reason}", span=span)
    return ReadError(f"{path} {reason}", [finding])


def key_span(path: Path, key: str) -> Span:
    """Return where a key of the object in a JSON file stands, the whole file where it has none."""
    text, depth, offset = read_text(path), 0, None
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
        elif depth == 1 and _COLON.match(text, token.end()) and json.loads(token[0]) == key:
            offset, width = token.start(), len(token[0])
    return Span(str(path)) if offset is None else offset_span(path, text, offset, width)


def template_span(path: Path, line: int = 0) -> Span:
    """Return where a line of the chat template in a file stands, or the template as a whole where that is unknown."""
    if path.suffix == ".json":
        return key_span(path, "chat_template")
    text = read_text(path)
    if path.name == TEMPLATE_FILE:
        return line_span(path, text, line) if line else Span(str(path))
    return _element_span(path, text, "chat_template")


def element_span(path: Path, name: str) -> Span:
    """Return where the first element with a name stands in XML, the whole file where it has none."""
    return _element_span(path, read_text(path), name)


def _element_span(path: Path, text: str, name: str) -> Span:
    start = f"<{name}"
    offset = text.find(start)
    return Span(str(path)) if offset < 0 else offset_span(path, text, offset, len(start))


def offset_span(path: Path, text: str, offset: int, width: int = 1) -> Span:
    """Return the position of some characters of a file's text."""
    before = text.rfind("\n", 0, offset)
    return line_span(path, text, text.count("\n", 0, offset) + 1, offset - before, width)


def line_span(path: Path, text: str, line: int, column: int = 1, width: int = 1) -> Span:
    """Return the position of a line of a file's text, the last one at most."""
    lines = text.split("\n")
    number = min(line, len(lines))
    return Span(str(path), number, column, width, lines[number - 1])
