"""Object detection: prior boxes, regions of interest, and what becomes of them."""
