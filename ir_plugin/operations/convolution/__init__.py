"""Convolutions and their transposes."""
