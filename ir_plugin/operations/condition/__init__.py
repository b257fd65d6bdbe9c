"""Conditional execution, selection by values, and indices of values."""
