"""Compiled kernels on disk, each in a file of its own with a checksum, in a folder named by a digest of their sources.

numba's cache compares the source file of the function alone, while machine code holds copies of functions and constants
of other modules; and it executes what it reads without a check.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import platform
import shutil
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import compiler, config, serialize
from numba.misc import appdirs

from ir_plugin import kernels
from ir_plugin.kernels import compiling

_config: Any = config
_compiler: Any = compiler
_serialize: Any = serialize
_appdirs: Any = appdirs

_LOG = logging.getLogger("ir_plugin")
_ROOT = Path(kernels.__file__).parent
_PREFIX = "ir_plugin-"
_MOST_FOLDERS = 4
"""Folders of compiled kernels that are kept beside each other, those used last: of branches, versions, interpreters."""
_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
"""What environment variables of numba change in the machine code."""
_CHECKSUM_BYTES = 32


@dataclass(frozen=True)
class Sources:
    """The sources of all kernels as they were when the process began to compile."""

    digest: str
    stamps: tuple[tuple[Path, int, int], ...]
    """Path, time of modification and size of each."""

    @property
    def unchanged(self) -> bool:
        """Whether no file was written since: modules that are imported later hold what the digest stands for."""
        try:
            return bool(self.stamps) and all(stamp == _stamp(stamp[0]) for stamp in self.stamps)
        except OSError:
            return False


def _stamp(path: Path) -> tuple[Path, int, int]:
    status = path.stat()
    return path, status.st_mtime_ns, status.st_size


@cache
def sources() -> Sources:
    """Return the digest of sources, compiler and interpreter; without stamps where the sources cannot be read."""
    settings = [(name, getattr(_config, name, None)) for name in _SETTINGS]
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, platform.python_implementation())
    digest = hashlib.sha256(repr((versions, settings)).encode())
    try:
        stamps = tuple(_stamp(path) for path in sorted(_ROOT.rglob("*.py")))
        for path, _, size in stamps:
            digest.update(f"{path.relative_to(_ROOT).as_posix()} {size}\n".encode() + path.read_bytes())
    except OSError:
        stamps = ()
    return Sources(digest.hexdigest()[:24], stamps)


sources()


def folders() -> list[Path]:
    """Return the folders for compiled kernels, in the order in which they are tried, as numba orders its own."""
    users = _appdirs.AppDirs(appname="numba", appauthor=False).user_cache_dir
    parents = [_config.CACHE_DIR] if _config.CACHE_DIR else [_ROOT / "__pycache__", users]
    return [Path(parent) / f"{_PREFIX}{sources().digest}" for parent in parents]


class KernelCache:
    """Loads and saves the machine code of one function, by signature and processor, where numba asks its own cache."""

    cache_path = None

    def __init__(self, function: Callable[..., Any], variant: str) -> None:
        code, cells = function.__code__, function.__closure__ or ()
        contents = _serialize.dumps(tuple(cell.cell_contents for cell in cells))
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._identity = (function.__module__, self.name, variant, code.co_firstlineno, code.co_code, contents)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, or None after reporting that it is compiled now."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        payload = _load(self._file_name(key), key)
        if payload is not None:
            return _compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
        compiling.begin(self.name)
        return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep what was compiled, unless it holds addresses of this process or sources were edited meanwhile."""
        if not sources().stamps:
            _warn_once("unreadable", "compiled kernels cannot be kept, as their sources cannot be read")
        if cres.library.has_dynamic_globals or not sources().unchanged:
            return
        key = self._key(sig, cres.library.codegen)
        payload = _serialize.dumps(cres._reduce())
        _save(self._file_name(key), _checksum(key, payload) + payload)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return hashlib.sha256(repr((self._identity, str(sig), codegen.magic_tuple())).encode()).digest()

    def _file_name(self, key: bytes) -> str:
        return f"{self.name.replace('<locals>.', '')}-{key.hex()[:16]}.kernel"


def _checksum(key: bytes, payload: bytes) -> bytes:
    return hashlib.blake2b(payload, key=key, digest_size=_CHECKSUM_BYTES).digest()


def _load(name: str, key: bytes) -> bytes | None:
    """Return the bytes that were saved, or None where there are none, or not those that were saved."""
    if not sources().unchanged:
        return None
    for folder in folders():
        try:
            content = (folder / name).read_bytes()
        except OSError:
            continue
        payload = content[_CHECKSUM_BYTES:]
        if content[:_CHECKSUM_BYTES] == _checksum(key, payload):
            _note_use(folder)
            return payload
        _warn_once("damaged", f"{folder / name} is damaged; it is compiled again")
    return None


def _save(name: str, content: bytes) -> None:
    """Write a file to the first folder that can be written to."""
    faults = []
    for folder in folders():
        fault = _write(folder / name, content)
        if fault is None:
            return
        faults.append(f"{folder.parent}: {fault.strerror or fault}")
    _warn_once(
        "unwritable",
        f"compiled kernels cannot be kept ({'; '.join(faults)}), so that every run compiles them; "
        "let NUMBA_CACHE_DIR name a folder that can be written to",
    )


def _write(path: Path, content: bytes) -> OSError | None:
    """Write a file that appears whole or not at all; return what prevents it."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        _begin_folder(path.parent)
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as fault:
        return fault
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return None


def _begin_folder(folder: Path) -> None:
    """Create a folder where it is missing."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _begun.append(folder)


_begun: list[Path] = []
"""Folders that this process has created."""


def remove_unused_folders() -> None:
    """Remove folders beside those that this process has created, if they were not used for the longest time."""
    while _begun:
        folder = _begun.pop()
        others = [other for other in folder.parent.glob(f"{_PREFIX}*") if other != folder]
        with suppress(OSError):
            others.sort(key=lambda other: other.stat().st_mtime_ns, reverse=True)
            for other in others[_MOST_FOLDERS - 1 :]:
                shutil.rmtree(other, ignore_errors=True)


@cache
def _note_use(folder: Path) -> None:
    """Set the time at which a folder was used, by which the oldest are removed."""
    with suppress(OSError):
        os.utime(folder)


_warned: set[str] = set()


def _warn_once(kind: str, text: str) -> None:
    if kind not in _warned:
        _warned.add(kind)
        _LOG.warning("%s", text)
