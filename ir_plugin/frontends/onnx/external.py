"""Tensor data in files beside the model, mapped when first read; no path leaves the model's folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from ir_plugin.frontends.onnx.faults import refused
from ir_plugin.reader.weights import Weights, open_weights

_UP_TO_THE_END = "0"
"""The length for which onnx, OpenVINO and onnxruntime read up to the end of the file."""


class ExternalData:
    """The files of external data of one model, each mapped once."""

    def __init__(self, folder: Path | None, also: Path | None = None) -> None:
        self._folder = folder
        self._roots = [root.resolve() for root in (folder, also) if root is not None]
        self._files: dict[str, Weights] = {}

    def require_unchanged(self) -> None:
        """Raise if one of the mapped files has changed since it was opened."""
        for weights in self._files.values():
            weights.require_unchanged()

    def path_of(self, tensor: Any) -> Path:
        """Return the path of the file of a tensor."""
        return self._path(tensor.name, _location(tensor))

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
            self._files[location] = open_weights(self._path(name, location), "")
        return self._files[location]

    def _path(self, name: str, location: str) -> Path:
        """Return the path of a file inside the model's folder; raises for any other."""
        what = f'the external data of "{name}" is in {location!r}'
        if self._folder is None:
            raise refused("ON401", f"{what}, but the model is not read from a file; give its path")
        parts = PurePosixPath(location.replace("\\", "/")).parts
        if (
            not parts
            or "\0" in location
            or os.path.isabs(location)
            or PureWindowsPath(location).drive
            or parts[0] == "/"
        ):
            raise refused("ON402", f"{what}, which is not a path relative to the model's folder")
        if ".." in parts:
            raise refused("ON402", f"{what}, which leaves the model's folder")
        path = self._folder.joinpath(*parts)
        resolved = _resolved(path, what)
        if not any(resolved.is_relative_to(root) for root in self._roots):
            raise refused("ON402", f"{what}, a symbolic link that leaves the model's folder")
        if not resolved.is_file():
            raise refused("ON401", f"{what}, which is not a file of {self._folder}; keep both files together")
        return resolved


def _resolved(path: Path, what: str) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise refused("ON402", f"{what}, a symbolic link that leads back to itself") from None


def _location(tensor: Any) -> str:
    return {str(entry.key): str(entry.value) for entry in tensor.external_data}.get("location", "")


def _number(name: str, entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key)
    if text is None or (key == "length" and text == _UP_TO_THE_END):
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise refused("ON403", f'the external data of "{name}" has the {key} {text!r}, which is not a number of bytes')
    return int(text)
