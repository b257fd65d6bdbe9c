"""Translators of operators that read or change shapes."""
