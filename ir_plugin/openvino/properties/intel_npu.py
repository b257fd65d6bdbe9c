"""Names of properties of OpenVINO's NPU, as `openvino.properties.intel_npu`."""

from __future__ import annotations

from ir_plugin.openvino.properties.names import Property, PropertyEnum


class CompilerType(PropertyEnum):
    """The compiler to use."""

    PLUGIN = 0
    DRIVER = 1
    PREFER_PLUGIN = 2


bypass_umd_caching = Property("NPU_BYPASS_UMD_CACHING", bool)
compilation_mode_params = Property("NPU_COMPILATION_MODE_PARAMS", str)
compiler_dynamic_quantization = Property("NPU_COMPILER_DYNAMIC_QUANTIZATION", bool)
compiler_type = Property("NPU_COMPILER_TYPE", CompilerType)
compiler_version = Property("NPU_COMPILER_VERSION")
defer_weights_load = Property("NPU_DEFER_WEIGHTS_LOAD", bool)
device_alloc_mem_size = Property("NPU_DEVICE_ALLOC_MEM_SIZE")
device_total_mem_size = Property("NPU_DEVICE_TOTAL_MEM_SIZE")
disable_idle_memory_prunning = Property("NPU_DISABLE_IDLE_MEMORY_PRUNING", bool)
driver_version = Property("NPU_DRIVER_VERSION")
enable_strides_for = Property("NPU_ENABLE_STRIDES_FOR", str)
max_tiles = Property("NPU_MAX_TILES")
platform = Property("NPU_PLATFORM", str)
qdq_optimization = Property("NPU_QDQ_OPTIMIZATION", bool)
qdq_optimization_aggressive = Property("NPU_QDQ_OPTIMIZATION_AGGRESSIVE", bool)
run_inferences_sequentially = Property("NPU_RUN_INFERENCES_SEQUENTIALLY", bool)
tiles = Property("NPU_TILES", int)
turbo = Property("NPU_TURBO", bool)
