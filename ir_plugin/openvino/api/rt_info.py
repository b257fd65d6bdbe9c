"""Runtime information of a model, by paths of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.model.type_info import plain_info
from ir_plugin.openvino.properties.any import OVAny

Path: TypeAlias = "Sequence[str] | str"


def find(info: Mapping[str, Any], path: Path) -> Any:
    """Return the value under a path of names."""
    value: Any = plain_info(info)
    for name in _names(path):
        if not isinstance(value, Mapping) or name not in value:
            raise InputError(f"the model has no runtime information {'/'.join(_names(path))!r}")
        value = plain_info(value)[name]
    return value


def has(info: Mapping[str, Any], path: Path) -> bool:
    """Return whether there is a value under a path of names."""
    names = _names(path)
    try:
        find(info, names)
    except InputError:
        return False
    return True


def put(info: dict[str, Any], value: Any, path: Path) -> None:
    """Write a value under a path of names, with the missing levels."""
    names = _names(path)
    if not names:
        raise InputError("the path of names is empty")
    for name in names[:-1]:
        if not isinstance(dict.get(info, name), dict):
            info[name] = {}
        info = dict.__getitem__(info, name)
    info[names[-1]] = value.value if isinstance(value, OVAny) else value


def _names(path: Path) -> list[str]:
    require(path, (str, list, tuple), "a name, or a list of names,", "path")
    names = [path] if isinstance(path, str) else list(path)
    if not all(isinstance(name, str) for name in names):
        raise ArgumentTypeError(f"{path!r} is not a list of names")
    return names
