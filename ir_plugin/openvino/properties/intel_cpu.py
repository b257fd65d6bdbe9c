"""Names of properties of OpenVINO's CPU, as `openvino.properties.intel_cpu`; they are accepted without effect."""

from __future__ import annotations

from ir_plugin.openvino.properties.names import Property, PropertyEnum


class TbbPartitioner(PropertyEnum):
    """The distribution of loops among threads."""

    STATIC = 1
    AUTO = 2


denormals_optimization = Property("CPU_DENORMALS_OPTIMIZATION", bool)
sparse_weights_decompression_rate = Property("CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE", float)
tbb_partitioner = Property("TBB_PARTITIONER", TbbPartitioner)
