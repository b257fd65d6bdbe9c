"""Lengths that a plan is specialized to, or leaves open."""
