"""Poolings: the largest or the mean element of windows."""
