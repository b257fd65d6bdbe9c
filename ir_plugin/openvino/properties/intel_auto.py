"""Names of properties of OpenVINO's AUTO device, as `openvino.properties.intel_auto`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir_plugin.openvino.properties.names import Property, PropertyEnum


class SchedulePolicy(PropertyEnum):
    """The order in which AUTO hands requests to devices."""

    ROUND_ROBIN = 0
    DEVICE_PRIORITY = 1
    DEFAULT = DEVICE_PRIORITY


class _Curves(Property):
    """Tables of performance by device, as a dictionary or the path of a file."""

    def converted(self, *values: Any) -> Any:
        """Return the dictionary or the path."""
        return self.of_kind(str if values and isinstance(values[0], str) else Mapping, *values)


device_bind_buffer = Property("DEVICE_BIND_BUFFER", bool)
devices_utilization_threshold = Property("DEVICES_UTILIZATION_THRESHOLD", Mapping)
enable_runtime_fallback = Property("ENABLE_RUNTIME_FALLBACK", bool)
enable_startup_fallback = Property("ENABLE_STARTUP_FALLBACK", bool)
low_power_device = Property("LOW_POWER_DEVICE", str)
perf_curve_table = _Curves("PERF_CURVE_TABLE")
schedule_policy = Property("SCHEDULE_POLICY", SchedulePolicy)
