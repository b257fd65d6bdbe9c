"""Compiled kernels on disk, one a file with a checksum, in a folder named by a digest of their sources.

numba's cache compares the source file of the function alone, while machine code holds copies of functions and constants
of other modules; and it executes what it reads without a check. Nothing here imports numba: a process whose kernels are
all kept needs no compiler.
"""

from __future__ import annotations

import errno
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
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np

from ir_plugin import kernels
from ir_plugin.kernels.compiling import unkept_faults
from ir_plugin.kernels.numba.runtime.machine_code import MachineCode
from ir_plugin.kernels.numba.runtime.target import processor
from ir_plugin.tensors.files import open_regular

_LOG = logging.getLogger("ir_plugin")
_ROOT = Path(kernels.__file__).parent
_PREFIX = "ir_plugin-"
_MOST_FOLDERS = 4
"""Folders of compiled kernels that are kept beside each other, those used last: of branches, versions, interpreters."""
_SETTINGS = (
    "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO", "DEBUGINFO_DEFAULT", "CPU_NAME",
    "CPU_FEATURES", "ENABLE_AVX",
)  # fmt: skip
"""Environment variables of numba, without the prefix `NUMBA_`, that change the machine code."""
SETTINGS_FILE = Path(".numba_config.yaml")
"""The file of the current folder in which numba reads its settings too."""
_SUFFIX = ".kernel"
_CHECKSUM_BYTES = 32


@dataclass(frozen=True)
class Sources:
    """A snapshot of the sources of all kernels, taken when the process began to compile."""

    digest: str
    stamps: tuple[tuple[str, int, int], ...]
    """Path, time of modification and size of each."""

    @property
    def unchanged(self) -> bool:
        """Whether no file was written since: modules that are imported later hold what the digest stands for."""
        try:
            return bool(self.stamps) and all(stamp == _stamp(stamp[0]) for stamp in self.stamps)
        except OSError:
            return False


def _stamp(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return path, status.st_mtime_ns, status.st_size


@cache
def sources() -> Sources:
    """Return the digest of sources, compiler and interpreter; without stamps where the sources cannot be read."""
    settings = [(name, os.environ.get(f"NUMBA_{name}")) for name in _SETTINGS]
    versions = (_version("numba"), _version("llvmlite"), np.__version__, sys.version, platform.python_implementation())
    digest = hashlib.sha256(repr((versions, settings, _content(SETTINGS_FILE))).encode())
    try:
        paths = sorted(_ROOT.rglob("*.py"))
        stamps = tuple(_stamp(str(path)) for path in paths)
        for path, (_, _, size) in zip(paths, stamps, strict=True):
            digest.update(f"{path.relative_to(_ROOT).as_posix()} {size}\n".encode() + path.read_bytes())
    except OSError:
        stamps = ()
    return Sources(digest.hexdigest()[:24], stamps)


def _version(package: str) -> bytes | None:
    """Return the module of a package that has its version, which need not be imported."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return _content(Path(folders[0]) / "_version.py") if folders else None


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


sources()


@lru_cache(maxsize=256)
def _unchanged_at_import(_module: str) -> bool:
    """Return whether the sources were as their digest says when the first kernel of a module was looked up."""
    return sources().unchanged


def folders() -> list[Path]:
    """Return the folders for compiled kernels, in the order in which they are tried, as numba orders its own."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    parents = [Path(chosen)] if chosen else [_ROOT / "__pycache__", _user_folder()]
    return [parent / f"{_PREFIX}{sources().digest}" for parent in parents]


@cache
def names_at_start() -> frozenset[str]:
    """Return the names of the kernels that were in the cache when this process first asked for one."""
    names: set[str] = set()
    for folder in folders():
        with suppress(OSError):
            names.update(name for name in os.listdir(folder) if name.endswith(_SUFFIX))
    usable = frozenset(name for name in names if name.endswith(_suffix()))
    if names and not usable:
        text = "compiled kernels of another processor are not used; `ir-plugin warm` compiles those of this one"
        _warn_once("processor", text)
    return usable


@cache
def _suffix() -> str:
    """Return the end of the names of kernels for this processor."""
    return f"-{hashlib.sha256(repr(processor()).encode()).hexdigest()[:8]}{_SUFFIX}"


def _user_folder() -> Path:
    """Return numba's folder among the caches of the user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "numba" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba"


class Entry(NamedTuple):
    """A file of the cache."""

    seconds: float
    """The processor time that its compilation took."""
    bytes: int


class KernelCache:
    """Loads and saves what a function was compiled to, by signature and processor."""

    def __init__(self, function: Callable[..., Any], variant: str) -> None:
        self.module = function.__module__
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._identity = (_identity(function), variant, processor())
        _unchanged_at_import(self.module)

    def had(self, signature: str) -> bool:
        """Return whether there was a file for a signature when this process first asked for one."""
        return self._file_name(self.key(signature)) in names_at_start()

    def load(self, signature: str) -> MachineCode | None:
        """Return the machine code of a signature, or None if it is missing or damaged."""
        key = self.key(signature)
        content = _load(self._file_name(key), key) if _unchanged_at_import(self.module) else None
        return None if content is None else cast("MachineCode", pickle.loads(content)[0])

    def entry(self, signature: str) -> Entry | None:
        """Return what the cache has for a signature now, None if that is missing or damaged."""
        key = self.key(signature)
        content = _load(self._file_name(key), key)
        return None if content is None else Entry(pickle.loads(content)[1], len(content))

    def save(self, signature: str, code: MachineCode, seconds: float) -> None:
        """Keep what was compiled in some seconds, unless sources were edited meanwhile."""
        if not sources().stamps:
            _note_unkept("compiled kernels cannot be kept, as their sources cannot be read")
        if not sources().unchanged:
            return
        key = self.key(signature)
        payload = pickle.dumps((code, seconds))
        _save(self._file_name(key), _checksum(key, payload) + payload)

    def key(self, signature: str) -> bytes:
        """Return the digest that the kernel is kept by."""
        return hashlib.sha256(repr((self._identity, signature)).encode()).digest()

    def _file_name(self, key: bytes) -> str:
        return f"{self.name.replace('<locals>.', '')}-{key.hex()[:16]}{_suffix()}"


def _identity(value: object) -> object:
    """Return a key that identifies a function or a value of its closure; the digest identifies all sources."""
    if isinstance(value, FunctionType):
        cells = tuple(_identity(cell.cell_contents) for cell in value.__closure__ or ())
        code = value.__code__
        return value.__module__, value.__qualname__, code.co_firstlineno, code.co_code, cells
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return type(value).__name__, repr(value) if isinstance(value, int | float | str | np.dtype) else pickle.dumps(value)


def _checksum(key: bytes, payload: bytes) -> bytes:
    return hashlib.blake2b(payload, key=key, digest_size=_CHECKSUM_BYTES).digest()


def _load(name: str, key: bytes) -> bytes | None:
    """Return the saved bytes, or None if there are none or their checksum is wrong."""
    for folder in folders():
        content = _trusted_content(folder / name)
        if content is None:
            continue
        payload = content[_CHECKSUM_BYTES:]
        if content[:_CHECKSUM_BYTES] == _checksum(key, payload):
            _note_use(folder)
            return payload
        _warn_once("damaged", f"{folder / name} is damaged; it is compiled again")
    return None


def _trusted_content(path: Path) -> bytes | None:
    """Return the bytes of a file, None where there is none or another user may have written it, as it runs as code."""
    try:
        with open_regular(path) as file:
            if is_private(os.fstat(file.fileno())) and is_private(path.parent.stat()):
                return file.read()
    except OSError:
        return None
    _warn_once("foreign", f"{path} may have been written by another user; it is not read")
    return None


def is_private(status: os.stat_result) -> bool:
    """Return whether only this user and the administrator may have written a file, or to a folder."""
    return sys.platform == "win32" or (status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022)


def _save(name: str, content: bytes) -> None:
    """Write a file to the first folder that can be written to."""
    faults = []
    for folder in folders():
        fault = _write(folder / name, content)
        if fault is None:
            return
        faults.append(f"{folder.parent}: {fault.strerror or fault}")
    _note_unkept(
        f"compiled kernels cannot be kept ({'; '.join(faults)}), so that later runs lack them; "
        "let NUMBA_CACHE_DIR name a folder that can be written to"
    )


def _note_unkept(text: str) -> None:
    """Say why kernels cannot be kept: to whoever collects the reasons, otherwise once in the log."""
    faults = unkept_faults()
    if faults is None:
        _warn_once("unkept", text)
    else:
        faults.append(text)


def _write(path: Path, content: bytes) -> OSError | None:
    """Write a file atomically; return the error that prevents it, if any."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        _begin_folder(path.parent)
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)
        temporary.replace(path)
    except OSError as fault:
        return fault
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return None


def _begin_folder(folder: Path) -> None:
    """Create a folder of this user alone where it is missing; raises for one that others may write to."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _begun.append(folder)
    if not is_private(folder.stat()):
        raise PermissionError(errno.EPERM, f"another user may write to {folder.name}")


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


@lru_cache(maxsize=256)
def _note_use(folder: Path) -> None:
    """Set the time at which a folder was used, by which the oldest are removed."""
    with suppress(OSError):
        os.utime(folder)


_warned: set[str] = set()


def _warn_once(kind: str, text: str) -> None:
    if kind not in _warned:
        _warned.add(kind)
        _LOG.warning("%s", text)
