"""Translators of operators that compute each element for itself."""
