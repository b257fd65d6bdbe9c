"""Col2Im of any number of spatial axes. ONNX's Col2Im-18."""

from __future__ import annotations

from ir_plugin.operations.movement.col2im import Folding


class Col2ImND(Folding, version="extension"):
    """As Col2Im-15 for as many spatial axes as `strides` has values. An operation of ours, for ONNX."""

    @property
    def axes(self) -> int:
        """The number of spatial axes."""
        return len(self.strides)
