"""Translators of operators that change element types."""
