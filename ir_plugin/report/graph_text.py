"""A graph as text: lines for a terminal, DOT for Graphviz, and Mermaid for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ir_plugin.diagnostics.escape import safe
from ir_plugin.report.graph_data import GraphNode, GraphView


def visible(view: GraphView, everything: bool) -> list[int]:
    """Return the positions of the nodes to draw; nodes with findings are always drawn."""
    return [position for position, node in enumerate(view.nodes) if everything or node.role == "op" or node.findings]


def text_of(views: Sequence[GraphView], everything: bool = False) -> str:
    """Return a line a layer with its inputs and outputs, bodies indented below the layers that have them."""
    return "\n".join([*_lines(views, 0, everything, 0), ""])


def _lines(views: Sequence[GraphView], number: int, everything: bool, depth: int) -> list[str]:
    view, indent = views[number], "    " * depth
    lines = []
    for position in visible(view, everything):
        node = view.nodes[position]
        inputs = ", ".join(safe(source, 60) for source, _ in node.inputs)
        outputs = ", ".join(safe(type_text, 60) for _, type_text in node.outputs)
        marks = "".join(f"  {finding.severity}[{finding.code}]" for finding in node.findings)
        arrow = f" -> {outputs}" if outputs else ""
        lines.append(
            f"{indent}{safe(node.name, 80)}: {safe(node.type, 60)}-{safe(node.version, 20)}({inputs}){arrow}{marks}"
        )
        for body in node.bodies:
            lines.append(f"{indent}  {safe(views[body].label, 120)}")
            lines += _lines(views, body, everything, depth + 1)
    return lines


def dot_of(views: Sequence[GraphView], everything: bool = False) -> str:
    """Return the graph in Graphviz's language, bodies as clusters."""
    lines = [
        "digraph model {",
        "  compound=true",
        '  node [shape=box, style="rounded,filled", fillcolor="#eef3fb", fontname="sans-serif"]',
    ]
    lines += ['  edge [fontsize=9, fontname="sans-serif"]', *_dot_graph(views, 0, everything, "  ")]
    return "\n".join([*lines, "}", ""])


def _dot_graph(views: Sequence[GraphView], number: int, everything: bool, indent: str) -> list[str]:
    view, lines = views[number], []
    shown = visible(view, everything)
    for position in shown:
        node = view.nodes[position]
        label = f"{_dot_text(node.type)}\\n{_dot_text(node.name)}"
        color = ", color=red, penwidth=2" if node.findings else ""
        lines.append(f'{indent}n{number}_{position} [label="{label}"{color}]')
        for body in node.bodies:
            lines.append(f"{indent}subgraph cluster_{body} {{")
            lines.append(f'{indent}  label="{_dot_text(views[body].label)}"')
            lines += [*_dot_graph(views, body, everything, indent + "  "), f"{indent}}}"]
            for first in visible(views[body], everything)[:1]:
                tie = f"style=dashed, arrowhead=none, lhead=cluster_{body}"
                lines.append(f"{indent}n{number}_{position} -> n{body}_{first} [{tie}]")
    drawn = set(shown)
    for source, _, target, _, label in view.edges:
        if source in drawn and target in drawn:
            lines.append(f'{indent}n{number}_{source} -> n{number}_{target} [label="{_dot_text(label)}"]')
    return lines


def _dot_text(text: str) -> str:
    return safe(text, 80).replace("\\", "\\\\").replace('"', '\\"')


def mermaid_of(views: Sequence[GraphView], everything: bool = False) -> str:
    """Return the graph as a Mermaid flowchart, bodies as sub-graphs."""
    lines = ["flowchart TD", *_mermaid_graph(views, 0, everything, "  ")]
    return "\n".join([*lines, ""])


def _mermaid_graph(views: Sequence[GraphView], number: int, everything: bool, indent: str) -> list[str]:
    view, lines = views[number], []
    shown = visible(view, everything)
    for position in shown:
        node = view.nodes[position]
        lines.append(f'{indent}n{number}_{position}["{_mermaid_label(node)}"]')
        if node.findings:
            lines.append(f"{indent}style n{number}_{position} stroke:#c00,stroke-width:3px")
        for body in node.bodies:
            title = _mermaid_text(views[body].label)
            lines += [f'{indent}subgraph g{body}["{title}"]', f"{indent}  direction TB"]
            lines += [*_mermaid_graph(views, body, everything, indent + "  "), f"{indent}end"]
            lines.append(f"{indent}n{number}_{position} -.- g{body}")
    drawn = set(shown)
    for source, _, target, _, label in view.edges:
        if source in drawn and target in drawn:
            lines.append(f'{indent}n{number}_{source} -->|"{_mermaid_text(label)}"| n{number}_{target}')
    return lines


def _mermaid_label(node: GraphNode) -> str:
    return f"{_mermaid_text(node.type)}<br/>{_mermaid_text(node.name)}"


def _mermaid_text(text: str) -> str:
    """Return text escaped for Mermaid, whose entities begin with `#`."""
    shown = safe(text, 80).replace("#", "#35;").replace("`", "#96;").replace("\\", "#92;")
    return (
        escape(shown, quote=False)
        .replace("&lt;", "#lt;")
        .replace("&gt;", "#gt;")
        .replace("&amp;", "#amp;")
        .replace('"', "#quot;")
    )


FORMS: dict[str, Callable[[Sequence[GraphView], bool], str]] = {"text": text_of, "dot": dot_of, "mermaid": mermaid_of}
