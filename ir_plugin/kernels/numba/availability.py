"""Whether compiled kernels can be used, the reason where they cannot, and their import when first asked for."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from ir_plugin.kernels.compiling import FAULTS, NotFasterError, first_line

OLDEST = (0, 61)
"""The first version of numba that the kernels are compiled with; `pyproject.toml` has it too."""

_LOG = logging.getLogger("ir_plugin")
_INSTALL = f'pip install "numba>={OLDEST[0]}.{OLDEST[1]}"'

Compiled = TypeVar("Compiled")
Parameters = ParamSpec("Parameters")


class Lazy:
    """A member of a provider: a module, or a name in it, that a function imports when the member is first read.

    It is None where it cannot be compiled.
    """

    def __init__(self, import_module: Callable[[], ModuleType], name: str = "") -> None:
        self.import_module, self.name = import_module, name
        self.load: Callable[[], Any] = cache(partial(_loaded, import_module, name))
        """Returns what is imported."""

    def __get__(self, instance: object, owner: type) -> Any:
        return self.load()


class OnSpinPool(Lazy):
    """A method that calls what is imported where its last argument is a spin pool, and returns None elsewhere."""

    def __get__(self, instance: object, owner: type) -> Any:
        return self._call

    def _call(self, *arguments: Any) -> Any:
        make = self.load() if arguments[-1].is_spin_pool else None
        return None if make is None else make(*arguments)


class WithEpilogue(OnSpinPool):
    """As OnSpinPool, with epilogue stages before the pool, which are encoded; None where one cannot be."""

    def __init__(self, import_module: Callable[[], ModuleType], name: str, width: Callable[..., int]) -> None:
        super().__init__(import_module, name)
        self._width = width
        """Returns the width of the rows by the arguments before the stages."""

    def _call(self, *arguments: Any) -> Any:
        *others, stages, pool = arguments
        encode = ENCODE.load() if pool.is_spin_pool else None
        encoded = None if encode is None else encode(stages, self._width(*others))
        return None if encoded is None else super()._call(*others, encoded, pool)


class Compiling(Lazy):
    """A method that compiles a kernel for its arguments; it returns None where that cannot be, after a note."""

    def __get__(self, instance: object, owner: type) -> Any:
        return partial(compiled_kernel, self.load())


def _loaded(import_module: Callable[[], ModuleType], name: str) -> Any:
    """Return a module, or a name of it, or None where it cannot be compiled, after a note in the log."""
    if numba_fault() is not None:
        _note_numpy()
        return None
    try:
        module = import_module()
        _import_kernel_cache().remove_unused_folders()
        return getattr(module, name) if name else module
    except NotFasterError:
        return None
    except FAULTS as fault:
        if isinstance(fault, ModuleNotFoundError) and str(fault.name).split(".")[0] == "ir_plugin":
            raise
        kernels = import_module.__name__.removeprefix("_import_")
        _LOG.warning("the compiled kernels of %s cannot be used, and NumPy's are: %s", kernels, first_line(fault))
        return None


def _import_kernel_cache() -> ModuleType:
    from ir_plugin.kernels.numba.runtime import kernel_cache

    return kernel_cache


def _import_math_functions() -> ModuleType:
    from ir_plugin.kernels.numba import math_functions

    return math_functions


def _import_epilogue() -> ModuleType:
    from ir_plugin.kernels.numba import epilogue

    return epilogue


ENCODE = Lazy(_import_epilogue, "encode_epilogue")
"""Encodes epilogue stages for jobs."""


def compiled_kernel(
    make: Callable[Parameters, Compiled] | None, *arguments: Parameters.args, **named: Parameters.kwargs
) -> Compiled | None:
    """Return the kernel that `make` compiles for arguments, or None where it cannot be, after a note in the log."""
    try:
        return None if make is None else make(*arguments, **named)
    except ImportError as fault:
        _LOG.warning("a compiled kernel cannot be used, and NumPy's is: %s", first_line(fault))
        return None


@cache
def numba_fault() -> str | None:
    """Return why compiled kernels cannot be used, or None where they can: the smallest module of them is compiled."""
    if find_spec("numba") is None:
        return f"numba is not installed; {_INSTALL}"
    fault = None if _has_compiled_kernels() else _import_fault()
    if fault is not None:
        return fault
    try:
        _import_math_functions()
    except FAULTS as unusable:
        return _import_fault() or f"numba {_version()} cannot compile the kernels: {first_line(unusable)}"
    return None


def _has_compiled_kernels() -> bool:
    """Return whether the cache has kernels of this very compiler and its settings, which need no import of numba."""
    try:
        kernel_cache = _import_kernel_cache()
    except FAULTS:
        return False
    switched_off = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0") or kernel_cache.SETTINGS_FILE.exists()
    return not switched_off and any(folder.is_dir() for folder in kernel_cache.folders())


def _version() -> str:
    import numba

    return str(numba.__version__)


def _import_fault() -> str | None:
    """Return why numba cannot be imported or used, or None where it can."""
    try:
        import numba

        version = _version()
        if numba.config.DISABLE_JIT:
            return "the environment variable NUMBA_DISABLE_JIT switches numba's compiler off; unset it"
    except FAULTS as fault:
        return f"numba cannot be imported: {first_line(fault)}"
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST:
        return f"numba {version} is too old, and {'.'.join(map(str, OLDEST))} is needed; {_INSTALL}"
    return None


@cache
def _note_numpy() -> None:
    """Say once that NumPy's kernels are used, as a warning where numba is installed."""
    level = logging.INFO if find_spec("numba") is None else logging.WARNING
    _LOG.log(level, "NumPy's kernels are used: %s", numba_fault())


@cache
def numba_installed() -> bool:
    """Return whether numba can be found, without importing it."""
    return find_spec("numba") is not None
