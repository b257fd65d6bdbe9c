"""Kernels in plain Python that numba compiles: loops that NumPy has no fast call for.

Imported when first used; the import fails where numba is missing or cannot compile, and NumPy's kernels do the work.
They release the interpreter's lock. `kernels.thread_pool.ThreadPool` splits their rows, as it does NumPy's, and
`runtime.spin_pool.SpinPool` runs the parts of compiled jobs.
numba's own `parallel=True` is not used: its portable threading layer ends the process when two Python threads call it
at once.
"""
