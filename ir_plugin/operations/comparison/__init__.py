"""Comparisons, which give booleans."""
