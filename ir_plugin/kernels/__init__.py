"""Prepared forms of operations: weights packed once, buffers given, elementwise operations applied in place."""
