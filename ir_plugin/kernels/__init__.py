"""Kernels: forms of operations with weights packed once, buffers passed in, and epilogues applied in place."""
