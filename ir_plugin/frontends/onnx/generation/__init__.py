"""Translators of operators that make tensors."""
