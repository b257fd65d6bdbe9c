"""Shapes of tensors."""
