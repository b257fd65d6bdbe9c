"""The registry of compiled kernels: each is registered beside its code, and imported when it is first asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from ir_plugin.kernels.compiling import NotCompiledError, first_line
from ir_plugin.kernels.thread_pool import ThreadPool

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    Others = TypeVarTuple("Others")

_LOG = logging.getLogger("ir_plugin")

Kernel = TypeVar("Kernel")
Kernel_co = TypeVar("Kernel_co", covariant=True)
Made = TypeVar("Made")
Pool = TypeVar("Pool", bound=ThreadPool)
Parameters = ParamSpec("Parameters")


class KernelKey(Generic[Kernel_co]):
    """What a kernel is registered under: the module of its code, and as type parameter the kernel's type."""

    is_job = False
    """Whether the kernel is called with a pool as its last argument and exists for spin pools only."""

    def __init__(self, module: str) -> None:
        self.module = module
        """The module in the provider's package."""


class JobKey(KernelKey[Kernel_co]):
    """The key of a function that makes compiled jobs, and whose last argument is a pool."""

    is_job = True


_KERNELS: dict[KernelKey[Any], Any] = {}
"""The kernels of all modules that are imported."""


def register(key: KernelKey[Kernel]) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers a kernel under its key."""

    def add(kernel: Kernel) -> Kernel:
        _KERNELS[key] = kernel
        return kernel

    return add


def register_job(
    key: JobKey[Callable[[Unpack[Others], ThreadPool], Made | None]],
) -> Callable[[Callable[[Unpack[Others], Pool], Made | None]], Callable[[Unpack[Others], Pool], Made | None]]:
    """Return a decorator that registers a function or class that makes jobs of a spin pool."""

    def add(make: Callable[[Unpack[Others], Pool], Made | None]) -> Callable[[Unpack[Others], Pool], Made | None]:
        _KERNELS[key] = make
        return make

    return add


class Provider:
    """A set of kernels that are asked for before NumPy's."""

    def __init__(
        self,
        load: Callable[[str], bool] | None = None,
        building: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Take a function that imports a module of kernels and returns whether they are usable; without it none are.

        Factories are called within the context that `building` makes. Both may raise `NotCompiledError`.
        """
        self._load, self._building = load, building
        self._kernels: dict[KernelKey[Any], Any] = {}
        self.lacks_kernels = False
        """Whether a kernel was asked for that is not compiled."""

    def find(self, key: KernelKey[Kernel]) -> Kernel | None:
        """Return the kernel under a key, or None where NumPy's serves."""
        if key not in self._kernels:
            self._kernels[key] = _KERNELS[key] if self._is_usable(key) else None
        kernel: Kernel | None = self._kernels[key]
        return kernel

    def _is_usable(self, key: KernelKey[Any]) -> bool:
        try:
            return self._load is not None and self._load(key.module)
        except NotCompiledError:
            self.lacks_kernels = True
            return False

    def build(
        self, key: KernelKey[Callable[Parameters, Made | None]], *arguments: Parameters.args, **named: Parameters.kwargs
    ) -> Made | None:
        """Call the factory under a key, and return its kernel; None if there is no factory or it cannot be compiled.

        The log notes what cannot be compiled.
        """
        if key.is_job and not _is_spin_pool(arguments[-1]):
            return None
        make = self.find(key)
        try:
            with self._building():
                return None if make is None else make(*arguments, **named)
        except NotCompiledError:
            self.lacks_kernels = True
            return None
        except ImportError as fault:
            _LOG.warning("a compiled kernel cannot be used, and NumPy's is: %s", first_line(fault))
            return None


def _is_spin_pool(pool: object) -> bool:
    return isinstance(pool, ThreadPool) and pool.is_spin_pool


NUMPY = Provider()
"""The provider where NumPy's kernels are used alone."""
