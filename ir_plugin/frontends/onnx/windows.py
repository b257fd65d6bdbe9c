"""The windows of convolutions and pools by ONNX's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode

AUTO_PADS = {
    "NOTSET": "explicit",
    "VALID": "valid",
    "SAME_UPPER": "same_upper",
    "SAME_LOWER": "same_lower",
    "": "explicit",
}


@dataclass(frozen=True)
class Window:
    """Lengths of a kernel, its steps, the distance of its elements, and pads, per spatial axis."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    begin: list[int]
    end: list[int]
    auto_pad: str

    @property
    def is_same(self) -> bool:
        """Whether the pads are derived from the lengths."""
        return self.auto_pad.startswith("same")

    def extents(self) -> list[int]:
        """Return the length from the first to the last element of the kernel, per axis."""
        return [(length - 1) * step + 1 for length, step in zip(self.kernel, self.dilations, strict=True)]


def window_of(node: OnnxNode, kernel: Sequence[int]) -> Window:
    """Return the window of a node with a kernel of these lengths."""
    axes = len(kernel)
    mode = node.attributes.text("auto_pad", "NOTSET")
    if mode not in AUTO_PADS:
        raise OnnxReadError(f"the attribute 'auto_pad' is {mode!r}; it must be NOTSET, VALID, SAME_UPPER or SAME_LOWER")
    pads = _checked(node, "pads", 2 * axes, 0)
    if AUTO_PADS[mode] != "explicit":
        pads = [0] * (2 * axes)
    strides, dilations = _checked(node, "strides", axes, 1), _checked(node, "dilations", axes, 1)
    return Window(list(kernel), strides, dilations, pads[:axes], pads[axes:], AUTO_PADS[mode])


def _checked(node: OnnxNode, name: str, count: int, default: int) -> list[int]:
    values: list[int] = node.attributes.ints(name, None) or [default] * count
    if len(values) != count:
        raise OnnxReadError(f"the attribute {name!r} is {values}; it must have {count} values, not {len(values)}")
    return values
