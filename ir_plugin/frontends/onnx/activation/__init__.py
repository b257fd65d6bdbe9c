"""Translators of activation functions."""
