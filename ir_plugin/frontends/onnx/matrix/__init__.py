"""Translators of operators on matrices."""
