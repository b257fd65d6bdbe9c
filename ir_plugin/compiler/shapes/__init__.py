"""Specialization of plans to lengths, and symbolic dimensions for lengths that are left open."""
