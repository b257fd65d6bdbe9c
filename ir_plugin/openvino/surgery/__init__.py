"""Graph surgery: parts of models, and structural differences between models."""

from ir_plugin.openvino.surgery.changes import Change
from ir_plugin.openvino.surgery.cutting import Part, cut, extract

__all__ = ["Change", "Part", "cut", "extract"]
