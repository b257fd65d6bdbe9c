"""Findings as data: codes, places in files, and their renderings."""

from ir_plugin.diagnostics.codes import CODES, Code, Severity
from ir_plugin.diagnostics.finding import AttributeEdit, Finding, Findings
from ir_plugin.diagnostics.position import LayerRef, Span

__all__ = ["CODES", "AttributeEdit", "Code", "Finding", "Findings", "LayerRef", "Severity", "Span"]
