"""The part of an ONNX model that a node of ours was built for, as findings and errors name it."""

from __future__ import annotations

from dataclasses import dataclass

from ir_plugin.diagnostics import Span


@dataclass(frozen=True)
class OnnxOrigin:
    """A node, input, output or initializer of an ONNX model."""

    label: str
    """What errors call it: `ONNX node "conv1" (Conv-22)`."""
    at: Span
    """Its file, and its path in the graph."""

    def span(self, attribute: str = "") -> Span:
        """Return the position in the model; attributes have none of their own."""
        del attribute
        return self.at

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the position in the model; ports have none of their own."""
        del direction, index, dimension
        return self.span(attribute)

    def note(self) -> str:
        """Return the part of the model and its file."""
        return f"built for {self}"

    def __str__(self) -> str:
        return f"{self.label} of {self.at.file}" if self.at.file else self.label
