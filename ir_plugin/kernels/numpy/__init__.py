"""Kernels as functions of NumPy arrays."""
