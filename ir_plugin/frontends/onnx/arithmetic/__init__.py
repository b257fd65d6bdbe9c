"""Translators of cumulative operators."""
