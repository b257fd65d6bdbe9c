"""The provider of compiled kernels, which imports the module of each when it is first asked for."""

from __future__ import annotations

import logging
from importlib import import_module

from ir_plugin.kernels.compiling import FAULTS, NotFasterError, first_line
from ir_plugin.kernels.numba.availability import note_numpy, numba_fault
from ir_plugin.kernels.registry import Provider

_LOG = logging.getLogger("ir_plugin")


def _load(name: str) -> bool:
    """Return whether a module of kernels can be imported; the log notes why it cannot."""
    if numba_fault() is not None:
        note_numpy()
        return False
    try:
        import_module(f"{__package__}.{name}")
        from ir_plugin.kernels.numba.runtime.kernel_cache import remove_unused_folders

        remove_unused_folders()
    except NotFasterError:
        return False
    except FAULTS as fault:
        if isinstance(fault, ModuleNotFoundError) and str(fault.name).split(".")[0] == "ir_plugin":
            raise
        _LOG.warning("the compiled kernels of %s cannot be used, and NumPy's are: %s", name, first_line(fault))
        return False
    return True


NUMBA = Provider(_load)
"""The provider of the kernels that numba compiles."""
