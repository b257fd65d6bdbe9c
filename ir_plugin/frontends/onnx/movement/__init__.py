"""Translators of operators that move data."""
