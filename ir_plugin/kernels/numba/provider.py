"""The providers of compiled kernels, which import the module of each when it is first asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ir_plugin.kernels.compiling import FAULTS, NotCompiledError, NotFasterError, first_line, listing, only_ready
from ir_plugin.kernels.numba.availability import evident_fault, note_numpy, numba_fault
from ir_plugin.kernels.registry import Provider

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.runtime.jit import Compiled

_LOG = logging.getLogger("ir_plugin")


def _load(name: str) -> bool:
    """Return whether a module of kernels can be imported and compiled; the log notes why it cannot."""
    if numba_fault() is not None:
        note_numpy()
        return False
    return _is_usable(name, lambda function: function.require())


def _load_ready(name: str) -> bool:
    """Return as `_load` without compiling; raises `NotCompiledError` unless the cache had all of the module's kernels.

    What it had is decided once in a process, so that a plan does not depend on what was compiled meanwhile.
    """
    if evident_fault() is not None:
        note_numpy()
        return False
    try:
        from ir_plugin.kernels.numba.runtime.kernel_cache import names_at_start
    except FAULTS:
        note_numpy()
        return False
    if not names_at_start():
        raise NotCompiledError(f"{name} is not compiled")
    return _is_usable(name, _require_ready)


def _require_ready(function: Compiled) -> None:
    if not function.is_ready:
        raise NotCompiledError(f"{function.cache.name} is not compiled")


def _is_usable(name: str, require: Callable[[Compiled], None]) -> bool:
    """Return whether a module can be imported and its functions fulfil what is required of each."""
    try:
        module = import_module(f"{__package__}.{name}")
        from ir_plugin.kernels.numba.runtime.jit import functions_of
        from ir_plugin.kernels.numba.runtime.kernel_cache import remove_unused_folders

        for function in functions_of(module):
            require(function)
        remove_unused_folders()
    except NotCompiledError:
        raise
    except NotFasterError:
        return False
    except FAULTS as fault:
        if isinstance(fault, ModuleNotFoundError) and str(fault.name).split(".")[0] == "ir_plugin":
            raise
        _LOG.warning("the compiled kernels of %s cannot be used, and NumPy's are: %s", name, first_line(fault))
        return False
    return True


NUMBA = Provider(_load)
"""The provider of the kernels that numba compiles, or has compiled."""

READY = Provider(_load_ready, only_ready)
"""The provider of those of them that were in the cache when the process first asked for a compiled kernel."""


class ListingProvider(Provider):
    """Selects the kernels that `NUMBA` would, without compiling them: none of them can be called."""

    def __init__(self) -> None:
        self.uncompiled: set[object] = set()
        """The functions of the selected kernels that are not compiled."""
        super().__init__(self._list, lambda: listing(self.uncompiled))

    def _list(self, name: str) -> bool:
        return _is_usable(name, lambda function: None if function.is_ready else self.uncompiled.add(function))
