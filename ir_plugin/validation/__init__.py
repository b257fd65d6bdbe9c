"""Validation of a model: findings of the reader, inference, and declared against inferred ports."""

from ir_plugin.validation.check import Report, check_ir
from ir_plugin.validation.in_memory import check_model
from ir_plugin.validation.inference import Inference

__all__ = ["Inference", "Report", "check_ir", "check_model"]
