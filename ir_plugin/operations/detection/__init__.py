"""Object detection: prior boxes, proposals, pooling of regions of interest, and detections."""
