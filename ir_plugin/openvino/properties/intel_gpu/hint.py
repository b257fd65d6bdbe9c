"""Names of hints for OpenVINO's GPU, as `openvino.properties.intel_gpu.hint`."""

from __future__ import annotations

from ir_plugin.openvino.properties.hint import Priority
from ir_plugin.openvino.properties.names import Property


class ThrottleLevel:
    """The levels of throttling."""

    LOW = Priority.LOW
    MEDIUM = Priority.MEDIUM
    HIGH = Priority.HIGH
    DEFAULT = Priority.DEFAULT


available_device_mem = Property("AVAILABLE_DEVICE_MEM_SIZE", int)
enable_large_allocations = Property("GPU_ENABLE_LARGE_ALLOCATIONS", bool)
enable_lora_operation = Property("GPU_ENABLE_LORA_OPERATION", bool)
host_task_priority = Property("GPU_HOST_TASK_PRIORITY", Priority)
queue_priority = Property("GPU_QUEUE_PRIORITY", Priority)
queue_throttle = Property("GPU_QUEUE_THROTTLE", Priority)
