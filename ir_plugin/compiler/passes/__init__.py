"""Passes over a graph, one a file."""
