"""Normalizations by mean, variance or norm."""
