"""Matrix products: packed weights, micro-kernels, jobs."""
