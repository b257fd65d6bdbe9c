"""Graph surgery: parts of models, and structural differences between models."""

from ir_plugin.surgery.cutting import Part, cut, extract

__all__ = ["Part", "cut", "extract"]
