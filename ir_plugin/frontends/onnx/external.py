"""Tensor data in files beside the model, mapped when first read; no path leaves the model's folder.

As in onnx, the canonical path must lie in the folder, no component may be a symbolic link, the file is opened without
following one, and it must be a regular file with a single hard link.
"""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

from ir_plugin.frontends.onnx.faults import refused
from ir_plugin.reader.weights import Weights, open_weights
from ir_plugin.tensors.files import require_regular

_UP_TO_THE_END = "0"
"""The length for which onnx, OpenVINO and onnxruntime read up to the end of the file."""


class ExternalData:
    """The files of external data of one model, each mapped once."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._files: dict[str, Weights] = {}

    def require_unchanged(self) -> None:
        """Raise if one of the mapped files has changed since it was opened."""
        for weights in self._files.values():
            weights.require_unchanged()

    def path_of(self, tensor: Any) -> Path:
        """Return the path of the file of a tensor; raises for one that would not be read."""
        with self._open(tensor.name, _location(tensor)) as file:
            return Path(file.name)

    def part(self, tensor: Any) -> tuple[Weights, int, int]:
        """Return the mapped file of a tensor with the first byte and the number of bytes; -1 up to the end."""
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = _location(tensor)
        weights = self._file(tensor.name, location)
        offset, length = (
            _number(tensor.name, entries, key, default) for key, default in (("offset", 0), ("length", -1))
        )
        size = len(weights) - offset if length < 0 else length
        if size < 0 or offset + size > len(weights):
            raise refused(
                "ON403",
                f'the external data of "{tensor.name}" is bytes {offset} to {offset + max(size, 0)} of {location}, '
                f"which has {len(weights)} bytes",
            )
        return weights, offset, size

    def _file(self, name: str, location: str) -> Weights:
        if location not in self._files:
            with self._open(name, location) as file:
                self._files[location] = open_weights(file, "")
        return self._files[location]

    def _open(self, name: str, location: str) -> BinaryIO:
        """Return a regular file inside the model's folder, opened for reading; raises for any other."""
        what = f'the external data of "{name}" is in {location!r}'
        if self.folder is None:
            raise refused("ON401", f"{what}, but the model is not read from a file; give its path")
        folder, parts = self.folder, _parts(location, what)
        path = folder.joinpath(*parts)
        if any(os.path.islink(folder.joinpath(*parts[: count + 1])) for count in range(len(parts))):
            raise refused("ON402", f"{what}, which is or passes through a symbolic link")
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise refused("ON402", f"{what}, which leaves the model's folder")
        try:
            file = FileIO(path, "rb", opener=lambda *_: _open_beneath(folder, parts))
        except OSError as fault:
            is_absent = isinstance(fault, (FileNotFoundError, NotADirectoryError))
            absent = "which is not in the folder of the model; keep both files together"
            reason = absent if is_absent else f"which cannot be read: {fault.strerror}"
            raise refused("ON401", f"{what}, {reason}") from None
        status = os.fstat(file.fileno())
        if status.st_nlink > 1:
            file.close()
            raise refused("ON402", f"{what}, a hard link: the file has {status.st_nlink} names, maybe in other folders")
        return file


def _parts(location: str, what: str) -> tuple[str, ...]:
    """Return the components of a location, which is a path relative to the model's folder."""
    parts = PurePosixPath(location.replace("\\", "/")).parts
    if not parts or "\0" in location or os.path.isabs(location) or PureWindowsPath(location).drive or parts[0] == "/":
        raise refused("ON402", f"{what}, which is not a path relative to the model's folder")
    if ".." in parts:
        raise refused("ON402", f"{what}, which leaves the model's folder")
    return parts


def _open_beneath(folder: Path, parts: tuple[str, ...]) -> int:
    """Return the descriptor of a regular file below a folder; no component of its path may be a symbolic link."""
    flags = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    if os.open not in os.supports_dir_fd:
        descriptor = os.open(folder.joinpath(*parts), flags)
    else:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for part in parts:
            outer = descriptor
            try:
                descriptor = os.open(part, flags, dir_fd=outer)
            finally:
                os.close(outer)
    require_regular(descriptor)
    return descriptor


def _location(tensor: Any) -> str:
    return {str(entry.key): str(entry.value) for entry in tensor.external_data}.get("location", "")


def _number(name: str, entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key)
    if text is None or (key == "length" and text == _UP_TO_THE_END):
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise refused("ON403", f'the external data of "{name}" has the {key} {text!r}, which is not a number of bytes')
    return int(text)
