"""Small tables for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from ir_plugin.model import Model, Node, Output

_MOST_TYPES = 8


def model_table(model: Model, inputs: Sequence[Output], outputs: Sequence[Output]) -> str:
    """Return a table of a model's inputs, outputs and layers as HTML."""
    nodes = model.ordered()
    rows = [_row("input", port) for port in inputs] + [_row("output", port) for port in outputs]
    head = "".join(f'<th style="text-align:left">{word}</th>' for word in ("", "name", "type", "shape"))
    title = f"<b>{escape(model.name or 'Model')}</b>, IR version {model.version}, {len(nodes)} layers"
    return (
        f"<div>{title}<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<small>{escape(_counts(nodes))}</small></div>"
    )


def _row(kind: str, port: Output) -> str:
    names = ", ".join(sorted(port.names)) or port.node.name
    cells = (kind, names, port.element_type.name, str(port.partial_shape))
    return f"<tr>{''.join(f'<td style=text-align:left>{escape(cell)}</td>' for cell in cells)}</tr>"


def _counts(nodes: Sequence[Node]) -> str:
    counts = Counter(node.get_type_name() for node in nodes).most_common()
    shown = [f"{count} {type}" for type, count in counts[:_MOST_TYPES]]
    rest = sum(count for _, count in counts[_MOST_TYPES:])
    return ", ".join([*shown, *([f"{rest} others"] if rest else [])])
