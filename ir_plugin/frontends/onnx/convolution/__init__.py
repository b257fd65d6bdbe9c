"""Translators of convolutions."""
