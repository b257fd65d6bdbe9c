"""Kernels in plain Python that numba compiles: loops that NumPy has no fast call for.

Imported when first used; the import fails where numba is missing or cannot compile, and NumPy's kernels do the work.
They release the interpreter's lock and know no threads: `kernels.thread_pool.Team` shares their rows, as for NumPy's.
numba's own `parallel=True` is not used: its portable threading layer ends the process when two Python threads call it
at once.
"""
