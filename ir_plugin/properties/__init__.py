"""Names of properties, as `openvino.properties`."""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING

from ir_plugin.diagnostics.absent import absent
from ir_plugin.properties import device, hint, intel_cpu, log, streams
from ir_plugin.properties.names import Property

__all__ = ["CacheMode", "Property", "WorkloadType", "device", "hint", "intel_cpu", "log", "streams"]

auto_batch_timeout = Property("AUTO_BATCH_TIMEOUT")

available_devices = Property("AVAILABLE_DEVICES")
cache_dir = Property("CACHE_DIR")
cache_mode = Property("CACHE_MODE")
compilation_num_threads = Property("COMPILATION_NUM_THREADS")
enable_mmap = Property("ENABLE_MMAP")
enable_profiling = Property("PERF_COUNT")
execution_devices = Property("EXECUTION_DEVICES")
inference_num_threads = Property("INFERENCE_NUM_THREADS")
key_cache_group_size = Property("KEY_CACHE_GROUP_SIZE")
key_cache_precision = Property("KEY_CACHE_PRECISION")
loaded_from_cache = Property("LOADED_FROM_CACHE")
model_name = Property("NETWORK_NAME")
num_streams = Property("NUM_STREAMS")
optimal_number_of_infer_requests = Property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
range_for_async_infer_requests = Property("RANGE_FOR_ASYNC_INFER_REQUESTS")
range_for_streams = Property("RANGE_FOR_STREAMS")
supported_properties = Property("SUPPORTED_PROPERTIES")
value_cache_group_size = Property("VALUE_CACHE_GROUP_SIZE")
value_cache_precision = Property("VALUE_CACHE_PRECISION")
weights_path = Property("WEIGHTS_PATH")
workload_type = Property("WORKLOAD_TYPE")


class CacheMode(Enum):
    """What a cache of compiled models is to spare."""

    OPTIMIZE_SIZE = 0
    OPTIMIZE_SPEED = 1


class WorkloadType(Enum):
    """How much of a device to use."""

    DEFAULT = 0
    EFFICIENT = 1


if not TYPE_CHECKING:

    def __getattr__(name):
        raise absent("ir_plugin.properties", name, sys.modules[__name__])
