"""Translators of normalization."""
