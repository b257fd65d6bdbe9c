"""Names and values of hints, as `openvino.properties.hint`; they are accepted, and change nothing."""

from __future__ import annotations

from enum import Enum

from ir_plugin.properties.names import Property

activations_scale_factor = Property("ACTIVATIONS_SCALE_FACTOR")
allow_auto_batching = Property("ALLOW_AUTO_BATCHING")
dynamic_quantization_group_size = Property("DYNAMIC_QUANTIZATION_GROUP_SIZE")
enable_cpu_pinning = Property("ENABLE_CPU_PINNING")
enable_cpu_reservation = Property("ENABLE_CPU_RESERVATION")
enable_hyper_threading = Property("ENABLE_HYPER_THREADING")
execution_mode = Property("EXECUTION_MODE_HINT")
inference_precision = Property("INFERENCE_PRECISION_HINT")
kv_cache_precision = Property("KV_CACHE_PRECISION")
model_distribution_policy = Property("MODEL_DISTRIBUTION_POLICY")
model_priority = Property("MODEL_PRIORITY")
num_requests = Property("PERFORMANCE_HINT_NUM_REQUESTS")
performance_mode = Property("PERFORMANCE_HINT")
scheduling_core_type = Property("SCHEDULING_CORE_TYPE")


class PerformanceMode(Enum):
    """What to be quick in."""

    LATENCY = 1
    THROUGHPUT = 2
    CUMULATIVE_THROUGHPUT = 3


class ExecutionMode(Enum):
    """What to prefer where both cannot be had."""

    PERFORMANCE = 1
    ACCURACY = 2


class Priority(Enum):
    """How important a model is."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    DEFAULT = MEDIUM


class SchedulingCoreType(Enum):
    """Which cores to use."""

    ANY_CORE = 0
    PCORE_ONLY = 1
    ECORE_ONLY = 2


class ModelDistributionPolicy(Enum):
    """How a model is spread over several devices."""

    TENSOR_PARALLEL = 0
    PIPELINE_PARALLEL = 1
