"""The ONNX front end: a `ModelProto` becomes a model of the operations of the opsets."""

from ir_plugin.frontends.onnx.reading import external_files, read_onnx

__all__ = ["external_files", "read_onnx"]
