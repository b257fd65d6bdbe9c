"""ONNX's Backend interface by ir_plugin, for `backends/ir_plugin/backend.py` of onnx/backend-scoreboard."""

from ir_plugin.onnx_backend import OnnxBackend, is_compatible, prepare, run_model, run_node, supports_device

__all__ = ["OnnxBackend", "is_compatible", "prepare", "run_model", "run_node", "supports_device"]
