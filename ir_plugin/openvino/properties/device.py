"""Names of properties of a device, as `openvino.properties.device`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir_plugin.errors import ArgumentTypeError
from ir_plugin.openvino.properties.any import OVAny
from ir_plugin.openvino.properties.names import Property, PropertyEnum


class _Priorities(Property):
    """Names of devices in the order of trial."""

    def converted(self, *values: Any) -> str:
        """Return the names, each followed by a comma."""
        for value in values:
            if not isinstance(value, str):
                raise ArgumentTypeError(
                    f"Incorrect passed value: {value} , expected string values. {self} takes names of devices"
                )
        return "".join(f"{value}," for value in values)


class _Properties(Property):
    """Configurations by the names of devices."""

    def converted(self, *values: Any) -> dict[str, Any]:
        """Return the configurations as plain dictionaries by plain names."""
        if len(values) != 1 or not isinstance(values[0], Mapping):
            raise ArgumentTypeError(f"the property {self} takes a dictionary of configurations by device")
        return {str(name): _plain(config) for name, config in values[0].items()}


def _plain(config: Any) -> Any:
    if not isinstance(config, Mapping):
        return config
    return {str(name): value.value if isinstance(value, OVAny) else value for name, value in config.items()}


architecture = Property("DEVICE_ARCHITECTURE")
capabilities = Property("OPTIMIZATION_CAPABILITIES")
full_name = Property("FULL_DEVICE_NAME")
gops = Property("DEVICE_GOPS")
id = Property("DEVICE_ID", str)
luid = Property("DEVICE_LUID")
pci_info = Property("DEVICE_PCI_INFO")
priorities = _Priorities("MULTI_DEVICE_PRIORITIES")
properties = _Properties("DEVICE_PROPERTIES")
thermal = Property("DEVICE_THERMAL")
type = Property("DEVICE_TYPE")
uuid = Property("DEVICE_UUID")


class Type(PropertyEnum):
    """The type of a device."""

    INTEGRATED = 0
    DISCRETE = 1


class Capability:
    """The names of capabilities that `capabilities` lists."""

    BF16 = "BF16"
    BIN = "BIN"
    EXPORT_IMPORT = "EXPORT_IMPORT"
    FP16 = "FP16"
    FP32 = "FP32"
    INT16 = "INT16"
    INT8 = "INT8"
    WINOGRAD = "WINOGRAD"
