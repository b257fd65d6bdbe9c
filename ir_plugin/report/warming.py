"""Compiled kernels ahead of their first use: of all entry points, or those that models need."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ir_plugin.errors import EvaluationError, InputError
from ir_plugin.kernels import keys
from ir_plugin.kernels.keys import GatherArguments
from ir_plugin.kernels.numba.availability import numba_fault
from ir_plugin.kernels.numba.provider import NUMBA
from ir_plugin.kernels.registry import KernelKey
from ir_plugin.openvino.api import Core
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND
from ir_plugin.report.inputs import complete

_INDICES = ("i4", "i8")
_PAIR = (2, 2)


@dataclass(frozen=True)
class Warmed:
    """What filling the cache of compiled kernels has done."""

    kernels: int
    """Files of the cache."""
    compiled: int
    """Of these, files that are new."""
    seconds: float
    folder: str
    models: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return asdict(self)


def warm(
    models: Sequence[Path] = (), config: Mapping[str, Any] | None = None, listener: Callable[[], None] | None = None
) -> Warmed:
    """Compile the kernels of all entry points, or those that models need, and return where they are kept.

    A model is compiled and run once on random inputs, as kernels of open shapes are selected in the run.
    """
    fault = numba_fault()
    if fault is not None:
        raise InputError(f"no kernels can be compiled: {fault}")
    before, start = _files(), time.perf_counter()
    for model in models:
        _run_once(model, config)
        if listener is not None:
            listener()
    if not models:
        _import_all()
    after = _files()
    if not after:
        tried = ", ".join(str(folder.parent) for folder in _folders())
        raise InputError(
            f"compiled kernels cannot be kept in {tried}; let NUMBA_CACHE_DIR name a folder that can be written to"
        )
    folder = str(sorted(after)[0].parent)
    names = tuple(map(str, models))
    return Warmed(len(after), len(after - before), time.perf_counter() - start, folder, names)


def _run_once(model: Path, config: Mapping[str, Any] | None) -> None:
    compiled = Core().compile_model(model, config={**(config or {}), "PROVIDER": "numba"})
    with suppress(EvaluationError):  # random inputs may mean nothing to the model; its kernels are compiled by then
        compiled(complete(compiled))


def _import_all() -> None:
    """Import the modules of all kernels, and compile what depends on types for the common ones."""
    for key in vars(keys).values():
        if isinstance(key, KernelKey):
            NUMBA.find(key)
    for itemsize in (1, 4, 8):
        NUMBA.build(keys.SELECT, itemsize)
    for index in _INDICES:
        for definition in (Gather, GatherElements, GatherND):
            NUMBA.build(keys.GATHER, definition(), 4, index, GatherArguments(_PAIR, _PAIR, True, 0, 0))
        for reduction in ("none", "sum"):
            NUMBA.build(keys.SCATTER_ELEMENTS, "f4", index, reduction, _PAIR, _PAIR, 0, True)
        for is_single in (True, False):
            NUMBA.build(keys.SCATTER_TUPLES, is_single, "f4", index, "none", _PAIR, _PAIR, True)


def _folders() -> list[Path]:
    from ir_plugin.kernels.numba.runtime.kernel_cache import folders

    return folders()


def _files() -> set[Path]:
    """Return the kernels in the first folder that has some."""
    return next((files for folder in _folders() if (files := set(folder.glob("*.kernel")))), set())
