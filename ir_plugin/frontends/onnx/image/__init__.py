"""Translators of operators on images."""
