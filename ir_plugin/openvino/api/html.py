"""Small tables for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from ir_plugin.diagnostics.escape import safe
from ir_plugin.model import Model, Node, Output
from ir_plugin.tensors import Array, ElementType

_MAX_TYPES = 8
_MAX_ARRAYS = 100


def model_table(model: Model, inputs: Sequence[Output], outputs: Sequence[Output]) -> str:
    """Return a table of a model's inputs, outputs and layers as HTML."""
    nodes = model.ordered()
    title = f"<b>{_text(model.name or 'Model')}</b>, IR version {model.version}, {len(nodes)} layers"
    rows = [_port("input", port) for port in inputs] + [_port("output", port) for port in outputs]
    return _table(title, ("", "name", "type", "shape"), rows, _counts(nodes))


def array_table(title: str, arrays: Mapping[str, Array]) -> str:
    """Return a table of at most a hundred arrays by name, with statistics of their values, as HTML."""
    rows = [_array(name, array) for name, array in islice(arrays.items(), _MAX_ARRAYS)]
    rest = len(arrays) - len(rows)
    columns = ("name", "type", "shape", "min", "mean", "max", "not finite")
    return _table(f"<b>{_text(title)}</b>", columns, rows, f"{rest} more" if rest > 0 else "")


def _table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str]], note: str) -> str:
    """Return a table as HTML; the title is HTML already."""
    head = "".join(f'<th style="text-align:left">{word}</th>' for word in columns)
    cells = ("".join(f"<td style=text-align:left>{_text(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{title}{table}<small>{_text(note)}</small></div>"


def _text(text: str) -> str:
    return escape(safe(text, 400))


def _port(kind: str, port: Output) -> tuple[str, ...]:
    names = ", ".join(sorted(port.names)) or port.node.name
    return kind, names, port.element_type.name, str(port.partial_shape)


def _array(name: str, array: Any) -> tuple[str, ...]:
    if not isinstance(array, np.ndarray):
        length = f"[{len(array)}]" if isinstance(array, (list, dict)) else ""
        return name, array.__class__.__name__, length, "", "", "", ""
    shape = f"[{','.join(map(str, array.shape))}]"
    kind = array.dtype.kind
    type = "string" if kind in "OUS" else ElementType.from_dtype(array.dtype).name
    if array.size == 0 or kind in "OUS":
        return name, type, shape, "", "", "", ""
    values = array.astype(np.float64)
    finite = values[np.isfinite(values)]
    with np.errstate(all="ignore"):
        spread = (finite.min(), finite.mean(), finite.max()) if finite.size else ()
    shown = [f"{value:.4g}" for value in spread] or ["", "", ""]
    return name, type, shape, *shown, str(values.size - finite.size or "")


def _counts(nodes: Sequence[Node]) -> str:
    counts = Counter(node.get_type_name() for node in nodes).most_common()
    shown = [f"{count} {type}" for type, count in counts[:_MAX_TYPES]]
    rest = sum(count for _, count in counts[_MAX_TYPES:])
    return ", ".join([*shown, *([f"{rest} others"] if rest else [])])
