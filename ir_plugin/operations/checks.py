"""Checks of element types that several operations share."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import NamedTuple

from ir_plugin.errors import ShapeError
from ir_plugin.tensors import ElementType, TensorInfo

_NAMES = {
    "integer": "an integer",
    "float": "a floating-point",
    "number": "a numeric",
    "boolean": "a boolean",
    "string": "a string",
}


class Departure(NamedTuple):
    """A deviation of one part of a layer from the specification that OpenVINO accepts."""

    part: str
    message: str


_departures: ContextVar[list[Departure] | None] = ContextVar("departures", default=None)
_is_lenient: ContextVar[bool] = ContextVar("is_lenient", default=False)


class Departures:
    """Collects the departures noted inside the context; with `lenient`, no element type is an error."""

    __slots__ = ("_leniency", "_lenient", "_noting", "noted")

    def __init__(self, lenient: bool) -> None:
        self._lenient = lenient
        self.noted: list[Departure] = []

    def __enter__(self) -> list[Departure]:
        self._noting, self._leniency = _departures.set(self.noted), _is_lenient.set(self._lenient)
        return self.noted

    def __exit__(self, *_: object) -> None:
        _departures.reset(self._noting)
        _is_lenient.reset(self._leniency)


def note_departure(part: str, message: str) -> None:
    """Note a deviation of one part of a layer from the specification that OpenVINO accepts."""
    noted = _departures.get()
    if noted is not None:
        noted.append(Departure(part, message))


class InputTypeError(ShapeError):
    """An element type that an input cannot have, whatever the attributes are."""


def is_kind(element_type: ElementType, kind: str) -> bool:
    """Return whether a type is dynamic, or of a kind (integer, float, number, boolean, string) or name."""
    if element_type.is_dynamic:
        return True
    kinds = {
        "integer": element_type.is_integer,
        "float": element_type.is_floating,
        "number": element_type.is_floating or element_type.is_integer,
    }
    return bool(kinds.get(kind, element_type.name == kind))


def require_type(part: str, tensor: TensorInfo, *kinds: str) -> None:
    """Raise unless the element type is of one of the kinds (see `is_kind`)."""
    if not _is_any(tensor, kinds) and not (_is_lenient.get() and _are_numbers(tensor, kinds)):
        raise InputTypeError(
            part, f"{part} has the element type {tensor.element_type.name}; it must have {_listed(kinds)} type"
        )


def note_type(part: str, tensor: TensorInfo, *kinds: str, accepted: tuple[str, ...] = ("number", "boolean")) -> None:
    """Raise unless the element type is `accepted`, as in OpenVINO; note one that is of none of the kinds."""
    require_type(part, tensor, *accepted)
    if not _is_any(tensor, kinds):
        message = (
            f"{part} has the element type {tensor.element_type.name}; the specification names {_listed(kinds)} type"
        )
        note_departure(part, message)


def note_types(
    tensors: Mapping[str, TensorInfo], *kinds: str, accepted: tuple[str, ...] = ("number", "boolean")
) -> ElementType:
    """Return the common type; note tensors of another type or of no listed kind, which OpenVINO accepts.

    The specification wants one type, of one of the kinds.
    """
    common = ElementType.dynamic
    for part, tensor in tensors.items():
        if common.merge(tensor.element_type) is None:
            require_type(part, tensor, *accepted)
            message = f"{part} has the element type {tensor.element_type.name}, others have {common.name}"
            note_departure(part, f"{message}; the specification wants one type")
            continue
        if common.is_dynamic:
            common = tensor.element_type
        if kinds:
            note_type(part, tensor, *kinds, accepted=accepted)
    return common


def _are_numbers(tensor: TensorInfo, kinds: tuple[str, ...]) -> bool:
    """Return whether both a tensor and what is required of it are numbers or booleans, no texts and no containers."""
    element_type = tensor.element_type
    return element_type is not ElementType.string and not element_type.is_container and kinds != ("string",)


def _is_any(tensor: TensorInfo, kinds: tuple[str, ...]) -> bool:
    return any(is_kind(tensor.element_type, kind) for kind in kinds)


def _listed(kinds: tuple[str, ...]) -> str:
    return " or ".join(_NAMES.get(kind, f"the {kind}") for kind in kinds)


def merge_types(*tensors: TensorInfo, part: str = "", are_read: bool = False) -> ElementType:
    """Return the common element type of the tensors.

    With `are_read`, OpenVINO reads mixed types, which it cannot run: `validate=False` takes the first.
    """
    merged = ElementType.dynamic
    for position, tensor in enumerate(tensors):
        common = merged.merge(tensor.element_type)
        if common is None and are_read and _is_lenient.get():
            continue
        if common is None:
            raise ShapeError(
                part or f"input {position}",
                f"{part or f'input {position}'} has the element type {tensor.element_type.name}, "
                f"others have {merged.name}; they must be equal",
            )
        merged = common
    return merged


def item_type(part: str, tensor: TensorInfo, kind: str) -> ElementType:
    """Return the type of the items of a container; raises for a tensor of another kind."""
    container = tensor.element_type
    if container.is_dynamic:
        return container
    if container.kind != kind or container.item is None:
        example = "map_i64_f32" if kind == "map" else f"{kind}_f32"
        raise ShapeError(part, f"{part} has the element type {container.name}; it must be {example} or another {kind}")
    return container.item
