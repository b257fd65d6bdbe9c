"""Translators of operators that select."""
