"""The place of a finding: a span of a file, and a layer of the graph with its port or attribute."""

from __future__ import annotations

from dataclasses import dataclass


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


WHOLE_RUN = Span()
"""The position of what no file is the cause of."""


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
    """What the layer was built by or for, `built at net.py:7` for a line of Python; empty for a layer of an IR."""

    def __str__(self) -> str:
        number = self.version.removeprefix("opset")
        shown = f"{self.type}-{number}" if number else self.type
        kind = f"id {self.id}, {shown}" if self.id else shown
        inside = "".join(f', in the body of "{name}"' for name in reversed(self.path))
        built = f", {self.built}" if self.built else ""
        return f'"{self.name}" ({kind}){", " + self.part if self.part else ""}{inside}{built}'
