"""Names and values of properties of logging, as `openvino.properties.log`; they are accepted without effect."""

from __future__ import annotations

from ir_plugin.openvino.properties.names import Property, PropertyEnum


class Level(PropertyEnum):
    """The level of logging."""

    NO = -1
    ERR = 0
    WARNING = 1
    INFO = 2
    DEBUG = 3
    TRACE = 4


level = Property("LOG_LEVEL", Level)
