"""Checks of attributes, as `openvino.utils.input_validation`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ir_plugin.errors import InputError

__all__ = [
    "assert_list_of_ints",
    "check_valid_attribute",
    "check_valid_attributes",
    "is_non_negative_value",
    "is_positive_value",
]

log = logging.getLogger(__name__)

Condition = Callable[[Any], bool]


def assert_list_of_ints(value_list: Iterable[int], message: str) -> None:
    """Raise with this message unless the value is an iterable of integers."""
    try:
        fits = all(isinstance(value, int) for value in value_list)
    except TypeError:
        fits = False
    if not fits:
        log.warning(message)
        raise InputError(f"{message}: {value_list!r}")


def check_valid_attribute(
    op_name: str,
    attr_dict: Mapping[str, Any],
    attr_key: str,
    val_type: type,
    cond: Condition | None = None,
    required: bool | None = False,
) -> bool:
    """Return True if an attribute is of a type and meets a condition, or is absent and not required; else raise."""
    if attr_key not in attr_dict:
        if required:
            raise InputError(f"{op_name} needs the attribute {attr_key!r}")
        return True
    value = attr_dict[attr_key]
    for item in [value] if np.isscalar(value) else value:
        _check_value(op_name, attr_key, item, val_type, cond)
    return True


def _check_value(op_name: str, attr_key: str, value: Any, val_type: type, cond: Condition | None = None) -> bool:
    """Return True if a value is of a type and meets a condition; else raise."""
    if not np.issubdtype(type(value), val_type):
        raise InputError(f"{op_name}, attribute {attr_key!r}: {value!r} is not of type {val_type.__name__}")
    if cond is not None and not cond(value):
        raise InputError(f"{op_name}, attribute {attr_key!r}: {value!r} does not meet the condition {cond.__name__}")
    return True


def check_valid_attributes(
    op_name: str, attributes: Mapping[str, Any], requirements: Iterable[tuple[str, bool, type, Condition | None]]
) -> bool:
    """Return True if all attributes meet their requirements: name, whether it is required, type and condition."""
    for name, required, kind, condition in requirements:
        check_valid_attribute(op_name, attributes, name, kind, condition, required)
    return True


def is_positive_value(value: Any) -> bool:
    """Return whether a value is above zero."""
    return bool(value > 0)


def is_non_negative_value(value: Any) -> bool:
    """Return whether a value is zero or above."""
    return bool(value >= 0)
