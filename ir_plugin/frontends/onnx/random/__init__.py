"""Translators of random numbers."""
