"""The operations of the plugin."""

from __future__ import annotations

from pathlib import Path

from ir_plugin import Operation, ShapeError
from ir_plugin.tensors import Array, TensorInfo


class Relu6(Operation, version="extension"):
    """Limit every element to [0, top]."""

    schema = Path(__file__).with_name("Relu6.xsd")

    top: float

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type and shape of the input."""
        if self.top <= 0:
            raise ShapeError("top", f"{self.top} is not above 0")
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the limited elements."""
        return data.clip(0, self.top)
