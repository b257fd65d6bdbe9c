"""Operators of the domain ai.onnx.ml."""

ML = "ai.onnx.ml"
