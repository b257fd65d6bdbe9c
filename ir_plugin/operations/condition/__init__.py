"""Choices by values."""
