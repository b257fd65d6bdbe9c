"""Quantization that keeps floating-point types."""
