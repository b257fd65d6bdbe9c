"""Sorting, and the choice of the best among overlapping boxes."""
