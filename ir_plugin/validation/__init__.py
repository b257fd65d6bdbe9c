"""Validation: reading with findings, inference, and declared against inferred."""

from ir_plugin.validation.check import Report, check_ir
from ir_plugin.validation.inference import Inference

__all__ = ["Inference", "Report", "check_ir"]
