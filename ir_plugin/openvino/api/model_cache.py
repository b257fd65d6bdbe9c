"""The cache of compiled models that CACHE_DIR asks for: a file, as of `export_model`, for a model and configuration."""

from __future__ import annotations

import hashlib
import mmap
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ir_plugin.errors import Error, InputError
from ir_plugin.openvino.api.exported import to_bytes
from ir_plugin.openvino.api.model import Model
from ir_plugin.tensors.files import open_regular
from ir_plugin.version import __version__

_NO_PART_OF_THE_KEY = ("CACHE_DIR", "CACHE_MODE", "CACHE_ENCRYPTION_CALLBACKS")


def blob_path(settings: Mapping[str, Any], source: tuple[object, ...]) -> Path:
    """Return the path in CACHE_DIR for a model that comes from `source`, and its configuration; makes the folder."""
    folder = Path(settings["CACHE_DIR"])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(f"the folder {str(folder)!r} of CACHE_DIR cannot be made: {fault.strerror}") from None
    config = sorted((name, repr(value)) for name, value in settings.items() if name not in _NO_PART_OF_THE_KEY)
    key = repr((__version__, config, *source)).encode()
    return folder / f"{hashlib.sha256(key).hexdigest()[:32]}.blob"


def source_of_file(model: Any, weights: Any) -> tuple[object, ...] | None:
    """Return a key of an IR's current version: paths, sizes and times of its files; None for other sources."""
    if not isinstance(model, (str, os.PathLike)) or Path(model).suffix != ".xml":
        return None
    binary = Path(model).with_suffix(".bin") if weights is None else weights
    if not isinstance(binary, (str, os.PathLike)):
        return None
    paths = [Path(model), Path(binary)]
    stats = [path.stat() if path.is_file() else None for path in paths]
    return tuple(
        (str(path.resolve()), stat and (stat.st_size, stat.st_mtime_ns))
        for path, stat in zip(paths, stats, strict=True)
    )


def source_of_model(model: Model) -> tuple[object, ...] | None:
    """Return a digest of a model; None for one that cannot be written as an IR, and so not be kept."""
    try:
        return (hashlib.sha256(to_bytes(model, {})).hexdigest(),)
    except Error:
        return None


def blob_at(path: Path) -> memoryview | None:
    """Return a file of the cache, mapped; None if there is none."""
    try:
        with open_regular(path) as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None


def keep(path: Path, model: Model, settings: Mapping[str, Any]) -> None:
    """Write a model to the cache, all or nothing, unless it cannot be written as an IR."""
    try:
        data = to_bytes(model, settings)
    except Error:
        return
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        os.replace(file.name, path)
    except OSError as fault:
        raise InputError(f"{str(path)!r} cannot be written for CACHE_DIR: {fault.strerror}") from None
