"""Names of properties, as `openvino.properties`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from ir_plugin.diagnostics.absent import absent
from ir_plugin.openvino.properties import device, hint, intel_auto, intel_cpu, intel_gpu, intel_npu, log, streams
from ir_plugin.openvino.properties.names import EncryptionCallbacks, Property, PropertyEnum
from ir_plugin.tensors import ElementType

__all__ = [
    "CacheMode",
    "CompatibilityCheck",
    "Property",
    "WorkloadType",
    "device",
    "hint",
    "intel_auto",
    "intel_cpu",
    "intel_gpu",
    "intel_npu",
    "log",
    "streams",
]


class CacheMode(PropertyEnum):
    """The optimization goal of a cache of compiled models."""

    OPTIMIZE_SIZE = 0
    OPTIMIZE_SPEED = 1


class CompatibilityCheck(PropertyEnum):
    """Whether a compiled model fits a device."""

    NOT_APPLICABLE = 0
    SUPPORTED = 1
    UNSUPPORTED = 2


class WorkloadType(PropertyEnum):
    """The share of a device to use."""

    DEFAULT = 0
    EFFICIENT = 1


auto_batch_timeout = Property("AUTO_BATCH_TIMEOUT", np.uint32)
available_devices = Property("AVAILABLE_DEVICES")
cache_dir = Property("CACHE_DIR", str)
cache_encryption_callbacks = EncryptionCallbacks("CACHE_ENCRYPTION_CALLBACKS")
cache_mode = Property("CACHE_MODE", CacheMode)
compatibility_check = Property("COMPATIBILITY_CHECK")
compilation_num_threads = Property("COMPILATION_NUM_THREADS", np.int32)
enable_mmap = Property("ENABLE_MMAP", bool)
enable_profiling = Property("PERF_COUNT", bool)
enable_weightless = Property("ENABLE_WEIGHTLESS", bool)
execution_devices = Property("EXECUTION_DEVICES")
force_tbb_terminate = Property("FORCE_TBB_TERMINATE", bool)
inference_num_threads = Property("INFERENCE_NUM_THREADS", np.int32)
key_cache_group_size = Property("KEY_CACHE_GROUP_SIZE", np.uint64)
key_cache_precision = Property("KEY_CACHE_PRECISION", ElementType)
loaded_from_cache = Property("LOADED_FROM_CACHE")
max_batch_size = Property("MAX_BATCH_SIZE")
model_name = Property("NETWORK_NAME")
num_streams = streams.num
optimal_batch_size = Property("OPTIMAL_BATCH_SIZE")
optimal_number_of_infer_requests = Property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
range_for_async_infer_requests = Property("RANGE_FOR_ASYNC_INFER_REQUESTS")
range_for_streams = Property("RANGE_FOR_STREAMS")
runtime_requirements = Property("RUNTIME_REQUIREMENTS")
supported_properties = Property("SUPPORTED_PROPERTIES")
value_cache_group_size = Property("VALUE_CACHE_GROUP_SIZE", np.uint64)
value_cache_precision = Property("VALUE_CACHE_PRECISION", ElementType)
weights_path = Property("WEIGHTS_PATH", str)
workload_type = Property("WORKLOAD_TYPE", WorkloadType)


if not TYPE_CHECKING:

    def __getattr__(name):
        raise absent("ir_plugin.properties", name, sys.modules[__name__])
