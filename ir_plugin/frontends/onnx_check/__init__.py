"""The check of an ONNX model: all of its faults in one run, each with its node and cause."""

from ir_plugin.frontends.onnx_check.check import check_onnx
from ir_plugin.frontends.onnx_check.fix import fix_onnx

__all__ = ["check_onnx", "fix_onnx"]
