"""Runtime information of a model, by paths of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ir_plugin.errors import InputError, require

Path: TypeAlias = "Sequence[str] | str"


class OVAny:
    """A value of the runtime information, as `openvino.OVAny`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def get(self) -> Any:
        """Return the value."""
        return self.value

    def set(self, value: Any) -> None:
        """Change the value here, but not in the model."""
        self.value = value

    def astype(self, type: type) -> Any:
        """Return the value as a Python type; `YES`, `true` and `1` are True."""
        if not callable(type):
            raise InputError(f"{type!r} is no Python type")
        if type is bool and isinstance(self.value, str):
            return self.value.strip().lower() in ("yes", "true", "1")
        try:
            return type(self.value)
        except (TypeError, ValueError) as fault:
            raise InputError(f"the value {self.value!r} is no {getattr(type, '__name__', type)}: {fault}") from None

    def aslist(self, type: type = str) -> list[Any]:
        """Return the items of a list, which a file separates with blanks."""
        require(self.value, (str, Iterable), "a list, or text with blanks,")
        items = self.value.split() if isinstance(self.value, str) else list(self.value)
        return [OVAny(item).astype(type) for item in items]

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, OVAny) else other))

    def __hash__(self) -> int:
        return hash(str(self.value))

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return "<OVAny class>"


def find(info: Mapping[str, Any], path: Path) -> Any:
    """Return what stands under a path of names."""
    found: Any = info
    for name in _names(path):
        if not isinstance(found, Mapping) or name not in found:
            raise InputError(f"the model has no runtime information {'/'.join(_names(path))!r}")
        found = found[name]
    return found


def has(info: Mapping[str, Any], path: Path) -> bool:
    """Return whether something stands under a path of names."""
    names = _names(path)
    try:
        find(info, names)
    except InputError:
        return False
    return True


def put(info: dict[str, Any], value: Any, path: Path) -> None:
    """Write a value under a path of names, making what is missing on the way."""
    names = _names(path)
    if not names:
        raise InputError("the path of names is empty")
    for name in names[:-1]:
        if not isinstance(info.get(name), dict):
            info[name] = {}
        info = info[name]
    info[names[-1]] = value.value if isinstance(value, OVAny) else value


def _names(path: Path) -> list[str]:
    require(path, (str, list, tuple), "a name, or a list of names,")
    names = [path] if isinstance(path, str) else list(path)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{path!r} is no list of names")
    return names
