"""Arrays by arbitrary names in .npz files."""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PureWindowsPath
from typing import IO, Any, TypeAlias

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.operations.memory import memory_to
from ir_plugin.tensors import Array
from ir_plugin.tensors.files import open_regular
from ir_plugin.writer.files import replacing

HELP = "write it with numpy.save or numpy.savez, without Python objects"

Named: TypeAlias = Mapping[str, Array]
"""Arrays by name."""

_DAMAGED = (ValueError, EOFError, KeyError, AttributeError, RuntimeError)
_LONGEST = 0xFFFF - len(".npy")
"""The most bytes in the name of a zip archive's member."""
_UNSAFE = re.compile(r"[/\\:\0]|\.\.")
_LONG_NAMES = "long names.json"
"""The member that maps the names of members that stand for others to those."""


def storable(array: Array) -> Array:
    """Return an array that .npz can hold without pickling: strings as text, small floats of ml_dtypes as f32."""
    if array.dtype == np.object_:
        return array.astype(str)
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.num > 255 else array


def save_arrays(path: str | os.PathLike[str] | IO[bytes], arrays: Mapping[str, Array]) -> None:
    """Write arrays to an .npz, a reference for `compare`; unlike with `np.savez`, any text may be a name.

    Strings are written as text, small floats that NumPy does not have as f32.
    """
    if isinstance(path, (str, os.PathLike)):
        with replacing(path) as (file,):
            save_arrays(file, arrays)
        return
    long = {_shortened(name): name for name in arrays if not _is_member_name(name)}
    members = {name: short for short, name in long.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{members.get(name, name)}.npy")
            with memory_to(f"write {name!r}"), archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(storable(array)), allow_pickle=False)
        if long:
            archive.writestr(_LONG_NAMES, json.dumps(long))


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _is_member_name(name: str) -> bool:
    """Return whether a name is safe for an archive member: short enough, and inside the folder it is unpacked in."""
    parts = PureWindowsPath(name).parts
    leaves = ".." in parts or PureWindowsPath(name).anchor or name.startswith(("/", "\\")) or "\0" in name
    return len(_encoded(name)) <= _LONGEST and not leaves and name != _LONG_NAMES.removesuffix(".npy")


def _shortened(name: str) -> str:
    """Return the name of a member that stands for another name."""
    plain = _UNSAFE.sub("_", name)
    return f"{plain[:100]}…{plain[-100:]} {sha256(_encoded(name)).hexdigest()[:16]}"


def _named(loaded: Any) -> dict[str, Array]:
    """Return the arrays of an archive by their full names."""
    names = json.loads(loaded[_LONG_NAMES]) if _LONG_NAMES in loaded.files else {}
    members = {name: loaded[name] for name in loaded.files if name != _LONG_NAMES}
    return {names.get(name, name): array for name, array in members.items() if isinstance(array, np.ndarray)}


def load(path: str | os.PathLike[str]) -> Array | dict[str, Array]:
    """Return the array of an .npy, or the arrays of an .npz by name."""
    try:
        with memory_to(f"read {path}"), open_regular(path) as file:
            loaded: Any = np.load(file, allow_pickle=False)
            return _named(loaded) if hasattr(loaded, "files") else np.asarray(loaded)
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror or fault}") from None
    except (*_DAMAGED, zipfile.BadZipFile, zlib.error) as fault:
        if "allow_pickle" in str(fault):
            raise InputError(f"{path} is not an .npy or .npz of plain arrays; {HELP}") from None
        raise InputError(f"{path} cannot be read as .npy or .npz: {fault}; {HELP}") from None


def load_arrays(path: str | os.PathLike[str]) -> dict[str, Array]:
    """Return the arrays of an .npz by name; raises `InputError` for a file that cannot be read as one."""
    arrays = load(path)
    if not isinstance(arrays, dict):
        raise InputError(f"{path} holds one array without a name; an .npz is needed")
    return arrays
