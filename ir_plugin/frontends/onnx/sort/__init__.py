"""Translators of operators that sort."""
