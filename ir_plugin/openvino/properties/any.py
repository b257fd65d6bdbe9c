"""`OVAny`: a value of any type in runtime information and properties."""

from __future__ import annotations

from ir_plugin.model.any_value import OVAny

__all__ = ["OVAny"]
