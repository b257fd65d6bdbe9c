"""Translators of pooling."""
