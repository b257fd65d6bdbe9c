"""Arrays by name in .npz files, whatever the names are."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.operations.memory import memory_to
from ir_plugin.tensors import Array
from ir_plugin.writer.files import replacing


def storable(array: Array) -> Array:
    """Return an array that .npz holds without pickling: strings as text, small floats of ml_dtypes as f32."""
    if array.dtype == np.object_:
        return array.astype(str)
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.num > 255 else array


def save(path: str | os.PathLike[str] | IO[bytes], arrays: Mapping[str, Array]) -> None:
    """Write arrays to an .npz; unlike `np.savez`, every text may be a name."""
    if isinstance(path, (str, os.PathLike)):
        with replacing(path) as (file,):
            save(file, arrays)
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")
            with memory_to(f"write {name!r}"), archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(storable(array)), allow_pickle=False)


def load(path: Path) -> Array | dict[str, Array]:
    """Return the array of an .npy, or the arrays of an .npz by name."""
    try:
        with memory_to(f"read {path}"):
            loaded: Any = np.load(path, allow_pickle=False)
            return {name: loaded[name] for name in loaded.files} if hasattr(loaded, "files") else np.asarray(loaded)
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror or fault}") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as fault:
        raise InputError(f"{path} cannot be read as .npy or .npz: {fault}") from None


def load_all(path: Path) -> dict[str, Array]:
    """Return the arrays of an .npz by name."""
    found = load(path)
    if not isinstance(found, dict):
        raise InputError(f"{path} holds one array without a name; an .npz is needed")
    return found
