"""Names and values of hints, as `openvino.properties.hint`; they are accepted without effect."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from ir_plugin.model.hooks import HOOKS
from ir_plugin.openvino.properties.names import Property, PropertyEnum, converted
from ir_plugin.tensors import ElementType


class PerformanceMode(PropertyEnum):
    """The performance goal."""

    LATENCY = 1
    THROUGHPUT = 2
    CUMULATIVE_THROUGHPUT = 3


class ExecutionMode(PropertyEnum):
    """The preference between performance and accuracy."""

    PERFORMANCE = 1
    ACCURACY = 2


class Priority(PropertyEnum):
    """The priority of a model."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    DEFAULT = MEDIUM


class SchedulingCoreType(PropertyEnum):
    """The cores to use."""

    ANY_CORE = 0
    PCORE_ONLY = 1
    ECORE_ONLY = 2


class ModelDistributionPolicy(PropertyEnum):
    """The distribution of a model over several devices."""

    TENSOR_PARALLEL = 0
    PIPELINE_PARALLEL = 1


class _Model(Property):
    """A model for a query of a device."""

    def converted(self, *values: Any) -> Any:
        """Return the model."""
        return self.of_kind(HOOKS.api().Model, *values)


class _Blob(Property):
    """A compiled model as bytes in a tensor."""

    def converted(self, *values: Any) -> Any:
        """Return the tensor."""
        return self.of_kind(HOOKS.api().Tensor, *values)


class _Policies(Property):
    """A set of `ModelDistributionPolicy`."""

    def converted(self, *values: Any) -> set[ModelDistributionPolicy]:
        """Return the policies as a set."""
        policies = self.of_kind(Set, *values)
        return {converted(str(self), policy, ModelDistributionPolicy) for policy in policies}


activations_scale_factor = Property("ACTIVATIONS_SCALE_FACTOR", float)
allow_auto_batching = Property("ALLOW_AUTO_BATCHING", bool)
compiled_blob = _Blob("COMPILED_BLOB")
dynamic_quantization_group_size = Property("DYNAMIC_QUANTIZATION_GROUP_SIZE", np.uint64)
enable_cpu_pinning = Property("ENABLE_CPU_PINNING", bool)
enable_cpu_reservation = Property("ENABLE_CPU_RESERVATION", bool)
enable_hyper_threading = Property("ENABLE_HYPER_THREADING", bool)
execution_mode = Property("EXECUTION_MODE_HINT", ExecutionMode)
inference_precision = Property("INFERENCE_PRECISION_HINT", ElementType)
kv_cache_precision = Property("KV_CACHE_PRECISION", ElementType)
model = _Model("MODEL_PTR")
model_distribution_policy = _Policies("MODEL_DISTRIBUTION_POLICY")
model_priority = Property("MODEL_PRIORITY", Priority)
num_requests = Property("PERFORMANCE_HINT_NUM_REQUESTS", np.uint32)
performance_mode = Property("PERFORMANCE_HINT", PerformanceMode)
scheduling_core_type = Property("SCHEDULING_CORE_TYPE", SchedulingCoreType)
