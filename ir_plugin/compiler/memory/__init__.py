"""Memory of a plan: live ranges, offsets, aliasing, and weights packed once."""
