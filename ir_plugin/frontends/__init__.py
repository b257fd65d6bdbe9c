"""Front ends: what reads models of other formats into our graph."""
