"""Translators of attention and what models have around it."""
