"""Names of properties of a device, as `openvino.properties.device`."""

from __future__ import annotations

from enum import Enum

from ir_plugin.properties.names import Property

architecture = Property("DEVICE_ARCHITECTURE")
capabilities = Property("OPTIMIZATION_CAPABILITIES")
full_name = Property("FULL_DEVICE_NAME")
id = Property("DEVICE_ID")
type = Property("DEVICE_TYPE")


class Type(Enum):
    """What a device is."""

    INTEGRATED = 0
    DISCRETE = 1


class Capability:
    """What a device may be able to do, by the names that `capabilities` lists."""

    BF16 = "BF16"
    BIN = "BIN"
    EXPORT_IMPORT = "EXPORT_IMPORT"
    FP16 = "FP16"
    FP32 = "FP32"
    INT16 = "INT16"
    INT8 = "INT8"
    WINOGRAD = "WINOGRAD"
