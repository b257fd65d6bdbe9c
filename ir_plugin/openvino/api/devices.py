"""Names of devices: there is one, and OpenVINO's names of virtual devices that choose among real ones mean it too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ir_plugin.errors import InputError, require

DEVICES = ("NUMPY", "CPU", "AUTO")
"""Names of the only device; the last two are aliases, so that scripts for OpenVINO run."""

_VIRTUAL = ("AUTO", "MULTI", "HETERO", "BATCH")
_CHOOSING = ("AUTO", "MULTI")
"""Virtual devices that pass over a device of their list that is not there."""


def require_device(name: Any) -> None:
    """Raise `InputError` unless `name` is a known device, virtual or real, such as `CPU` or `HETERO:CPU`."""
    parts = device_names(name)
    listed, virtual = parts[1:], parts[0].upper()
    missing = [part for part in listed if part.upper() not in DEVICES]
    chooses = virtual in _CHOOSING and missing != listed
    if virtual not in (*DEVICES, *_VIRTUAL) or (missing and not chooses):
        devices = ", ".join(DEVICES)
        raise InputError(f"there is no device {name!r}; known are {devices}, and MULTI, HETERO and BATCH of them")


def require_target(name: Any, config: Mapping[str, Any]) -> None:
    """Raise unless a model can be compiled for a device: virtual ones but AUTO need a list of devices."""
    require_device(name)
    parts = device_names(name)
    if len(parts) == 1 and parts[0].upper() not in DEVICES and not config.get("MULTI_DEVICE_PRIORITIES"):
        raise InputError(f"the device {name!r} needs a list of devices, such as {parts[0]}:CPU")


def device_names(name: Any) -> list[str]:
    """Return the device, and those that a virtual one lists: `HETERO:CPU.0,CPU(4)` is HETERO, CPU and CPU."""
    require(name, str, "the name of a device", "device_name")
    virtual, colon, listed = name.partition(":")
    candidates = [part.strip() for part in listed.split(",")] if colon else []
    return [_plain(part) for part in [virtual, *(part for part in candidates if not part.startswith("-"))]]


def _plain(name: str) -> str:
    """Return a device without its number and its number of requests."""
    return re.sub(r"(\.\w+)?(\(\d+\))?$", "", name)
