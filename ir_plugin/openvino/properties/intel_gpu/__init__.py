"""Names of properties of OpenVINO's GPU, as `openvino.properties.intel_gpu`."""

from __future__ import annotations

from ir_plugin.openvino.properties.intel_gpu import hint
from ir_plugin.openvino.properties.names import Property

__all__ = ["CapabilityGPU", "MemoryType", "hint"]


class MemoryType:
    """The names of kinds of shared memory."""

    buffer = "GPU_BUFFER"
    surface = "GPU_SURFACE"


class CapabilityGPU:
    """The names of capabilities of a GPU."""

    HW_MATMUL = "GPU_HW_MATMUL"
    USM_MEMORY = "GPU_USM_MEMORY"


device_max_alloc_mem_size = Property("GPU_DEVICE_MAX_ALLOC_MEM_SIZE")
device_total_mem_size = Property("GPU_DEVICE_TOTAL_MEM_SIZE")
disable_winograd_convolution = Property("GPU_DISABLE_WINOGRAD_CONVOLUTION", bool)
enable_loop_unrolling = Property("GPU_ENABLE_LOOP_UNROLLING", bool)
execution_units_count = Property("GPU_EXECUTION_UNITS_COUNT")
memory_statistics = Property("GPU_MEMORY_STATISTICS")
uarch_version = Property("GPU_UARCH_VERSION")
