"""What compiled kernels run on: compilation, intrinsics, the spin pool and its jobs."""
