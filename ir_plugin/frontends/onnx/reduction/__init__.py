"""Translators of reductions."""
