"""Translators of the quantization family."""
