"""Translators of the domain com.microsoft: the operators of onnxruntime."""
