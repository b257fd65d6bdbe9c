"""Comparisons with boolean results."""
